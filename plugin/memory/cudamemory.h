/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* GStreamer's CUDA memory: its row of the domain table, and the contexts that elements share. Only
 * this part uses libgstcuda. A build without CUDA has no such memory. A context is a
 * GstCudaContext, here declared as GstObject. */

#include "domain.h"

G_BEGIN_DECLS

/* --- contexts --- */

/* For GstElement::set_context: stores the context if it is a CUDA context of this device (-1: any)
 * and *context is NULL. */
void cc_cuda_context_take(GstElement *element, GstContext *offered, gint device_id,
                          GstObject **context);

/* Requests a context from those that the element was given before, from its neighbours and from the
 * application, until the element has one. The element's set_context must store it. */
void cc_cuda_context_request(GstElement *element, gboolean (*knows)(GstElement *element));

/* The context that a backend's device works in, for others to share (transfer full); NULL if
 * libgstcuda does not work. */
GstObject *cc_cuda_context_of_device(CcDevice *device);

/* Announces a context to the application and to the other elements of the bin. */
void cc_cuda_context_announce(GstElement *element, GstObject *context);

/* Whether this is a query for a CUDA context. */
gboolean cc_cuda_context_is_requested(GstQuery *query);
void cc_cuda_context_answer(GstElement *element, GstQuery *query, GstObject *context);

/* The driver's handle of a context (a CUcontext). */
gpointer cc_cuda_context_handle(GstObject *context);

/* The context as the engine's type; valid as long as `context`. */
CcContext cc_cuda_context_describe(GstObject *context);

/* --- memory --- */

/* Whether CUDA memory holds frames of a format and height in a version of GStreamer, given as 10000
 * * major + 100 * minor + micro. */
gboolean cc_cuda_memory_holds(const gchar *format, gint height, guint version);

/* Bytes of device memory of a pool, including its buffers that are in use; 0 for other pools. Any
 * thread. */
gsize cc_cuda_pool_bytes(GstBufferPool *pool);

G_END_DECLS
