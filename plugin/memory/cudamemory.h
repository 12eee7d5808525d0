/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* GStreamer's CUDA memory: its row of the domain table, and the contexts that elements share. Only
 * cudamemory.c uses libgstcuda. A build without CUDA has no CUDA memory. A context is a
 * GstCudaContext, declared here as GstObject. */

#include "domain.h"

G_BEGIN_DECLS

/* --- contexts --- */

/* Called in GstElement::set_context. If *context is NULL and `offered` is a CUDA context of device
 * `device_id` (-1: any device), stores it in *context. */
void cc_cuda_context_take(GstElement *element, GstContext *offered, gint device_id,
                          GstObject **context);

/* Looks for a context in the contexts that the element was given before, then queries the
 * neighbours, then the application. Stops as soon as `knows` returns TRUE. The element's
 * set_context must store the context. */
void cc_cuda_context_request(GstElement *element, gboolean (*knows)(GstElement *element));

/* Makes a GstCudaContext of the device's CUDA context, so that other elements can share it
 * (transfer full). NULL if libgstcuda does not work. */
GstObject *cc_cuda_context_of_device(CcDevice *device);

/* Announces a context to the application and to the other elements of the bin. */
void cc_cuda_context_announce(GstElement *element, GstObject *context);

/* Whether `query` requests a CUDA context. If so, cc_cuda_context_answer answers it with `context`.
 */
gboolean cc_cuda_context_is_requested(GstQuery *query);
void cc_cuda_context_answer(GstElement *element, GstQuery *query, GstObject *context);

/* The driver's handle of a context (a CUcontext). */
gpointer cc_cuda_context_handle(GstObject *context);

/* Converts the context to the engine's type. The result is valid as long as `context` exists. */
CcContext cc_cuda_context_describe(GstObject *context);

/* --- memory --- */

/* Whether CUDA memory can hold frames of a format and height in a version of GStreamer. `version`
 * is 10000 x major + 100 x minor + micro. */
gboolean cc_cuda_memory_holds(const gchar *format, gint height, guint version);

/* Bytes of device memory that a pool has allocated, including buffers in use. 0 if the pool is not
 * one of our CUDA pools. Any thread. */
gsize cc_cuda_pool_bytes(GstBufferPool *pool);

G_END_DECLS
