/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* GStreamer's CUDA memory: contexts that elements share, memory on the device and pools of it. The
 * only part that knows libgstcuda; without it, in a build without CUDA, there is no such memory. A
 * context is a GstCudaContext, here a plain GstObject. */

#include <gst/video/video.h>
#include "engine/run/device.h"

G_BEGIN_DECLS

/* Whether this build knows CUDA memory. */
gboolean cc_cuda_memory_is_built(void);

/* Whether libgstcuda starts in this process, now that the device has; without it there is no such
 * memory. It is started at most once. Any thread. */
gboolean cc_cuda_memory_works(CcDevice *device);

/* --- contexts --- */

/* For GstElement::set_context: takes the context when it is one of CUDA and of this device (-1:
 * any) and *context is NULL. */
void cc_cuda_context_take(GstElement *element, GstContext *offered, gint device_id,
                          GstObject **context);

/* Asks for what the element was told before, then its neighbours, then the application for a
 * context until the element knows one, which its set_context has to see to. */
void cc_cuda_context_ask(GstElement *element, gboolean (*knows)(GstElement *element));

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

/* The context of a memory, borrowed, or NULL when it is not CUDA memory. */
GstObject *cc_cuda_memory_get_context(GstMemory *memory);

/* Added to the flags of a map: the address is one of the device. */
GstMapFlags cc_cuda_memory_map_flag(void);

/* The stream that a memory which is mapped has to wait for, as an opaque handle (CUstream), or
 * NULL: there is none. A map for writing counts as pending work of the stream too. */
gpointer cc_cuda_memory_get_stream(GstMemory *memory);

/* Waits for the work on that stream. */
void cc_cuda_memory_sync(GstMemory *memory);

/* Copies all bytes of a memory to or from host memory, which need not be pinned: for when it cannot
 * be mapped as system memory, which takes pinned memory. */
gboolean cc_cuda_memory_read(GstMemory *memory, guint8 *host);
gboolean cc_cuda_memory_write(GstMemory *memory, const guint8 *host);

/* A pool of frames in the context, which counts the memory that it has. */
GstBufferPool *cc_cuda_pool_new(GstObject *context);

/* How many bytes of a device such a pool has, its buffers elsewhere included; 0 for other pools.
 * Any thread. */
gsize cc_cuda_pool_bytes(GstBufferPool *pool);

G_END_DECLS
