/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The session's backend as GStreamer sees it: opening it, sharing its CUDA context with the
 * neighbours, and the memory of its device. */

#include "element.h"

G_BEGIN_DECLS

/* Opens the backend that the properties select, unless it is open, in a context that others offer,
 * if any. Posts an error if the backend does not open. */
gboolean gst_cuda_conv_open_backend(GstCudaConv *self);

/* Closes the backend and releases the memory of its device. No frame may be in flight. */
void gst_cuda_conv_close_backend(GstCudaConv *self);

/* Stores an offered context for the next time that a backend is opened. Any thread. */
void gst_cuda_conv_take_context(GstCudaConv *self, GstContext *offered);

/* The domains that the current backend can use, or before one is open, those that it may be able to
 * use. Any thread. */
CcDomainSet gst_cuda_conv_list_usable(GstCudaConv *self);

/* All domains that frames can be in, on a device or mapped as system memory for the CPU. Any
 * thread. */
CcDomainSet gst_cuda_conv_list_possible(GstCudaConv *self);

/* The context that the backend works in, for memory and for neighbours (transfer full), or NULL.
 * Any thread. */
GstObject *gst_cuda_conv_ref_context(GstCudaConv *self);

/* The context of the backend, or else that of a neighbour (transfer full), or NULL. For the
 * streaming thread. */
GstObject *gst_cuda_conv_find_context(GstCudaConv *self);

/* Takes over the device and memory of the backend that was opened. `context` is the context that
 * was requested, or NULL. */
void gst_cuda_conv_take_memory(GstCudaConv *self, GstObject *context);

G_END_DECLS
