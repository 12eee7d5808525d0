/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream.h"

#include <gst/base/base.h>
#include <gst/video/video.h>
#include <unistd.h>
#include "engine/error.h"

/* --- the source --- */

#define OWN_BUFFERS 8
#define FRESH_AHEAD 16 /* number of fresh frames that are allocated ahead */

G_DECLARE_FINAL_TYPE(BenchSource, bench_source, BENCH, SOURCE, GstPushSrc)

struct _BenchSource {
  GstPushSrc parent;
  GstCaps *caps;
  GstVideoInfo info;
  BenchMemory memory;
  guint64 n_frames;
  GThreadPool *allocators; /* allocates fresh frames; NULL: memory is not BENCH_MEMORY_FRESH */
  GAsyncQueue *fresh;      /* GstBuffer: frames that were allocated ahead, or NULL */
};

G_DEFINE_TYPE(BenchSource, bench_source, GST_TYPE_PUSH_SRC)

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-raw(ANY)"));

static GstCaps *
bench_source_get_caps(GstBaseSrc *base, GstCaps *filter) {
  const BenchSource *self = BENCH_SOURCE(base);
  return filter ? gst_caps_intersect_full(filter, self->caps, GST_CAPS_INTERSECT_FIRST)
                : gst_caps_ref(self->caps);
}

/* --- memory --- */

static gboolean
bench_source_decide_allocation(GstBaseSrc *base, GstQuery *query) {
  BenchSource *self = BENCH_SOURCE(base);
  g_autoptr(GstBufferPool) pool = NULL;
  guint size = (guint)self->info.size, min = OWN_BUFFERS, max = 0;
  if (self->memory == BENCH_MEMORY_POOL && gst_query_get_n_allocation_pools(query) > 0)
    gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &min, &max);
  else if (self->memory == BENCH_MEMORY_OWN)
    pool = gst_video_buffer_pool_new();
  while (gst_query_get_n_allocation_pools(query) > 0)
    gst_query_remove_nth_allocation_pool(query, 0);
  while (gst_query_get_n_allocation_params(query) > 0)
    gst_query_remove_nth_allocation_param(query, 0);
  if (self->memory == BENCH_MEMORY_FRESH)
    return TRUE;
  if (!pool) {
    GST_ELEMENT_ERROR(self, RESOURCE, SETTINGS, ("The pipeline proposes no pool of buffers."),
                      (NULL));
    return FALSE;
  }
  /* The allocator and the alignment in the pool's configuration are kept. */
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, self->caps, size, min, max);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_query_add_allocation_pool(query, pool, size, min, max);
  return gst_buffer_pool_set_config(pool, config);
}

/* --- fresh memory --- */

/* Allocates a frame and writes a byte of each page, so that the system maps the pages. Runs in the
 * thread pool. */
static void
allocate_fresh(gpointer unused, gpointer data) {
  BenchSource *self = data;
  const gsize page = (gsize)sysconf(_SC_PAGESIZE);
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, self->info.size, NULL);
  GstMapInfo map;
  if (gst_buffer_map(buffer, &map, GST_MAP_WRITE)) {
    for (gsize at = 0; at < map.size; at += page)
      map.data[at] = (guint8)(at / page);
    gst_buffer_unmap(buffer, &map);
  }
  g_async_queue_push(self->fresh, buffer);
}

static void
request_fresh(BenchSource *self) {
  g_thread_pool_push(self->allocators, self, NULL);
}

static gboolean
bench_source_start(GstBaseSrc *base) {
  BenchSource *self = BENCH_SOURCE(base);
  if (self->memory != BENCH_MEMORY_FRESH)
    return TRUE;
  const guint n = MAX(g_get_num_processors() / 2, 1);
  self->fresh = g_async_queue_new_full((GDestroyNotify)gst_buffer_unref);
  self->allocators = g_thread_pool_new(allocate_fresh, self, (gint)n, FALSE, NULL);
  for (guint i = 0; i < FRESH_AHEAD; i++)
    request_fresh(self);
  return TRUE;
}

static gboolean
bench_source_stop(GstBaseSrc *base) {
  BenchSource *self = BENCH_SOURCE(base);
  if (self->allocators)
    g_thread_pool_free(g_steal_pointer(&self->allocators), FALSE, TRUE);
  g_clear_pointer(&self->fresh, g_async_queue_unref);
  return TRUE;
}

static GstFlowReturn
bench_source_alloc(GstBaseSrc *base, guint64 offset, guint bytes, GstBuffer **buffer) {
  BenchSource *self = BENCH_SOURCE(base);
  if (!self->allocators)
    return GST_BASE_SRC_CLASS(bench_source_parent_class)->alloc(base, offset, bytes, buffer);
  *buffer = g_async_queue_pop(self->fresh);
  request_fresh(self);
  return GST_FLOW_OK;
}

/* --- pixels --- */

static gboolean
fill_memory(BenchSource *self, GstMemory *memory) {
  const GQuark quark = g_quark_from_static_string("cudaconv-bench-filled");
  GstMapInfo map;
  if (gst_mini_object_get_qdata(GST_MINI_OBJECT(memory), quark))
    return TRUE;
  if (!gst_memory_map(memory, &map, GST_MAP_WRITE)) {
    GST_ELEMENT_ERROR(self, RESOURCE, WRITE, ("A frame's memory cannot be written."), (NULL));
    return FALSE;
  }
  bench_fill_random(map.data, map.size);
  gst_memory_unmap(memory, &map);
  gst_mini_object_set_qdata(GST_MINI_OBJECT(memory), quark, GUINT_TO_POINTER(1), NULL);
  return TRUE;
}

static GstFlowReturn
bench_source_fill(GstPushSrc *push, GstBuffer *buffer) {
  BenchSource *self = BENCH_SOURCE(push);
  const guint64 n = self->n_frames++, fps = (guint64)self->info.fps_n;
  for (guint i = 0; self->memory != BENCH_MEMORY_FRESH && i < gst_buffer_n_memory(buffer); i++)
    if (!fill_memory(self, gst_buffer_peek_memory(buffer, i)))
      return GST_FLOW_ERROR;
  GST_BUFFER_PTS(buffer) = gst_util_uint64_scale(n, GST_SECOND, fps);
  GST_BUFFER_DURATION(buffer) = GST_SECOND / fps;
  return GST_FLOW_OK;
}

/* The base class waits until the time `start`. If the source is not live, sets no time, so the base
 * class does not wait. */
static void
bench_source_get_times(GstBaseSrc *base, GstBuffer *buffer, GstClockTime *start,
                       GstClockTime *end) {
  *start = gst_base_src_is_live(base) ? GST_BUFFER_PTS(buffer) : GST_CLOCK_TIME_NONE;
  *end = GST_CLOCK_TIME_NONE;
}

/* --- type --- */

static void
bench_source_init(BenchSource *self) {
  gst_base_src_set_format(GST_BASE_SRC(self), GST_FORMAT_TIME);
}

static void
bench_source_class_init(BenchSourceClass *klass) {
  GstBaseSrcClass *base_class = GST_BASE_SRC_CLASS(klass);
  gst_element_class_add_static_pad_template(GST_ELEMENT_CLASS(klass), &src_template);
  base_class->get_caps = bench_source_get_caps;
  base_class->decide_allocation = bench_source_decide_allocation;
  base_class->get_times = bench_source_get_times;
  base_class->alloc = bench_source_alloc;
  base_class->start = bench_source_start;
  base_class->stop = bench_source_stop;
  GST_PUSH_SRC_CLASS(klass)->fill = bench_source_fill;
}

GstElement *
bench_source_new(GstCaps *caps, BenchMemory memory, gboolean live) {
  BenchSource *self = g_object_new(bench_source_get_type(), NULL);
  self->caps = gst_caps_ref(caps);
  g_object_set_data_full(G_OBJECT(self), "caps", caps, (GDestroyNotify)gst_caps_unref);
  self->memory = memory;
  if (!gst_video_info_from_caps(&self->info, caps))
    g_return_val_if_reached(NULL);
  gst_base_src_set_blocksize(GST_BASE_SRC(self), (guint)self->info.size);
  gst_base_src_set_live(GST_BASE_SRC(self), live);
  return GST_ELEMENT(self);
}

/* --- the meter --- */

#define POLL_INTERVAL (G_TIME_SPAN_MILLISECOND)
#define STALL_TIMEOUT (20 * G_TIME_SPAN_SECOND) /* microseconds without a frame */

/* The frame counter of one sink. */
typedef struct {
  BenchMeter *meter;
  guint n_frames;
} Watch;

void
bench_meter_init(BenchMeter *self, BenchSchedule schedule) {
  *self =
      (BenchMeter){.schedule = schedule, .buses = g_ptr_array_new_with_free_func(gst_object_unref)};
  g_mutex_init(&self->lock);
}

void
bench_meter_clear(BenchMeter *self) {
  g_ptr_array_unref(self->buses);
  g_mutex_clear(&self->lock);
}

static GstPadProbeReturn
on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  Watch *watch = data;
  BenchMeter *self = watch->meter;
  g_mutex_lock(&self->lock);
  self->last.n_frames++;
  self->last.us = g_get_monotonic_time();
  if (++watch->n_frames == self->schedule.n_warm)
    self->last.n_cold--;
  g_mutex_unlock(&self->lock);
  return GST_PAD_PROBE_OK;
}

void
bench_meter_watch(BenchMeter *self, GstElement *pipeline) {
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_autoptr(GstPad) pad = gst_element_get_static_pad(sink, "sink");
  Watch *watch = g_new0(Watch, 1);
  watch->meter = self;
  self->last.n_cold++;
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, watch, g_free);
  g_ptr_array_add(self->buses, gst_element_get_bus(pipeline));
}

/* Returns FALSE if a pipeline has failed. */
static gboolean
read_messages(BenchMeter *self, GError **error) {
  for (guint i = 0; i < self->buses->len; i++) {
    GstBus *bus = g_ptr_array_index(self->buses, i);
    g_autoptr(GstMessage) message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
    if (message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
      gst_message_parse_error(message, error, NULL);
      return FALSE;
    }
    self->ended = self->ended || message;
  }
  return TRUE;
}

/* Waits for POLL_INTERVAL, then updates `now`. Returns FALSE if no more frames can be expected. */
static gboolean
poll_pipelines(BenchMeter *self, GError **error) {
  const gboolean ended = self->ended;
  g_usleep(POLL_INTERVAL);
  if (!read_messages(self, error))
    return FALSE;
  g_mutex_lock(&self->lock);
  self->now = self->last;
  g_mutex_unlock(&self->lock);
  if (!ended && g_get_monotonic_time() - self->now.us < STALL_TIMEOUT)
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_DEVICE,
              "the stream %s after %" G_GUINT64_FORMAT " frames, of which %u only warm up",
              ended ? "ends" : "stalls", self->now.n_frames, self->schedule.n_warm);
  return FALSE;
}

/* Times an interval of at least `min_us`. If `min_us` is 0, the interval lasts until the end of the
 * stream. */
static gboolean
time_interval(BenchMeter *self, gint64 min_us, gdouble *us, guint *n_frames, GError **error) {
  const BenchProgress begin = self->now;
  while (self->now.us - begin.us < MAX(min_us, 1) || (min_us == 0 && !self->ended))
    if (!poll_pipelines(self, error))
      return FALSE;
  const guint64 n = self->now.n_frames - begin.n_frames;
  *us = (gdouble)(self->now.us - begin.us) / (gdouble)n;
  *n_frames += (guint)n;
  return TRUE;
}

gboolean
bench_meter_run(BenchMeter *self, BenchTime *time, GError **error) {
  const BenchSchedule *schedule = &self->schedule;
  const guint n_intervals = MAX(schedule->n_intervals, 1);
  const gint64 interval_us = MAX((gint64)(1000 * schedule->budget_ms / n_intervals), 1);
  gdouble us[BENCH_MAX_INTERVALS];
  guint n_frames = 0;
  g_mutex_lock(&self->lock);
  self->last.us = g_get_monotonic_time();
  g_mutex_unlock(&self->lock);
  do {
    if (!poll_pipelines(self, error))
      return FALSE;
  } while (self->now.n_cold > 0);
  for (guint i = 0; i < n_intervals; i++)
    if (!time_interval(self, schedule->n_intervals ? interval_us : 0, &us[i], &n_frames, error))
      return FALSE;
  *time = bench_summarize(us, n_intervals);
  time->n_frames = n_frames / n_intervals;
  return TRUE;
}
