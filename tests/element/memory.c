/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory.h"

#include <string.h>

GstStructure *
test_stats(GstElement *element) {
  GstStructure *stats;
  g_object_get(element, "stats", &stats, NULL);
  return stats;
}

gchar *
test_stats_string(GstElement *element, const gchar *field) {
  g_autoptr(GstStructure) stats = test_stats(element);
  return g_strdup(gst_structure_get_string(stats, field));
}

gboolean
test_is_on_cuda(GstHarness *h) {
  g_autofree gchar *backend = test_stats_string(h->element, "backend");
  return g_str_equal(backend, "cuda");
}

gchar *
test_caps_in_cuda(const gchar *caps) {
  return g_strconcat("video/x-raw(memory:CUDAMemory)", caps + strlen("video/x-raw"), NULL);
}

GstBufferPool *
test_offered_pool(GstHarness *h, const gchar *caps_text) {
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  g_autoptr(GstQuery) query = gst_query_new_allocation(caps, TRUE);
  GstBufferPool *pool = NULL;
  guint size, min, max;
  fail_unless(gst_pad_peer_query(h->srcpad, query));
  gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &min, &max);
  fail_unless(pool != NULL);
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, size, min, max);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  fail_unless(gst_buffer_pool_set_config(pool, config) && gst_buffer_pool_set_active(pool, TRUE));
  return pool;
}

GstBuffer *
test_move_to_pool(GstBufferPool *pool, const gchar *caps_text, GstBuffer *frame) {
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  GstVideoInfo info;
  GstVideoFrame from, to;
  GstBuffer *pooled;
  fail_unless(gst_video_info_from_caps(&info, caps));
  fail_unless_equals_int(gst_buffer_pool_acquire_buffer(pool, &pooled, NULL), GST_FLOW_OK);
  fail_unless(gst_video_frame_map(&from, &info, frame, GST_MAP_READ));
  fail_unless(gst_video_frame_map(&to, &info, pooled, GST_MAP_WRITE));
  gst_video_frame_copy(&to, &from);
  gst_video_frame_unmap(&to);
  gst_video_frame_unmap(&from);
  gst_buffer_copy_into(pooled, frame, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  gst_buffer_unref(frame);
  return pooled;
}

static gint n_programs;

static void
count_program(GstDebugCategory *category, GstDebugLevel level, const gchar *file,
              const gchar *function, gint line, GObject *object, GstDebugMessage *message,
              gpointer user_data) {
  if (g_str_has_prefix(gst_debug_message_get(message), "kernel "))
    g_atomic_int_inc(&n_programs);
}

void
test_programs_watch(void) {
  g_atomic_int_set(&n_programs, 0);
  gst_debug_remove_log_function(gst_debug_log_default);
  gst_debug_add_log_function(count_program, NULL, NULL);
  gst_debug_set_threshold_for_name("cudaconv", GST_LEVEL_INFO);
}

guint
test_programs_count(void) {
  gst_debug_unset_threshold_for_name("cudaconv");
  gst_debug_remove_log_function(count_program);
  gst_debug_add_log_function(gst_debug_log_default, NULL, NULL);
  return (guint)g_atomic_int_get(&n_programs);
}
