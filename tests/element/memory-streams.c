/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CUDA memory with a stream, which GStreamer has since 1.24. When the element maps such memory,
 * copies from and to the CPU are only enqueued on that stream, so the element's own work must wait
 * for them. */

#include "cudacontext.h"

#include <gst/cuda/gstcuda.h>

#define FORMAT "NV12"
#define WIDTH 322
#define HEIGHT 240
#define FRAMES 5

/* A pool in the element's context whose memory has a stream. The pool is not active. */
static GstBufferPool *
pool_with_stream(GstElement *element, const gchar *caps_text) {
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  GstCudaContext *context = test_context(element);
  GstCudaStream *stream = gst_cuda_stream_new(context);
  GstBufferPool *pool = gst_cuda_buffer_pool_new(context);
  GstStructure *config = gst_buffer_pool_get_config(pool);
  fail_unless(stream != NULL);
  gst_buffer_pool_config_set_params(config, caps, WIDTH * HEIGHT * 3 / 2, 0, 0);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_config_set_cuda_stream(config, stream);
  fail_unless(gst_buffer_pool_set_config(pool, config));
  gst_cuda_stream_unref(stream);
  gst_object_unref(context);
  return pool;
}

static void
assert_has_stream(GstBuffer *buffer) {
  GstMemory *memory = gst_buffer_peek_memory(buffer, 0);
  fail_unless(gst_is_cuda_memory(memory));
  fail_unless(gst_cuda_memory_get_stream(GST_CUDA_MEMORY_CAST(memory)) != NULL);
}

/* Filters `frame` (taken), compares the result and returns it. */
static GstBuffer *
filter(GstHarness *h, const gchar *caps, GstBuffer *frame, guint seed) {
  GstBuffer *expected = test_filter("kernel=gaussian", caps, test_frame_random(caps, seed));
  GstBuffer *result = test_push_pull(h, frame);
  test_assert_same_frame(caps, result, expected, "a frame with a stream");
  gst_buffer_unref(expected);
  return result;
}

GST_START_TEST(input) {
  g_autofree gchar *caps = test_caps(FORMAT, WIDTH, HEIGHT);
  g_autofree gchar *caps_in_cuda = test_caps_in_cuda(caps);
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  gst_harness_set_sink_caps_str(h, caps);
  gst_harness_set_src_caps_str(h, caps_in_cuda);
  g_autoptr(GstBufferPool) pool = pool_with_stream(h->element, caps_in_cuda);
  fail_unless(gst_buffer_pool_set_active(pool, TRUE));
  for (guint i = 0; i < FRAMES; i++) {
    GstBuffer *frame = test_move_to_pool(pool, caps, test_frame_random(caps, i));
    assert_has_stream(frame);
    gst_buffer_unref(filter(h, caps, frame, i));
  }
  test_teardown(h);
  gst_buffer_pool_set_active(pool, FALSE);
}
GST_END_TEST;

static GstPadProbeReturn
offer_pool(GstPad *pad, GstPadProbeInfo *info, gpointer pool) {
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool(query, pool, WIDTH * HEIGHT * 3 / 2, 0, 0);
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
  return GST_PAD_PROBE_HANDLED;
}

/* Writes with the CPU into the pool's buffers. When the element maps such a buffer, a copy to the
 * device is enqueued on the buffer's stream. */
static void
scribble(GstBufferPool *pool) {
  GstBuffer *buffer[FRAMES];
  for (guint i = 0; i < FRAMES; i++) {
    fail_unless_equals_int(gst_buffer_pool_acquire_buffer(pool, &buffer[i], NULL), GST_FLOW_OK);
    gst_buffer_memset(buffer[i], 0, 0x55, gst_buffer_get_size(buffer[i]));
  }
  for (guint i = 0; i < FRAMES; i++)
    gst_buffer_unref(buffer[i]);
}

/* The element's own CUDA memory has no stream, but downstream's pool may have one. */
GST_START_TEST(output) {
  g_autofree gchar *caps = test_caps(FORMAT, WIDTH, HEIGHT);
  g_autofree gchar *caps_in_cuda = test_caps_in_cuda(caps);
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  g_autoptr(GstBufferPool) pool = pool_with_stream(h->element, caps_in_cuda);
  gst_pad_add_probe(h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, offer_pool, pool, NULL);
  gst_harness_set_sink_caps_str(h, caps);
  gst_harness_set_src_caps_str(h, caps);
  for (guint i = 0; i < FRAMES; i++) {
    GstBuffer *result = filter(h, caps, test_frame_random(caps, i), i);
    assert_has_stream(result);
    gst_buffer_unref(result);
    scribble(pool);
  }
  test_teardown(h);
}
GST_END_TEST;

static Suite *
memory_streams_suite(void) {
  Suite *suite = suite_create("memory-streams");
  TCase *tc = tcase_create("memory-streams");
  tcase_add_test(tc, input);
  tcase_add_test(tc, output);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(memory_streams)
