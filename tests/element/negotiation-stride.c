/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* With stride=2 or 4 the output is smaller than the input. The tests cover caps and queries in both
 * directions, changes of the stride during a stream, and coordinates in metas and events. pixels.c
 * checks the pixels. */

#include "common.h"

#include "engine/shared.h"

#include <gst/controller/controller.h>
#include <gst/video/navigation.h>
#include <string.h>

static const guint strides[] = {1, 2, 4};

/* --- caps --- */

typedef struct {
  guint stride;
  const gchar *width; /* widths of one pad */
  const gchar *other; /* expected widths of the other pad; NULL: linking fails */
} WidthCase;

/* from the sink pad to the source pad */
static const WidthCase to_source[] = {
    {1, "63", "63"},
    {1, "[1,640]", "[1,640]"},
    {2, "64", "32"},
    {2, "63", "32"},
    {2, "1", "1"},
    {2, "[1,640]", "[1,320]"},
    {2, "[3,641]", "[2,321]"},
    {2, "[63,64]", "32"},
    {2, "{63,64,128}", "{32,64}"},
    {2, "{1,[5,8]}", "{1,[3,4]}"},
    {2, "2147483647", "1073741824"},
    {4, "64", "16"},
    {4, "65", "17"},
    {4, "3", "1"},
    {4, "[1,2147483647]", "[1,536870912]"},
};

static const WidthCase to_sink[] = {
    {1, "63", "63"},
    {1, "{32,64}", "{32,64}"},
    {2, "32", "[63,64]"},
    {2, "1", "[1,2]"},
    {2, "[16,320]", "[31,640]"},
    {2, "{16,320}", "{[31,32],[639,640]}"},
    {2, "[1,2147483647]", "[1,2147483647]"},
    {2, "1073741824", "2147483647"},
    {2, "1073741825", NULL},
    {2, "{16,1073741825}", "[31,32]"},
    {4, "1", "[1,4]"},
    {4, "32", "[125,128]"},
    {4, "536870912", "[2147483645,2147483647]"},
    {4, "536870913", NULL},
};

/* Checks the widths in the caps of one pad while the other pad is linked to a capsfilter. */
static void
assert_widths(const WidthCase *c, const gchar *pad_name) {
  g_autofree gchar *filter =
      g_strdup_printf("capsfilter caps=video/x-raw,height=[1,8],width=%s", c->width);
  g_autofree gchar *element_text = g_strdup_printf("cudaconv name=c stride=%u", c->stride);
  const gboolean filter_first = g_str_equal(pad_name, "src");
  g_autofree gchar *line = g_strdup_printf("%s ! %s", filter_first ? filter : element_text,
                                           filter_first ? element_text : filter);
  g_autoptr(GError) error = NULL;
  GstElement *bin = gst_parse_launch_full(line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (!c->other) {
    fail_unless(!bin && strstr(error->message, "could not link"), "%s", line);
    return;
  }
  fail_unless(error == NULL, "%s: %s", line, error ? error->message : "");
  gst_object_ref_sink(bin);
  GstElement *element = gst_bin_get_by_name(GST_BIN(bin), "c");
  GstPad *pad = gst_element_get_static_pad(element, pad_name);
  g_autoptr(GstCaps) caps = gst_pad_query_caps(pad, NULL);
  g_autofree gchar *text = gst_caps_to_string(caps);
  g_autofree gchar *wanted_text = g_strdup_printf("x, width=%s", c->other);
  g_autoptr(GstStructure) wanted = gst_structure_from_string(wanted_text, NULL);
  /* the base class adds structures in front, for widths that need no scaling */
  const GstStructure *last = gst_caps_get_structure(caps, gst_caps_get_size(caps) - 1);
  g_autofree gchar *width = gst_value_serialize(gst_structure_get_value(last, "width"));
  g_autofree gchar *other = gst_value_serialize(gst_structure_get_value(wanted, "width"));
  fail_unless(g_str_equal(width, other), "%s: %s, not %s", line, text, c->other);
  gst_object_unref(pad);
  gst_object_unref(element);
  gst_object_unref(bin);
}

GST_START_TEST(sizes_of_the_output) {
  assert_widths(&to_source[__i__], "src");
}
GST_END_TEST;

GST_START_TEST(sizes_of_the_input) {
  assert_widths(&to_sink[__i__], "sink");
}
GST_END_TEST;

/* Only the size changes between input caps and output caps. */
GST_START_TEST(only_the_size_changes) {
  static const gchar fields[] = "colorimetry=(string)1:4:7:1,pixel-aspect-ratio=(fraction)8/9,"
                                "interlace-mode=(string)progressive,chroma-site=(string)jpeg";
  static const gint sizes[][2] = {{1, 1}, {2, 3}, {63, 47}, {64, 48}};
  for (guint i = 0; i < G_N_ELEMENTS(strides); i++)
    for (guint s = 0; s < G_N_ELEMENTS(sizes); s++) {
      g_autofree gchar *properties = g_strdup_printf("kernel=gaussian stride=%u", strides[i]);
      g_autofree gchar *in = test_caps_with("I420", sizes[s][0], sizes[s][1], fields);
      g_autofree gchar *out = test_caps_divided(in, strides[i]);
      g_autoptr(GstCaps) wanted = gst_caps_from_string(out);
      GstHarness *h = test_harness_new(properties, in);
      gst_buffer_unref(test_push_pull(h, test_frame_random(in, 1)));
      g_autoptr(GstCaps) caps = gst_pad_get_current_caps(h->sinkpad);
      g_autofree gchar *text = gst_caps_to_string(caps);
      fail_unless(gst_caps_is_equal(caps, wanted), "stride %u, %s: %s", strides[i], in, text);
      test_teardown(h);
    }
}
GST_END_TEST;

/* Upstream is asked for a size that gives the output size that downstream requires. */
GST_START_TEST(fixed_output_size) {
  const guint stride = strides[__i__];
  g_autofree gchar *line = g_strdup_printf(
      "videotestsrc num-buffers=3 ! cudaconv backend=%s stride=%u ! "
      "video/x-raw,format=I420,width=80,height=61 ! fakesink name=sink enable-last-sample=true",
      test_backend(), stride);
  GstElement *pipeline = gst_parse_launch(line, NULL);
  test_play_to_eos(pipeline, 10);
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_autoptr(GstSample) sample = NULL;
  g_object_get(sink, "last-sample", &sample, NULL);
  GstVideoInfo info;
  fail_unless(sample && gst_video_info_from_caps(&info, gst_sample_get_caps(sample)));
  fail_unless_equals_int(info.width, 80);
  fail_unless_equals_int(info.height, 61);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}
GST_END_TEST;

/* If the sizes do not fit together, the stream ends as with any element: not negotiated. */
GST_START_TEST(impossible_output_size) {
  g_autofree gchar *caps = test_caps("GRAY8", 64, 48);
  GstHarness *h = test_harness_new("kernel=gaussian stride=2", NULL);
  gst_harness_set_sink_caps_str(h, caps);
  gst_harness_set_src_caps_str(h, caps);
  fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 1)), GST_FLOW_NOT_NEGOTIATED);
  fail_unless_equals_int(gst_harness_buffers_received(h), 0);
  guint n;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR, &n);
  fail_unless(n == 0, "errors of the element: %s", text);

  /* with the right size the stream runs after all */
  g_autofree gchar *larger = test_caps("GRAY8", 128, 96);
  gst_harness_set_src_caps_str(h, larger);
  gst_buffer_unref(test_push_pull(h, test_frame_random(larger, 1)));
  test_teardown(h);
}
GST_END_TEST;

/* Before GStreamer 1.24.4 CUDA memory cannot hold I420 of odd height, so the output is in system
 * memory then. The height of the first stream's output is even. */
GST_START_TEST(odd_height_and_cuda_memory) {
  guint major, minor, micro, nano;
  gst_version(&major, &minor, &micro, &nano);
  const gboolean can_hold_odd_heights = major > 1 || minor > 24 || (minor == 24 && micro >= 4);
  const gboolean on_cuda = g_str_equal(test_backend(), "cuda");
  for (gint height = 36; on_cuda && height >= 34; height -= 2) {
    g_autofree gchar *caps = g_strdup_printf(
        "video/x-raw(memory:CUDAMemory),format=I420,width=66,height=%d,framerate=30/1", height);
    GstHarness *h = test_harness_new("stride=2", NULL);
    gst_harness_set_sink_caps_str(h, "video/x-raw(memory:CUDAMemory);video/x-raw");
    gst_harness_set_src_caps_str(h, caps);
    g_autoptr(GstCaps) out = gst_pad_get_current_caps(h->sinkpad);
    fail_unless(out != NULL);
    const gboolean in_cuda =
        gst_caps_features_contains(gst_caps_get_features(out, 0), "memory:CUDAMemory");
    fail_unless(in_cuda == (can_hold_odd_heights || height == 36), "%d", height);
    test_teardown(h);
  }
}
GST_END_TEST;

GST_START_TEST(accept_caps) {
  static const struct {
    const gchar *pad, *caps;
    gboolean accepted;
  } rows[] = {
      {"sink", "video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1", TRUE},
      {"sink", "video/x-raw,format=GRAY8,width=1,height=1,framerate=30/1", TRUE},
      {"sink", "video/x-raw,format=v210,width=64,height=48,framerate=30/1", FALSE},
      {"src", "video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1", TRUE},
      {"src", "video/x-raw,format=GRAY8,width=1073741825,height=48,framerate=30/1", FALSE},
  };
  GstElement *element = test_element_new("stride=2");
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    GstPad *pad = gst_element_get_static_pad(element, rows[i].pad);
    g_autoptr(GstCaps) caps = gst_caps_from_string(rows[i].caps);
    fail_unless(gst_pad_query_accept_caps(pad, caps) == rows[i].accepted, "%s: %s", rows[i].pad,
                rows[i].caps);
    gst_object_unref(pad);
  }
  gst_object_unref(element);
}
GST_END_TEST;

/* --- changes --- */

static void
set_stride(GstHarness *h, guint stride) {
  g_object_set(h->element, "stride", (gint)stride, NULL);
}

/* Checks that the size of each output frame is that of the caps before it. */
static GstPadProbeReturn
check_size(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  GPtrArray *seen = user_data;
  GstVideoInfo video;
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  fail_unless(caps && gst_video_info_from_caps(&video, caps));
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  fail_unless_equals_uint64(gst_buffer_get_size(buffer), video.size);
  fail_unless(!meta || (meta->width == (guint)video.width && meta->height == (guint)video.height));
  g_ptr_array_add(seen, gst_caps_to_string(caps));
  return GST_PAD_PROBE_OK;
}

/* Collects the caps of each output frame. */
static GPtrArray *
watch_sizes(GstHarness *h) {
  GPtrArray *seen = g_ptr_array_new_with_free_func(g_free);
  gst_pad_add_probe(h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, check_size, seen, NULL);
  return seen;
}

/* The n-th output frame must equal the result of an element with this stride for test frame n. */
static void
assert_frame(GstHarness *h, GPtrArray *seen, const gchar *caps, guint n, guint stride) {
  g_autofree gchar *out_text = test_caps_divided(caps, stride);
  g_autofree gchar *properties = g_strdup_printf("kernel=gaussian stride=%u", stride);
  g_autoptr(GstCaps) wanted = gst_caps_from_string(out_text);
  g_autoptr(GstCaps) caps_then = gst_caps_from_string(g_ptr_array_index(seen, n));
  fail_unless(gst_caps_is_equal(wanted, caps_then), "frame %u has %s, not %s", n,
              (gchar *)g_ptr_array_index(seen, n), out_text);
  GstBuffer *expected = test_filter(properties, caps, test_frame_random(caps, n));
  GstBuffer *result = gst_harness_pull(h);
  test_assert_same_frame(out_text, result, expected, properties);
  gst_buffer_unref(result);
  gst_buffer_unref(expected);
}

static const guint sequence[] = {1, 2, 2, 4, 1, 4, 2, 1, 1, 4};

GST_START_TEST(change_while_playing) {
  static const gchar *const formats[] = {"GRAY8", "I420", "NV12", "RGBA", "GRAY16_LE"};
  g_autofree gchar *caps = test_caps(formats[__i__], 63, 47);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  g_autoptr(GPtrArray) seen = watch_sizes(h);
  for (guint i = 0; i < G_N_ELEMENTS(sequence); i++) {
    set_stride(h, sequence[i]);
    for (guint n = 0; n < 2; n++)
      fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 2 * i + n)), GST_FLOW_OK);
  }
  test_drain(h);
  fail_unless_equals_int(gst_harness_buffers_received(h), 2 * G_N_ELEMENTS(sequence));
  for (guint i = 0; i < G_N_ELEMENTS(sequence); i++)
    for (guint n = 0; n < 2; n++)
      assert_frame(h, seen, caps, 2 * i + n, sequence[i]);
  guint n;
  g_autofree gchar *text =
      test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR | GST_MESSAGE_WARNING, &n);
  fail_unless(n == 0, "%s", text);
  test_teardown(h);
}
GST_END_TEST;

/* In a live stream each frame comes out before the next is pushed, with its own size. */
GST_START_TEST(change_in_a_live_stream) {
  g_autofree gchar *caps = test_caps("I420", 63, 47);
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  g_autoptr(GPtrArray) seen = watch_sizes(h);
  gst_harness_set_live(h, TRUE);
  gst_harness_set_src_caps_str(h, caps);
  for (guint i = 0; i < G_N_ELEMENTS(sequence); i++) {
    set_stride(h, sequence[i]);
    fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, i)), GST_FLOW_OK);
    fail_unless_equals_int(gst_harness_buffers_received(h), i + 1);
    assert_frame(h, seen, caps, i, sequence[i]);
  }
  test_teardown(h);
}
GST_END_TEST;

/* Frames in flight come out when a change, a serialized event, new caps or EOS comes. */
GST_START_TEST(change_with_frames_in_flight) {
  g_autofree gchar *caps = test_caps("NV12", 63, 47);
  g_autofree gchar *other_caps = test_caps("NV12", 33, 17);
  GstHarness *h = test_harness_new("kernel=gaussian stride=4", caps);
  g_autoptr(GPtrArray) seen = watch_sizes(h);
  fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 0)), GST_FLOW_OK);
  set_stride(h, 2);
  fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 1)), GST_FLOW_OK);
  set_stride(h, 1);
  fail_unless(gst_harness_push_event(h, test_serialized_event()));
  fail_unless_equals_int(gst_harness_buffers_received(h), 2);
  /* the stride was set before these caps, so it applies to their frames */
  gst_harness_set_src_caps_str(h, other_caps);
  fail_unless_equals_int(gst_harness_push(h, test_frame_random(other_caps, 2)), GST_FLOW_OK);
  set_stride(h, 4);
  test_drain(h);
  fail_unless_equals_int(gst_harness_buffers_received(h), 3);
  assert_frame(h, seen, caps, 0, 4);
  assert_frame(h, seen, caps, 1, 2);
  assert_frame(h, seen, other_caps, 2, 1);
  test_teardown(h);
}
GST_END_TEST;

/* If the same caps come again, the base class does not negotiate. A new stride must still take
 * effect. */
GST_START_TEST(change_before_the_same_caps) {
  g_autofree gchar *caps = test_caps("GRAY8", 63, 47);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  g_autoptr(GPtrArray) seen = watch_sizes(h);
  static const guint order[] = {1, 2, 4, 1};
  for (guint i = 0; i < G_N_ELEMENTS(order); i++) {
    set_stride(h, order[i]);
    g_autoptr(GstCaps) same = gst_caps_from_string(caps);
    fail_unless(gst_harness_push_event(h, gst_event_new_caps(same)));
    fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, i)), GST_FLOW_OK);
  }
  test_drain(h);
  for (guint i = 0; i < G_N_ELEMENTS(order); i++)
    assert_frame(h, seen, caps, i, order[i]);
  test_teardown(h);
}
GST_END_TEST;

/* If the size stays the same, the caps do too. The new stride must still take effect. */
GST_START_TEST(change_that_keeps_the_size) {
  g_autofree gchar *caps = test_caps("GRAY8", 1, 1);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  for (guint i = 0; i < G_N_ELEMENTS(strides); i++) {
    set_stride(h, strides[i]);
    GstBuffer *result = test_push_pull(h, test_frame_flat(caps, 77));
    guint8 byte;
    gst_buffer_extract(result, 0, &byte, 1);
    fail_unless_equals_int(byte, 77);
    gst_buffer_unref(result);
    g_autoptr(GstStructure) stats = NULL;
    g_object_get(h->element, "stats", &stats, NULL);
    const gchar *plan = gst_structure_get_string(stats, "plan");
    g_autofree gchar *wanted = g_strdup_printf("stride %u", strides[i]);
    fail_unless(strides[i] == 1 || strstr(plan, wanted), "%s", plan);
  }
  test_teardown(h);
}
GST_END_TEST;

/* If downstream refuses the new size, one warning is posted and the frames keep their size. */
GST_START_TEST(change_that_downstream_refuses) {
  g_autofree gchar *caps = test_caps("GRAY8", 64, 48);
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  g_autoptr(GPtrArray) seen = watch_sizes(h);
  gst_harness_set_sink_caps_str(h, caps);
  gst_harness_set_src_caps_str(h, caps);
  fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 0)), GST_FLOW_OK);
  set_stride(h, 2);
  for (guint i = 1; i < 4; i++)
    fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, i)), GST_FLOW_OK);
  gint stride;
  g_object_get(h->element, "stride", &stride, NULL);
  fail_unless_equals_int(stride, 1);
  guint n;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_WARNING, &n);
  fail_unless(n == 1 && strstr(text, "stride=2: frames would be 32x24") &&
                  strstr(text, "The filter is unchanged."),
              "%u: %s", n, text);
  /* a change of another property must not bring the refused stride back */
  g_object_set(h->element, "border-value", 0.5, NULL);
  fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 4)), GST_FLOW_OK);
  test_drain(h);
  fail_unless_equals_int(gst_harness_buffers_received(h), 5);
  for (guint i = 0; i < 5; i++)
    assert_frame(h, seen, caps, i, 1);
  g_autofree gchar *none =
      test_bus_take(test_harness_bus(h), GST_MESSAGE_WARNING | GST_MESSAGE_ERROR, &n);
  fail_unless(n == 0, "%s", none);
  test_teardown(h);
}
GST_END_TEST;

/* If the stride is set together with a refused value, both are reset. */
GST_START_TEST(change_with_a_refused_value) {
  g_autofree gchar *caps = test_caps("GRAY8", 64, 48);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  g_autoptr(GPtrArray) seen = watch_sizes(h);
  fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 0)), GST_FLOW_OK);
  g_object_set(h->element, "stride", 2, "response", CC_RESPONSE_DIRECTION, NULL);
  fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 1)), GST_FLOW_OK);
  gint stride;
  g_object_get(h->element, "stride", &stride, NULL);
  fail_unless_equals_int(stride, 1);
  g_object_set(h->element, "stride", 2, NULL);
  fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 2)), GST_FLOW_OK);
  test_drain(h);
  assert_frame(h, seen, caps, 0, 1);
  assert_frame(h, seen, caps, 1, 1);
  assert_frame(h, seen, caps, 2, 2);
  guint n;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_WARNING, &n);
  fail_unless(n == 1 && strstr(text, "response=direction"), "%u: %s", n, text);
  test_teardown(h);
}
GST_END_TEST;

typedef struct {
  GstElement *element;
  gint stop; /* atomic */
} Changer;

static gpointer
change_strides(gpointer user_data) {
  Changer *changer = user_data;
  for (guint i = 0; !g_atomic_int_get(&changer->stop); i++)
    g_object_set(changer->element, "stride", (gint)strides[i % G_N_ELEMENTS(strides)], NULL);
  return NULL;
}

GST_START_TEST(change_from_another_thread) {
  const guint frames = test_is_instrumented() ? 50 : 300;
  g_autofree gchar *caps = test_caps("I420", 33, 17);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  g_autoptr(GPtrArray) seen = watch_sizes(h);
  Changer changer = {.element = h->element};
  GThread *thread = g_thread_new("changer", change_strides, &changer);
  for (guint n = 0; n < frames; n++)
    fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, n)), GST_FLOW_OK);
  g_atomic_int_set(&changer.stop, TRUE);
  g_thread_join(thread);
  test_drain(h);
  fail_unless_equals_int(gst_harness_buffers_received(h), frames);
  for (guint n = 0; n < frames; n++) {
    g_autoptr(GstCaps) caps_then = gst_caps_from_string(g_ptr_array_index(seen, n));
    gint width = 0;
    gst_structure_get_int(gst_caps_get_structure(caps_then, 0), "width", &width);
    assert_frame(h, seen, caps, n, width == 33 ? 1 : width == 17 ? 2 : 4);
  }
  test_teardown(h);
}
GST_END_TEST;

GST_START_TEST(change_by_a_controller) {
  g_autofree gchar *caps = test_caps("GRAY8", 64, 48);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  g_autoptr(GPtrArray) seen = watch_sizes(h);
  GstControlSource *source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(strides); i++)
    fail_unless(gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source),
                                                   i * GST_SECOND, strides[i]));
  fail_unless(gst_object_add_control_binding(
      GST_OBJECT(h->element),
      gst_direct_control_binding_new_absolute(GST_OBJECT(h->element), "stride", source)));
  gst_object_unref(source);
  for (guint i = 0; i < 6; i++) {
    GstBuffer *buffer = test_frame_random(caps, i);
    GST_BUFFER_PTS(buffer) = i * GST_SECOND / 2;
    fail_unless_equals_int(gst_harness_push(h, buffer), GST_FLOW_OK);
  }
  test_drain(h);
  for (guint i = 0; i < 6; i++)
    assert_frame(h, seen, caps, i, strides[i / 2]);
  test_teardown(h);
}
GST_END_TEST;

/* --- coordinates --- */

GST_START_TEST(metas_are_scaled) {
  static const gchar *const bound_to_size[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
                                               NULL};
  const guint stride = strides[__i__];
  g_autofree gchar *properties = g_strdup_printf("kernel=gaussian stride=%u", stride);
  g_autofree gchar *caps = test_caps("I420", 64, 48);
  if (!gst_meta_get_info("CudaconvTestBoundToSize"))
    gst_meta_register_custom("CudaconvTestBoundToSize", (const gchar **)bound_to_size, NULL, NULL,
                             NULL);
  GstBuffer *buffer = test_frame_random(caps, 1);
  gst_buffer_add_video_region_of_interest_meta(buffer, "face", 16, 8, 32, 24)->id = 7;
  gst_buffer_add_custom_meta(buffer, "CudaconvTestBoundToSize");
  gst_buffer_add_video_time_code_meta_full(buffer, 30, 1, NULL, 0, 1, 2, 3, 4, 0);

  GstBuffer *result = test_filter(properties, caps, buffer);
  const GstVideoRegionOfInterestMeta *roi =
      gst_buffer_get_video_region_of_interest_meta_id(result, 7);
  fail_unless(roi != NULL);
  fail_unless_equals_int(roi->x, 16 / stride);
  fail_unless_equals_int(roi->y, 8 / stride);
  fail_unless_equals_int(roi->w, 32 / stride);
  fail_unless_equals_int(roi->h, 24 / stride);
  /* a meta that cannot be scaled is dropped */
  fail_unless((gst_buffer_get_custom_meta(result, "CudaconvTestBoundToSize") != NULL) ==
              (stride == 1));
  fail_unless(gst_buffer_get_video_time_code_meta(result) != NULL);
  gst_buffer_unref(result);
}
GST_END_TEST;

GST_START_TEST(crop_meta_is_scaled) {
  const guint stride = strides[__i__];
  g_autofree gchar *properties = g_strdup_printf("kernel=gaussian stride=%u", stride);
  g_autofree gchar *caps = test_caps("GRAY8", 64, 48);
  GstBuffer *buffer = test_frame_random(caps, 1);
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta(buffer);
  crop->x = 8;
  crop->y = 4;
  crop->width = 32;
  crop->height = 40;
  GstBuffer *result = test_filter(properties, caps, buffer);
  crop = gst_buffer_get_video_crop_meta(result);
  fail_unless(crop != NULL, "the crop is lost");
  fail_unless_equals_int(crop->x, 8 / stride);
  fail_unless_equals_int(crop->y, 4 / stride);
  fail_unless_equals_int(crop->width, 32 / stride);
  fail_unless_equals_int(crop->height, 40 / stride);
  gst_buffer_unref(result);
}
GST_END_TEST;

/* A click on the output becomes a click on the same point of the input. */
GST_START_TEST(navigation_events_are_scaled) {
  const guint stride = strides[__i__];
  g_autofree gchar *properties = g_strdup_printf("kernel=gaussian stride=%u", stride);
  g_autofree gchar *caps = test_caps("GRAY8", 64, 48);
  GstHarness *h = test_harness_new(properties, caps);
  gst_buffer_unref(test_push_pull(h, test_frame_random(caps, 1)));
  GstStructure *click = gst_structure_new(
      "application/x-gst-navigation", "event", G_TYPE_STRING, "mouse-button-press", "button",
      G_TYPE_INT, 1, "pointer_x", G_TYPE_DOUBLE, 10.5, "pointer_y", G_TYPE_DOUBLE, 7.0, NULL);
  fail_unless(gst_harness_push_upstream_event(h, gst_event_new_navigation(click)));
  GstEvent *event;
  gboolean seen = FALSE;
  while ((event = gst_harness_try_pull_upstream_event(h))) {
    gint button;
    gdouble x, y;
    if (GST_EVENT_TYPE(event) == GST_EVENT_NAVIGATION) {
      fail_unless(gst_navigation_event_parse_mouse_button_event(event, &button, &x, &y));
      fail_unless(button == 1 && x == 10.5 * stride && y == 7.0 * stride, "%d, %g, %g", button, x,
                  y);
      seen = TRUE;
    }
    gst_event_unref(event);
  }
  fail_unless(seen);
  test_teardown(h);
}
GST_END_TEST;

static Suite *
negotiation_stride_suite(void) {
  Suite *suite = suite_create("negotiation-stride");
  TCase *tc = tcase_create("negotiation-stride");
  tcase_add_loop_test(tc, sizes_of_the_output, 0, G_N_ELEMENTS(to_source));
  tcase_add_loop_test(tc, sizes_of_the_input, 0, G_N_ELEMENTS(to_sink));
  tcase_add_test(tc, only_the_size_changes);
  tcase_add_loop_test(tc, fixed_output_size, 0, G_N_ELEMENTS(strides));
  tcase_add_test(tc, impossible_output_size);
  tcase_add_test(tc, odd_height_and_cuda_memory);
  tcase_add_test(tc, accept_caps);
  tcase_add_loop_test(tc, change_while_playing, 0, 5);
  tcase_add_test(tc, change_in_a_live_stream);
  tcase_add_test(tc, change_with_frames_in_flight);
  tcase_add_test(tc, change_before_the_same_caps);
  tcase_add_test(tc, change_that_keeps_the_size);
  tcase_add_test(tc, change_that_downstream_refuses);
  tcase_add_test(tc, change_with_a_refused_value);
  tcase_add_test(tc, change_from_another_thread);
  tcase_add_test(tc, change_by_a_controller);
  tcase_add_loop_test(tc, metas_are_scaled, 0, G_N_ELEMENTS(strides));
  tcase_add_loop_test(tc, crop_meta_is_scaled, 0, G_N_ELEMENTS(strides));
  tcase_add_loop_test(tc, navigation_events_are_scaled, 0, G_N_ELEMENTS(strides));
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(negotiation_stride)
