/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* GStreamer's CUDA memory: its row of the table of domains, and the contexts that elements share.
 * The only part that knows libgstcuda; without it, in a build without CUDA, there is no such
 * memory. A context is a GstCudaContext, here a plain GstObject. */

#include "domain.h"

G_BEGIN_DECLS

/* --- contexts --- */

/* For GstElement::set_context: takes the context when it is one of CUDA and of this device (-1:
 * any) and *context is NULL. */
void cc_cuda_context_take(GstElement *element, GstContext *offered, gint device_id,
                          GstObject **context);

/* Requests a context, from those that the element was given before, its neighbours and the
 * application, until the element knows one, which its set_context has to see to. */
void cc_cuda_context_request(GstElement *element, gboolean (*knows)(GstElement *element));

/* The context that a backend's device works in, for others to share; transfer full, or NULL when
 * libgstcuda does not work. */
GstObject *cc_cuda_context_of_device(CcDevice *device);

/* Tells the application and the other elements of the bin about a context. */
void cc_cuda_context_announce(GstElement *element, GstObject *context);

/* Whether this is a query for a context of CUDA. */
gboolean cc_cuda_context_is_asked_for(GstQuery *query);
void cc_cuda_context_answer(GstElement *element, GstQuery *query, GstObject *context);

/* The driver's handle of a context (a CUcontext). */
gpointer cc_cuda_context_handle(GstObject *context);

/* The context as the engine knows it; valid as long as `context` is. */
CcContext cc_cuda_context_describe(GstObject *context);

/* --- memory --- */

/* Whether CUDA memory holds frames of a format and height in a version of GStreamer, which is
 * 10000 * major + 100 * minor + micro. */
gboolean cc_cuda_memory_holds(const gchar *format, gint height, guint version);

/* How many bytes of a device a pool of such memory has, its buffers elsewhere included; 0 for other
 * pools. Any thread. */
gsize cc_cuda_pool_bytes(GstBufferPool *pool);

G_END_DECLS
