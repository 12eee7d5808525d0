/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "allocation.h"

#define ALIGN_MASK 63 /* of memory that is allocated here: a cache line, a vector register */

/* A video pool whose new buffers are zero, so that the padding between rows, which no one writes,
 * is the same in every run. It also takes the page faults out of the first frames. */
typedef struct {
  GstVideoBufferPool parent;
} CcZeroedPool;

typedef struct {
  GstVideoBufferPoolClass parent_class;
} CcZeroedPoolClass;

GType cc_zeroed_pool_get_type(void);
G_DEFINE_TYPE(CcZeroedPool, cc_zeroed_pool, GST_TYPE_VIDEO_BUFFER_POOL)

static GstFlowReturn
cc_zeroed_pool_alloc_buffer(GstBufferPool *pool, GstBuffer **buffer,
                            GstBufferPoolAcquireParams *params) {
  const GstFlowReturn ret =
      GST_BUFFER_POOL_CLASS(cc_zeroed_pool_parent_class)->alloc_buffer(pool, buffer, params);
  if (ret == GST_FLOW_OK)
    gst_buffer_memset(*buffer, 0, 0, gst_buffer_get_size(*buffer));
  return ret;
}

static void
cc_zeroed_pool_init(CcZeroedPool *self) {
}

static void
cc_zeroed_pool_class_init(CcZeroedPoolClass *klass) {
  GST_BUFFER_POOL_CLASS(klass)->alloc_buffer = cc_zeroed_pool_alloc_buffer;
}

static GstBufferPool *
new_pool(void) {
  return gst_object_ref_sink(g_object_new(cc_zeroed_pool_get_type(), NULL));
}

static void
set_pool(GstQuery *query, GstBufferPool *pool, guint size, guint min, guint max) {
  if (gst_query_get_n_allocation_pools(query) > 0)
    gst_query_set_nth_allocation_pool(query, 0, pool, size, min, max);
  else
    gst_query_add_allocation_pool(query, pool, size, min, max);
}

static void
get_params(GstQuery *query, GstAllocator **allocator, GstAllocationParams *params) {
  *allocator = NULL;
  gst_allocation_params_init(params);
  if (gst_query_get_n_allocation_params(query) > 0)
    gst_query_parse_nth_allocation_param(query, 0, allocator, params);
  params->align |= ALIGN_MASK;
}

static gboolean
configure(GstBufferPool *pool, GstCaps *caps, guint size, guint min, guint max,
          GstAllocator *allocator, const GstAllocationParams *params, gboolean video_meta) {
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, size, min, max);
  gst_buffer_pool_config_set_allocator(config, allocator, params);
  if (video_meta)
    gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  return gst_buffer_pool_set_config(pool, config);
}

void
cc_choose_output_pool(GstQuery *query, guint n_held) {
  GstCaps *caps;
  GstVideoInfo info;
  gst_query_parse_allocation(query, &caps, NULL);
  if (!gst_video_info_from_caps(&info, caps))
    return;

  g_autoptr(GstAllocator) allocator = NULL;
  GstAllocationParams params;
  get_params(query, &allocator, &params);
  const gboolean video_meta = gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);

  g_autoptr(GstBufferPool) pool = NULL;
  guint size = 0, min = 0, max = 0;
  if (gst_query_get_n_allocation_pools(query) > 0)
    gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &min, &max);
  size = MAX(size, (guint)info.size);
  min += n_held;
  if (max > 0)
    max += n_held;

  if (!pool || !configure(pool, caps, size, min, max, allocator, &params, video_meta)) {
    g_clear_object(&pool);
    pool = new_pool();
    size = info.size;
    configure(pool, caps, size, min, max = 0, allocator, &params, video_meta);
  }
  set_pool(query, pool, size, min, max);
  if (gst_query_get_n_allocation_params(query) > 0)
    gst_query_set_nth_allocation_param(query, 0, allocator, &params);
  else
    gst_query_add_allocation_param(query, allocator, &params);
}

void
cc_propose_input_pool(GstQuery *query, guint n_held) {
  GstCaps *caps;
  GstVideoInfo info;
  gboolean need_pool;
  gst_query_parse_allocation(query, &caps, &need_pool);
  if (!caps || !gst_video_info_from_caps(&info, caps) || info.size > G_MAXUINT)
    return;

  GstAllocationParams params;
  gst_allocation_params_init(&params);
  params.align = ALIGN_MASK;
  g_autoptr(GstBufferPool) pool = NULL;
  if (need_pool) {
    pool = new_pool();
    configure(pool, caps, info.size, n_held, 0, NULL, &params, TRUE);
  }
  gst_query_add_allocation_param(query, NULL, &params);
  gst_query_add_allocation_pool(query, pool, info.size, n_held, 0);
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
}
