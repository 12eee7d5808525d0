/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Allocation queries in both directions, latency queries and caps queries. */

#include "memory.h"

#include <string.h>

#define WIDTH 17
#define HEIGHT 5

/* With stride=2 or 4 the frames on the two sides have different sizes. */
static const gchar *const filters[] = {"kernel=gaussian stride=1", "kernel=gaussian stride=2",
                                       "kernel=gaussian stride=4"};
static const guint filter_strides[] = {1, 2, 4};

GST_START_TEST(upstream_is_offered_video_meta) {
  g_autofree gchar *caps_text = test_caps("I420", WIDTH, HEIGHT);
  GstHarness *h = test_harness_new(filters[__i__], caps_text);
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  GstQuery *query = gst_query_new_allocation(caps, TRUE);
  fail_unless(gst_pad_peer_query(h->srcpad, query));
  fail_unless(gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL));
  for (guint i = 0; i < gst_query_get_n_allocation_pools(query); i++) {
    GstVideoInfo info;
    guint size, min, max;
    gst_video_info_from_caps(&info, caps);
    g_autoptr(GstBufferPool) pool = NULL;
    gst_query_parse_nth_allocation_pool(query, i, &pool, &size, &min, &max);
    fail_unless(size >= info.size, "the pool's buffers have %u bytes, less than %zu", size,
                info.size);
  }
  gst_query_unref(query);
  test_teardown(h);
}
GST_END_TEST;

/* Frames from the pool that the element proposes give the right result. */
GST_START_TEST(offered_pool_works) {
  g_autofree gchar *caps = test_caps("NV12", WIDTH, HEIGHT);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  GstBufferPool *pool = test_offered_pool(h, caps);
  for (guint n = 0; n < 5; n++) {
    GstBuffer *frame = test_frame_random(caps, n);
    GstBuffer *pooled = test_move_to_pool(pool, caps, gst_buffer_ref(frame));
    GstBuffer *expected = test_filter("kernel=gaussian", caps, frame);
    GstBuffer *result = test_push_pull(h, pooled);
    test_assert_same_frame(caps, result, expected, "pooled input");
    gst_buffer_unref(result);
    gst_buffer_unref(expected);
  }
  test_teardown(h);
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
}
GST_END_TEST;

/* If downstream does not support GstVideoMeta, output frames have the layout that the caps
 * imply. */
GST_START_TEST(default_layout_for_sinks_without_video_meta) {
  g_autofree gchar *caps_text = test_caps("I420", WIDTH, HEIGHT);
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, caps));
  GstBuffer *input = test_frame_random(caps_text, 1);
  GstBuffer *result = test_filter("kernel=identity", caps_text, gst_buffer_ref(input));
  fail_unless_equals_uint64(gst_buffer_get_size(result), info.size);
  GstVideoMeta *meta = gst_buffer_get_video_meta(result);
  if (meta)
    gst_buffer_remove_meta(result, (GstMeta *)meta);
  test_assert_same_frame(caps_text, result, input, "without its GstVideoMeta");
  gst_buffer_unref(result);
  gst_buffer_unref(input);
}
GST_END_TEST;

typedef struct {
  GstBufferPool *pool;
  GstCaps *caps;
  guint size;
} SinkPool;

static GstPadProbeReturn
propose_pool(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  SinkPool *sink = user_data;
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool(query, sink->pool, sink->size, 0, 0);
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
  return GST_PAD_PROBE_HANDLED;
}

/* Downstream proposes its own pool with padded frames, as a display or an encoder does. */
GST_START_TEST(downstream_pool_is_used) {
  const gchar *filter = filters[__i__];
  g_autofree gchar *caps_text = test_caps("I420", WIDTH, HEIGHT);
  g_autofree gchar *out_caps_text = test_caps_divided(caps_text, filter_strides[__i__]);
  g_autoptr(GstCaps) caps = gst_caps_from_string(out_caps_text);
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, caps));
  GstVideoAlignment align;
  gst_video_alignment_reset(&align);
  align.padding_left = 3;
  align.padding_right = 20;
  align.padding_top = 2;
  align.padding_bottom = 9;
  g_autoptr(GstBufferPool) pool = gst_video_buffer_pool_new();
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, (guint)info.size, 0, 0);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT);
  gst_buffer_pool_config_set_video_alignment(config, &align);
  fail_unless(gst_buffer_pool_set_config(pool, config));
  SinkPool sink = {.pool = pool, .caps = caps, .size = (guint)info.size};

  GstHarness *h = test_harness_new(filter, NULL);
  gst_pad_add_probe(h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH,
                    propose_pool, &sink, NULL);
  gst_harness_set_src_caps_str(h, caps_text);
  for (guint n = 0; n < 4; n++) {
    GstBuffer *expected = test_filter(filter, caps_text, test_frame_random(caps_text, n));
    GstBuffer *result = test_push_pull(h, test_frame_random(caps_text, n));
    fail_unless(result->pool == pool, "the frame is not from the sink's pool");
    test_assert_same_frame(out_caps_text, result, expected, "padded output");
    gst_buffer_unref(result);
    gst_buffer_unref(expected);
  }
  test_teardown(h);
}
GST_END_TEST;

/* The latency is that of upstream plus that of the frames in flight, which only a GPU has. */
GST_START_TEST(latency) {
  g_autofree gchar *caps = test_caps("GRAY8", WIDTH, HEIGHT);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  gst_harness_set_live(h, __i__);
  GstClockTime upstream = 10 * GST_MSECOND, frame = GST_SECOND / 30;
  gst_harness_set_upstream_latency(h, upstream);
  GstClockTime latency = gst_harness_query_latency(h);
  fail_unless(latency >= upstream, "%" GST_TIME_FORMAT, GST_TIME_ARGS(latency));
  fail_unless(latency <= upstream + 2 * frame, "%" GST_TIME_FORMAT, GST_TIME_ARGS(latency));
  if (g_str_equal(test_backend(), "cpu"))
    fail_unless_equals_uint64(latency, upstream);
  test_teardown(h);
}
GST_END_TEST;

/* In a live stream each frame comes out before the next is pushed. */
GST_START_TEST(live_frames_are_not_held) {
  g_autofree gchar *caps = test_caps("GRAY8", WIDTH, HEIGHT);
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  gst_harness_set_live(h, TRUE);
  gst_harness_set_src_caps_str(h, caps);
  for (guint i = 0; i < 10; i++) {
    fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, i)), GST_FLOW_OK);
    fail_unless_equals_int(gst_harness_buffers_received(h), i + 1);
  }
  test_teardown(h);
}
GST_END_TEST;

/* Caps fields pass through unchanged, except unsupported formats. */
GST_START_TEST(caps_pass_through) {
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  g_autoptr(GstCaps) filter = gst_caps_from_string(
      "video/x-raw,format=(string){RGBA,v210},width=[1,640],height=48,framerate=[0/1,60/1]");
  g_autoptr(GstCaps) result = gst_pad_peer_query_caps(h->srcpad, filter);
  g_autoptr(GstCaps) expected =
      gst_caps_from_string("video/x-raw,format=RGBA,width=[1,640],height=48,framerate=[0/1,60/1]");
  g_autofree gchar *text = gst_caps_to_string(result);
  fail_unless(gst_caps_can_intersect(result, expected), "%s", text);
  g_autoptr(GstCaps) unsupported = gst_caps_from_string("video/x-raw,format=v210");
  fail_if(gst_caps_can_intersect(result, unsupported), "%s", text);
  test_teardown(h);
}
GST_END_TEST;

GST_START_TEST(output_caps_are_the_input_caps) {
  static const gchar *const fields[] = {
      "colorimetry=bt709",          "colorimetry=1:4:7:1", "pixel-aspect-ratio=8/9",
      "interlace-mode=interleaved", "chroma-site=jpeg",    "multiview-mode=mono",
  };
  g_autofree gchar *caps_text = test_caps_with("I420", WIDTH, HEIGHT, fields[__i__]);
  GstHarness *h = test_harness_new("kernel=gaussian", caps_text);
  gst_buffer_unref(test_push_pull(h, test_frame_random(caps_text, 1)));
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  g_autoptr(GstCaps) out = gst_pad_get_current_caps(h->sinkpad);
  fail_unless(out && gst_caps_is_equal(caps, out), "%s", fields[__i__]);
  test_teardown(h);
}
GST_END_TEST;

/* --- the negotiated format --- */

typedef struct {
  const gchar *filter, *result;
} Order;

#define RAW(format) "video/x-raw, format=(string)" format
#define IN_CUDA(format) "video/x-raw(memory:CUDAMemory), format=(string)" format
#define SIZE(n) ", width=(int)" #n ", height=(int)" #n ", framerate=(fraction)30/1"

static const Order orders[] = {
    /* a list is sorted by cost */
    {RAW("{ ARGB64, GRAY8, RGBA, P010_10LE, Y444, NV12, I420 }") SIZE(8),
     RAW("{ I420, NV12, Y444, RGBA, GRAY8, P010_10LE, ARGB64 }") SIZE(8)},
    {RAW("{ NV12, ARGB64 }") SIZE(8), RAW("{ NV12, ARGB64 }") SIZE(8)},
    /* unsupported formats are removed */
    {RAW("{ ARGB64, v210, AYUV64, GRAY8 }") SIZE(8), RAW("{ GRAY8, ARGB64 }") SIZE(8)},
    {RAW("ARGB64") SIZE(8), RAW("ARGB64") SIZE(8)},
    /* structures that differ only in the format */
    {RAW("ARGB64") SIZE(8) "; " RAW("Y444") SIZE(8) "; " RAW("I420") SIZE(8),
     RAW("I420") SIZE(8) "; " RAW("Y444") SIZE(8) "; " RAW("ARGB64") SIZE(8)},
    {RAW("{ GRAY16_LE, RGB }") SIZE(8) "; " RAW("{ BGR, NV21 }") SIZE(8),
     RAW("{ NV21, BGR }") SIZE(8) "; " RAW("{ RGB, GRAY16_LE }") SIZE(8)},
    /* the order of sizes is kept */
    {RAW("Y444") SIZE(9) "; " RAW("I420") SIZE(8) "; " RAW("RGB") SIZE(8) "; " RAW("I420") SIZE(9),
     RAW("I420") SIZE(9) "; " RAW("I420") SIZE(8) "; " RAW("RGB") SIZE(8) "; " RAW("Y444") SIZE(9)},
    /* the order of memory features is kept */
    {IN_CUDA("{ Y444, I420 }") SIZE(8) "; " RAW("{ ARGB64, NV12 }") SIZE(8),
     IN_CUDA("{ I420, Y444 }") SIZE(8) "; " RAW("{ NV12, ARGB64 }") SIZE(8)},
    {RAW("{ ARGB64, NV12 }") SIZE(8) "; " IN_CUDA("{ Y444, I420 }") SIZE(8),
     RAW("{ NV12, ARGB64 }") SIZE(8) "; " IN_CUDA("{ I420, Y444 }") SIZE(8)},
};

/* On both pads the result contains the formats of the filter, sorted by cost. */
GST_START_TEST(formats_are_sorted_by_cost) {
  const Order *order = &orders[__i__];
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  GstPad *const pads[] = {h->srcpad, h->sinkpad};
  g_autoptr(GstCaps) filter = gst_caps_from_string(order->filter);
  g_autoptr(GstCaps) expected = gst_caps_from_string(order->result);
  const gboolean with_cuda = strstr(order->filter, "CUDA") != NULL;
  for (guint i = 0; i < G_N_ELEMENTS(pads) && (!with_cuda || test_is_on_cuda(h)); i++) {
    g_autoptr(GstCaps) result = gst_pad_peer_query_caps(pads[i], filter);
    g_autofree gchar *text = gst_caps_to_string(result);
    fail_unless(gst_caps_is_strictly_equal(result, expected), "pad %u: %s", i, text);
  }
  test_teardown(h);
}
GST_END_TEST;

typedef struct {
  const gchar *line, *format;
} Line;

/* In the first line the source offers its formats in the order of quality. */
static const Line lines[] = {
    {"videotestsrc num-buffers=1 ! cudaconv name=c ! fakesink", "I420"},
    {"videotestsrc num-buffers=1 ! cudaconv name=c ! videoconvert ! fakesink", "I420"},
    {"videotestsrc num-buffers=1 ! videoconvert ! cudaconv name=c ! videoconvert ! fakesink",
     "I420"},
    {"videotestsrc num-buffers=1 ! cudaconv name=c ! cudaconv ! fakesink", "I420"},
    {"videotestsrc num-buffers=1 ! cudaconv name=c ! video/x-raw,format={RGB,NV12} ! fakesink",
     "NV12"},
    /* a format fixed by a peer is kept, and so is the quality that a converter keeps */
    {"videotestsrc num-buffers=1 ! video/x-raw,format=ARGB64 ! cudaconv name=c ! fakesink",
     "ARGB64"},
    {"videotestsrc num-buffers=1 ! cudaconv name=c ! video/x-raw,format=P010_10LE ! fakesink",
     "P010_10LE"},
    {"videotestsrc num-buffers=1 ! video/x-raw,format=RGBA ! videoconvert ! cudaconv name=c ! "
     "fakesink",
     "RGBA"},
    {"videotestsrc num-buffers=1 ! video/x-raw,format=I420_12LE ! videoconvert ! cudaconv name=c ! "
     "fakesink",
     "I420_12LE"},
};

GST_START_TEST(negotiated_format) {
  const Line *line = &lines[__i__];
  GstElement *pipeline = gst_parse_launch(line->line, NULL);
  fail_unless(pipeline != NULL, "%s", line->line);
  GstElement *element = gst_bin_get_by_name(GST_BIN(pipeline), "c");
  gst_util_set_object_arg(G_OBJECT(element), "backend", test_backend());
  test_play_to_eos(pipeline, 30);
  g_autoptr(GstPad) pad = gst_element_get_static_pad(element, "src");
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  const gchar *format = gst_structure_get_string(gst_caps_get_structure(caps, 0), "format");
  fail_unless(g_str_equal(format, line->format), "%s: %s", line->line, format);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(element);
  gst_object_unref(pipeline);
}
GST_END_TEST;

static Suite *
negotiation_queries_suite(void) {
  Suite *suite = suite_create("negotiation-queries");
  TCase *tc = tcase_create("negotiation-queries");
  tcase_add_loop_test(tc, upstream_is_offered_video_meta, 0, G_N_ELEMENTS(filters));
  tcase_add_test(tc, offered_pool_works);
  tcase_add_test(tc, default_layout_for_sinks_without_video_meta);
  tcase_add_loop_test(tc, downstream_pool_is_used, 0, G_N_ELEMENTS(filters));
  tcase_add_loop_test(tc, latency, FALSE, TRUE + 1);
  tcase_add_test(tc, live_frames_are_not_held);
  tcase_add_test(tc, caps_pass_through);
  tcase_add_loop_test(tc, output_caps_are_the_input_caps, 0, 6);
  tcase_add_loop_test(tc, formats_are_sorted_by_cost, 0, G_N_ELEMENTS(orders));
  tcase_add_loop_test(tc, negotiated_format, 0, G_N_ELEMENTS(lines));
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(negotiation_queries)
