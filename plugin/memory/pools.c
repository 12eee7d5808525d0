/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pools.h"

#define ALIGN_MASK 63 /* allocations are aligned to 64 bytes: a cache line, a vector register */
#define MAX_ALIGN_MASK 65535
#define MAX_PADDING (1 << 20) /* maximum prefix or padding of a neighbour's request, in bytes */
/* The maximum number of buffers that our own pools allocate in advance for a neighbour. */
#define MAX_MIN 64

/* A video pool that zeroes new buffers. The padding between rows, which is never written, is thus
 * the same in every run. Zeroing also causes page faults when a buffer is allocated instead of when
 * the first frames are filtered. */
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

/* The alignment must be a mask of low bits. Prefix and padding must be of plausible size, so that
 * GStreamer's sum of them and the size does not overflow. */
static gboolean
is_reasonable(const GstAllocationParams *params) {
  return (params->align & (params->align + 1)) == 0 && params->align <= MAX_ALIGN_MASK &&
         params->prefix <= MAX_PADDING && params->padding <= MAX_PADDING;
}

static void
get_params(GstQuery *query, GstAllocator **allocator, GstAllocationParams *params) {
  *allocator = NULL;
  gst_allocation_params_init(params);
  if (gst_query_get_n_allocation_params(query) > 0)
    gst_query_parse_nth_allocation_param(query, 0, allocator, params);
  if (!is_reasonable(params))
    gst_allocation_params_init(params);
  params->align |= ALIGN_MASK;
}

static gboolean
configure(GstBufferPool *pool, GstCaps *caps, guint size, guint min, guint max,
          GstAllocator *allocator, const GstAllocationParams *params, gboolean video_meta) {
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, size, min, max);
  if (params)
    gst_buffer_pool_config_set_allocator(config, allocator, params);
  if (video_meta)
    gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  return gst_buffer_pool_set_config(pool, config);
}

typedef struct {
  GstCaps *caps;
  gsize bytes; /* size of a frame without padding */
  GstBufferPool *pool;
  guint size, min, max;
} Offer;

static gboolean
parse_offer(GstQuery *query, Offer *offer) {
  GstVideoInfo info;
  *offer = (Offer){0};
  gst_query_parse_allocation(query, &offer->caps, NULL);
  if (!gst_video_info_from_caps(&info, offer->caps))
    return FALSE;
  offer->bytes = info.size;
  if (gst_query_get_n_allocation_pools(query) > 0)
    gst_query_parse_nth_allocation_pool(query, 0, &offer->pool, &offer->size, &offer->min,
                                        &offer->max);
  return TRUE;
}

static gboolean
allocator_is_plain(GstAllocator *allocator) {
  return !allocator || g_strcmp0(allocator->mem_type, GST_ALLOCATOR_SYSMEM) == 0;
}

/* A plain pool allocates system memory without padding. Sinks that have no special memory offer
 * plain pools. */
static gboolean
pool_is_plain(GstBufferPool *pool) {
  GstAllocator *allocator = NULL;
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_get_allocator(config, &allocator, NULL);
  const gboolean plain =
      allocator_is_plain(allocator) &&
      !gst_buffer_pool_config_has_option(config, GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT);
  gst_structure_free(config);
  return plain && (G_OBJECT_TYPE(pool) == GST_TYPE_VIDEO_BUFFER_POOL ||
                   G_OBJECT_TYPE(pool) == GST_TYPE_BUFFER_POOL ||
                   G_OBJECT_TYPE(pool) == cc_zeroed_pool_get_type());
}

/* The sum is limited to G_MAXUINT, because a neighbour may request any number of buffers. */
static guint
add_held(guint n, const CcAllocation *allocation) {
  return n > G_MAXUINT - allocation->n_held ? G_MAXUINT : n + allocation->n_held;
}

static const gchar *
choose_system_pool(GstQuery *query, const CcAllocation *allocation, Offer *offer) {
  const gchar *why = "downstream's own";
  g_autoptr(GstAllocator) allocator = NULL;
  GstAllocationParams params;
  get_params(query, &allocator, &params);
  const gboolean video_meta = gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
  guint size = MAX(offer->size, (guint)offer->bytes), min = add_held(offer->min, allocation);
  guint max = offer->max > 0 ? add_held(offer->max, allocation) : 0;

  if (allocation->pinned && allocator_is_plain(allocator) &&
      (!offer->pool || pool_is_plain(offer->pool))) {
    g_clear_object(&offer->pool);
    gst_object_replace((GstObject **)&allocator, GST_OBJECT(allocation->pinned));
    why = "pinned";
  }
  if (!offer->pool ||
      !configure(offer->pool, offer->caps, size, min, max, allocator, &params, video_meta)) {
    g_clear_object(&offer->pool);
    offer->pool = new_pool();
    size = (guint)offer->bytes;
    min = MIN(min, MAX_MIN);
    if (!allocation->pinned)
      why = "our own";
    configure(offer->pool, offer->caps, size, min, max = 0, allocator, &params, video_meta);
  }
  set_pool(query, offer->pool, size, min, max);
  if (gst_query_get_n_allocation_params(query) > 0)
    gst_query_set_nth_allocation_param(query, 0, allocator, &params);
  else
    gst_query_add_allocation_param(query, allocator, &params);
  return why;
}

/* Sets *size to the size of the pool's buffers. The pool allocates no buffers in advance, because
 * GStreamer 1.22 leaks them if the start of a CUDA pool fails. */
static GstBufferPool *
new_domain_pool(const CcAllocation *allocation, GstCaps *caps, guint *size) {
  GstBufferPool *pool = allocation->domain->new_pool(allocation->context);
  if (!pool || !configure(pool, caps, *size, 0, 0, NULL, NULL, TRUE)) {
    gst_clear_object(&pool);
    return NULL;
  }
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_get_params(config, NULL, size, NULL, NULL);
  gst_structure_free(config);
  return pool;
}

const gchar *
cc_choose_pool(GstQuery *query, const CcAllocation *allocation) {
  Offer offer;
  const gboolean ok = parse_offer(query, &offer);
  const gchar *why = NULL;
  if (ok && allocation->domain->new_pool) {
    guint size = (guint)offer.bytes;
    g_autoptr(GstBufferPool) pool = new_domain_pool(allocation, offer.caps, &size);
    if (pool) {
      set_pool(query, pool, size, 0, 0);
      why = allocation->domain->name;
    }
  } else if (ok) {
    why = choose_system_pool(query, allocation, &offer);
  }
  g_clear_object(&offer.pool);
  return why;
}

void
cc_propose_metas(GstQuery *query) {
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
  gst_query_add_allocation_meta(query, GST_VIDEO_CROP_META_API_TYPE, NULL);
}

void
cc_propose_input_pool(GstQuery *query, const CcAllocation *allocation) {
  GstCaps *caps;
  GstVideoInfo info;
  gboolean need_pool;
  gst_query_parse_allocation(query, &caps, &need_pool);
  if (!gst_video_info_from_caps(&info, caps) || info.size > G_MAXUINT)
    return;
  if (allocation->domain->new_pool) {
    guint size = (guint)info.size;
    g_autoptr(GstBufferPool) pool = new_domain_pool(allocation, caps, &size);
    if (pool)
      gst_query_add_allocation_pool(query, pool, size, allocation->n_held, 0);
    return;
  }

  GstAllocationParams params;
  gst_allocation_params_init(&params);
  params.align = ALIGN_MASK;
  g_autoptr(GstBufferPool) pool = NULL;
  if (need_pool) {
    pool = new_pool();
    configure(pool, caps, info.size, allocation->n_held, 0, allocation->pinned, &params, TRUE);
  }
  gst_query_add_allocation_param(query, allocation->pinned, &params);
  gst_query_add_allocation_pool(query, pool, info.size, allocation->n_held, 0);
}
