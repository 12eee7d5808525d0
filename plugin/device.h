/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The session's backend as GStreamer sees it: opening it, the CUDA context that it shares with the
 * neighbours, and the memory of its device. */

#include "element.h"

G_BEGIN_DECLS

/* Opens the backend that the properties ask for, unless it is open already, in a context that
 * others offer where there is one. Posts an error when there is no such backend. */
gboolean gst_cuda_conv_open_backend(GstCudaConv *self);

/* Closes the backend and lets go of its device's memory. No frame may be under way. */
void gst_cuda_conv_close_backend(GstCudaConv *self);

/* Takes a context that was offered, for the next time that a backend is opened. Any thread. */
void gst_cuda_conv_take_context(GstCudaConv *self, GstContext *offered);

/* The domains that frames may be in as far as the backend is concerned, or will be when it has been
 * opened. Any thread. */
CcDomainSet gst_cuda_conv_list_usable(GstCudaConv *self);

/* The domains that frames can be in at all, on a device or with the CPU, which maps them as system
 * memory. Any thread. */
CcDomainSet gst_cuda_conv_list_possible(GstCudaConv *self);

/* The context that the backend works in, for memory and for neighbours (transfer full); NULL when
 * it has none. Any thread. */
GstObject *gst_cuda_conv_ref_context(GstCudaConv *self);

/* The same, or that of a neighbour. For the streaming thread. */
GstObject *gst_cuda_conv_find_context(GstCudaConv *self);

/* Takes the memory of the backend that was opened. `context` is the one that it was asked to work
 * in, or NULL. */
void gst_cuda_conv_take_memory(GstCudaConv *self, GstObject *context);

G_END_DECLS
