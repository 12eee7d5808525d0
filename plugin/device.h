/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The GStreamer side of the session's backend: opening the backend, sharing its CUDA context with
 * neighbouring elements, and the memory of its device. */

#include "element.h"

G_BEGIN_DECLS

/* Opens the backend that the properties select, unless it is already open. If a neighbour or the
 * application offers a context, the backend uses this context. Posts an error if the backend does
 * not open. */
gboolean gst_cuda_conv_open_backend(GstCudaConv *self);

/* Closes the backend and releases the memory of its device. No frame may be in flight. */
void gst_cuda_conv_close_backend(GstCudaConv *self);

/* Stores an offered context if the element has no context yet. The context is used when a backend
 * is opened next. Any thread. */
void gst_cuda_conv_take_context(GstCudaConv *self, GstContext *offered);

/* The domains that the open backend can use. If no backend is open, the domains that the properties
 * and the build allow. Any thread. */
CcDomainSet gst_cuda_conv_list_usable(GstCudaConv *self);

/* The domains that the properties and the build allow, and the domains of the current caps. The
 * open backend may be unable to use some of them. The CPU maps frames in these domains as system
 * memory. Any thread. */
CcDomainSet gst_cuda_conv_list_possible(GstCudaConv *self);

/* The context that the backend works in (transfer full). If the backend has no device, the stored
 * context, or NULL. Memory is allocated in this context, and neighbours share it. Any thread. */
GstObject *gst_cuda_conv_ref_context(GstCudaConv *self);

/* The context of the backend (transfer full). If there is none, the context of a neighbour or of
 * the application, or NULL. For the streaming thread. */
GstObject *gst_cuda_conv_find_context(GstCudaConv *self);

/* Updates the element's device, allocator and context for the backend that was opened. `context` is
 * the context that was passed to the backend, or NULL. */
void gst_cuda_conv_take_memory(GstCudaConv *self, GstObject *context);

G_END_DECLS
