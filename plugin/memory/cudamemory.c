/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cudamemory.h"

/* libgstcuda says of itself that its API may change. */
#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>
#if GST_CHECK_VERSION(1, 24, 0)
#include <gst/cuda/gstcudastream.h>
#endif

gboolean
cc_cuda_memory_is_built(void) {
  return TRUE;
}

/* --- contexts --- */

void
cc_cuda_context_take(GstElement *element, GstContext *offered, gint device_id,
                     GstObject **context) {
  gst_cuda_handle_set_context(element, offered, device_id, (GstCudaContext **)context);
}

/* What one pad's neighbour answers goes to the element's set_context. */
static void
ask_peer(GstElement *element, const gchar *pad_name) {
  g_autoptr(GstPad) pad = gst_element_get_static_pad(element, pad_name);
  g_autoptr(GstQuery) query = gst_query_new_context(GST_CUDA_CONTEXT_TYPE);
  GstContext *answer = NULL;
  if (!gst_pad_peer_query(pad, query))
    return;
  gst_query_parse_context(query, &answer);
  if (answer)
    gst_element_set_context(element, answer);
}

void
cc_cuda_context_ask(GstElement *element, gboolean (*knows)(GstElement *element)) {
  if (!knows(element)) {
    g_autoptr(GstContext) known = gst_element_get_context(element, GST_CUDA_CONTEXT_TYPE);
    if (known)
      gst_element_set_context(element, known);
  }
  if (!knows(element))
    ask_peer(element, "src");
  if (!knows(element))
    ask_peer(element, "sink");
  if (!knows(element))
    gst_element_post_message(
        element, gst_message_new_need_context(GST_OBJECT(element), GST_CUDA_CONTEXT_TYPE));
}

/* What 1.22 does when its own cuInit fails: the first call that needs it fails with a critical, and
 * each one after that waits for ever. A context that is made before the library is loaded ends the
 * process. So the library is started once, right after the driver has shown that it starts, and not
 * used where that failed. */
gboolean
cc_cuda_memory_works(CcDevice *device) {
  static GMutex lock;
  static enum { UNTRIED, WORKS, FAILED } state; /* guarded by the lock */
  g_autoptr(GMutexLocker) G_GNUC_UNUSED locker = g_mutex_locker_new(&lock);
  if (state == UNTRIED && cc_device_probe(device, NULL)) {
    GstCudaContext *context =
        gst_cuda_load_library() ? gst_cuda_context_new_wrapped(device->context, device->id) : NULL;
    state = context ? WORKS : FAILED;
    gst_clear_object(&context);
  }
  return state == WORKS;
}

static void
unref_device(gpointer device) {
  cc_device_unref(device);
}

GstObject *
cc_cuda_context_of_device(CcDevice *device) {
  GstCudaContext *context = cc_cuda_memory_works(device)
                                ? gst_cuda_context_new_wrapped(device->context, device->id)
                                : NULL;
  if (!context)
    return NULL;
  g_object_set_data_full(G_OBJECT(context), "cudaconv-device", cc_device_ref(device), unref_device);
  return GST_OBJECT(context);
}

void
cc_cuda_context_announce(GstElement *element, GstObject *context) {
  GstContext *shared = gst_context_new_cuda_context(GST_CUDA_CONTEXT_CAST(context));
  gst_element_post_message(element, gst_message_new_have_context(GST_OBJECT(element), shared));
}

gboolean
cc_cuda_context_is_asked_for(GstQuery *query) {
  const gchar *type = NULL;
  return GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT && gst_query_parse_context_type(query, &type) &&
         g_strcmp0(type, GST_CUDA_CONTEXT_TYPE) == 0;
}

void
cc_cuda_context_answer(GstElement *element, GstQuery *query, GstObject *context) {
  gst_cuda_handle_context_query(element, query, GST_CUDA_CONTEXT_CAST(context));
}

gpointer
cc_cuda_context_handle(GstObject *context) {
  return gst_cuda_context_get_handle(GST_CUDA_CONTEXT_CAST(context));
}

CcContext
cc_cuda_context_describe(GstObject *context) {
  guint id = 0;
  g_object_get(context, "cuda-device-id", &id, NULL);
  return (CcContext){
      .handle = cc_cuda_context_handle(context),
      .device_id = (gint)id,
      .owner = context,
      .keep = gst_object_ref,
      .release = gst_object_unref,
  };
}

/* --- memory --- */

GstObject *
cc_cuda_memory_get_context(GstMemory *memory) {
  return gst_is_cuda_memory(memory) ? GST_OBJECT(((GstCudaMemory *)memory)->context) : NULL;
}

GstMapFlags
cc_cuda_memory_map_flag(void) {
  return (GstMapFlags)GST_MAP_CUDA;
}

gpointer
cc_cuda_memory_get_stream(GstMemory *memory, GstMapFlags flags) {
#if GST_CHECK_VERSION(1, 24, 0)
  GstCudaStream *stream = gst_cuda_memory_get_stream(GST_CUDA_MEMORY_CAST(memory));
  if (stream &&
      (flags & GST_MAP_WRITE || GST_MEMORY_FLAG_IS_SET(memory, GST_CUDA_MEMORY_TRANSFER_NEED_SYNC)))
    return gst_cuda_stream_get_handle(stream);
#endif
  return NULL;
}

void
cc_cuda_memory_sync(GstMemory *memory) {
#if GST_CHECK_VERSION(1, 24, 0)
  gst_cuda_memory_sync(GST_CUDA_MEMORY_CAST(memory));
#endif
}

GstBufferPool *
cc_cuda_pool_new(GstObject *context) {
  gst_cuda_memory_init_once();
  return gst_cuda_buffer_pool_new(GST_CUDA_CONTEXT_CAST(context));
}

gboolean
cc_cuda_pool_is_in(GstBufferPool *pool, GstObject *context) {
  return GST_IS_CUDA_BUFFER_POOL(pool) &&
         gst_cuda_context_get_handle(GST_CUDA_BUFFER_POOL(pool)->context) ==
             gst_cuda_context_get_handle(GST_CUDA_CONTEXT_CAST(context));
}
