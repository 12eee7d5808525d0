/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cudamemory.h"

/* GStreamer declares the API of libgstcuda as unstable, and its headers warn without this macro. */
#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>
#if GST_CHECK_VERSION(1, 24, 0)
#include <gst/cuda/gstcudastream.h>
#endif

/* --- contexts --- */

void
cc_cuda_context_take(GstElement *element, GstContext *offered, gint device_id,
                     GstObject **context) {
  gst_cuda_handle_set_context(element, offered, device_id, (GstCudaContext **)context);
}

static void
query_peer(GstElement *element, const gchar *pad_name) {
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
cc_cuda_context_request(GstElement *element, gboolean (*knows)(GstElement *element)) {
  if (!knows(element)) {
    g_autoptr(GstContext) known = gst_element_get_context(element, GST_CUDA_CONTEXT_TYPE);
    if (known)
      gst_element_set_context(element, known);
  }
  if (!knows(element))
    query_peer(element, "src");
  if (!knows(element))
    query_peer(element, "sink");
  if (!knows(element))
    gst_element_post_message(
        element, gst_message_new_need_context(GST_OBJECT(element), GST_CUDA_CONTEXT_TYPE));
}

/* libgstcuda is initialised once, right after a successful probe of the driver. If the
 * initialisation fails, the library is never used. In GStreamer 1.22 a failure of the library's own
 * cuInit is fatal: the first call that needs CUDA fails with a critical warning, and every later
 * call blocks forever. If a context is made before the library is loaded, the process aborts. */
static gboolean
library_works(CcDevice *device) {
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

static gboolean
is_usable(CcDevice *device) {
  return device && library_works(device);
}

static void
unref_device(gpointer device) {
  cc_device_unref(device);
}

GstObject *
cc_cuda_context_of_device(CcDevice *device) {
  GstCudaContext *context =
      library_works(device) ? gst_cuda_context_new_wrapped(device->context, device->id) : NULL;
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
cc_cuda_context_is_requested(GstQuery *query) {
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

static gboolean
holds(const gchar *format, gint height) {
  guint major, minor, micro, nano;
  gst_version(&major, &minor, &micro, &nano);
  return cc_cuda_memory_holds(format, height, 10000 * major + 100 * minor + micro);
}

static GstObject *
get_context(GstMemory *memory, CcContext *context) {
  if (!gst_is_cuda_memory(memory))
    return NULL;
  GstObject *own = GST_OBJECT(((GstCudaMemory *)memory)->context);
  if (context)
    *context = cc_cuda_context_describe(own);
  return own;
}

static gboolean
owns(GstMemory *memory) {
  return gst_is_cuda_memory(memory);
}

/* All memories of the buffer must be CUDA memory of one context. If a host address were used as a
 * device address, the context would become unusable for all elements that share it. A buffer with
 * several memories cannot be mapped at once, because merging makes it system memory. */
static gboolean
maps(GstBuffer *buffer, gboolean at_once, CcDevice *device) {
  return device && cc_buffer_get_context(buffer, NULL) &&
         (gst_buffer_n_memory(buffer) == 1 || !at_once);
}

static void
sync_memory(GstMemory *memory) {
#if GST_CHECK_VERSION(1, 24, 0)
  gst_cuda_memory_sync(GST_CUDA_MEMORY_CAST(memory));
#endif
}

/* A frame can wait for one stream only. If the frame has several memories, or memory of another
 * context, the memories are synchronized here instead. Mapping a memory for writing also sets the
 * flag TRANSFER_NEED_SYNC if the memory has a stream, so an output frame waits for its stream too.
 */
static const gchar *
describe(const CcMaps *mapped, CcDevice *device, CcFrame *frame) {
  GstObject *context = cc_buffer_get_context(mapped->buffer, NULL);
  const gboolean own = cc_cuda_context_handle(context) == device->context;
  const guint n = gst_buffer_n_memory(mapped->buffer);
  frame->memory = own ? CC_MEMORY_DEVICE : CC_MEMORY_PEER;
  if (!own || n > 1)
    for (guint i = 0; i < n; i++)
      sync_memory(gst_buffer_peek_memory(mapped->buffer, i));
#if GST_CHECK_VERSION(1, 24, 0)
  GstMemory *memory = gst_buffer_peek_memory(mapped->buffer, 0);
  if (own && n == 1 && GST_MEMORY_FLAG_IS_SET(memory, GST_CUDA_MEMORY_TRANSFER_NEED_SYNC))
    frame->stream =
        gst_cuda_stream_get_handle(gst_cuda_memory_get_stream(GST_CUDA_MEMORY_CAST(memory)));
#endif
  return own ? "CUDA memory" : "CUDA memory of another context";
}

/* Rows are copied with their padding. All planes of a CUDA memory have the same pitch. */
static CUDA_MEMCPY2D
describe_rows(GstMemory *memory) {
  const gsize pitch = (gsize)((GstCudaMemory *)memory)->info.stride[0];
  return (CUDA_MEMCPY2D){
      .srcPitch = pitch, .dstPitch = pitch, .WidthInBytes = pitch, .Height = memory->size / pitch};
}

static gboolean
copy_rows(GstMemory *memory, const CUDA_MEMCPY2D *rows) {
  if (!gst_cuda_context_push(((GstCudaMemory *)memory)->context))
    return FALSE;
  const gboolean ok = gst_cuda_result(CuMemcpy2D(rows));
  gst_cuda_context_pop(NULL);
  return ok;
}

static gboolean
read_memory(GstMemory *memory, guint8 *host) {
  GstMapInfo map;
  CUDA_MEMCPY2D rows = describe_rows(memory);
  sync_memory(memory);
  if (!gst_memory_map(memory, &map, GST_MAP_READ | (GstMapFlags)GST_MAP_CUDA))
    return FALSE;
  rows.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.srcDevice = (CUdeviceptr)map.data;
  rows.dstMemoryType = CU_MEMORYTYPE_HOST;
  rows.dstHost = host;
  const gboolean ok = copy_rows(memory, &rows);
  gst_memory_unmap(memory, &map);
  return ok;
}

static gboolean
write_memory(GstMemory *memory, const guint8 *host) {
  GstMapInfo map;
  CUDA_MEMCPY2D rows = describe_rows(memory);
  if (!gst_memory_map(memory, &map, GST_MAP_WRITE | (GstMapFlags)GST_MAP_CUDA))
    return FALSE;
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = host;
  rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.dstDevice = (CUdeviceptr)map.data;
  const gboolean ok = copy_rows(memory, &rows);
  gst_memory_unmap(memory, &map);
  return ok;
}

/* --- pools --- */

typedef struct {
  GstCudaBufferPool parent;
  gsize bytes; /* atomic */
} CcCudaPool;

typedef struct {
  GstCudaBufferPoolClass parent_class;
} CcCudaPoolClass;

GType cc_cuda_pool_get_type(void);
G_DEFINE_TYPE(CcCudaPool, cc_cuda_pool, GST_TYPE_CUDA_BUFFER_POOL)

static void
count_buffer(GstBufferPool *pool, GstBuffer *buffer, gboolean is_added) {
  gsize bytes;
  /* Uses maxsize, because an element may have resized the buffer. */
  gst_buffer_get_sizes(buffer, NULL, &bytes);
  g_atomic_pointer_add(&((CcCudaPool *)pool)->bytes, is_added ? (gssize)bytes : -(gssize)bytes);
}

static GstFlowReturn
cc_cuda_pool_alloc_buffer(GstBufferPool *pool, GstBuffer **buffer,
                          GstBufferPoolAcquireParams *params) {
  const GstFlowReturn ret =
      GST_BUFFER_POOL_CLASS(cc_cuda_pool_parent_class)->alloc_buffer(pool, buffer, params);
  if (ret == GST_FLOW_OK)
    count_buffer(pool, *buffer, TRUE);
  return ret;
}

static void
cc_cuda_pool_free_buffer(GstBufferPool *pool, GstBuffer *buffer) {
  count_buffer(pool, buffer, FALSE);
  GST_BUFFER_POOL_CLASS(cc_cuda_pool_parent_class)->free_buffer(pool, buffer);
}

static void
cc_cuda_pool_init(CcCudaPool *self) {
}

static void
cc_cuda_pool_class_init(CcCudaPoolClass *klass) {
  GST_BUFFER_POOL_CLASS(klass)->alloc_buffer = cc_cuda_pool_alloc_buffer;
  GST_BUFFER_POOL_CLASS(klass)->free_buffer = cc_cuda_pool_free_buffer;
}

static GstBufferPool *
new_pool(GstObject *context) {
  gst_cuda_memory_init_once();
  GstCudaBufferPool *pool = gst_object_ref_sink(g_object_new(cc_cuda_pool_get_type(), NULL));
  pool->context = gst_object_ref(GST_CUDA_CONTEXT_CAST(context));
  return GST_BUFFER_POOL_CAST(pool);
}

gsize
cc_cuda_pool_bytes(GstBufferPool *pool) {
  return G_TYPE_CHECK_INSTANCE_TYPE(pool, cc_cuda_pool_get_type())
             ? (gsize)g_atomic_pointer_get(&((CcCudaPool *)pool)->bytes)
             : 0;
}

const CcDomain cc_cuda_domain = {
    .name = "CUDA memory",
    .feature = "memory:CUDAMemory",
    .cost = 0,
    .on_device = TRUE,
    .holds = holds,
    .is_usable = is_usable,
    .new_pool = new_pool,
    .owns = owns,
    .maps = maps,
    .map_flags = (GstMapFlags)GST_MAP_CUDA, /* makes the mapped address a device address */
    .describe = describe,
    .get_context = get_context,
    .read = read_memory,
    .write = write_memory,
};
