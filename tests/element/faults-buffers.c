/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Buffers too small for their caps, metas that contradict caps or memory, and caps too large for
 * any memory. Each ends with one error, without access outside of the memory. */

#include "common.h"

#define WIDTH 64
#define HEIGHT 48

/* Pushes the buffer into a running stream and expects one error. */
static void
assert_refused(const gchar *caps, GstBuffer *buffer, const gchar *what) {
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  gst_buffer_unref(test_push_pull(h, test_frame_random(caps, 1)));
  GstBus *bus = test_harness_bus(h);
  GstFlowReturn flow = gst_harness_push(h, buffer);
  fail_unless(flow == GST_FLOW_ERROR, "%s: %s", what, gst_flow_get_name(flow));
  guint n;
  g_autofree gchar *text = test_bus_take(bus, GST_MESSAGE_ERROR, &n);
  fail_unless(n == 1, "%s: %u errors: %s", what, n, text);
  GST_INFO("%s: %s", what, text);
  fail_unless_equals_int(gst_harness_buffers_in_queue(h), 0);
  test_teardown(h);
}

GST_START_TEST(buffer_smaller_than_its_caps) {
  static const gchar *const formats[] = {"GRAY8", "I420", "NV12", "RGBA", "I420_10LE", "ARGB64"};
  g_autofree gchar *caps = test_caps(formats[__i__], WIDTH, HEIGHT);
  GstBuffer *whole = test_frame_flat(caps, 0);
  gsize size = gst_buffer_get_size(whole);
  const gsize sizes[] = {0, 1, 100, size / 2, size - 1};
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_autofree gchar *what = g_strdup_printf("%s of %zu bytes", formats[__i__], sizes[i]);
    GstBuffer *buffer = sizes[i] ? gst_buffer_new_allocate(NULL, sizes[i], NULL) : gst_buffer_new();
    if (sizes[i])
      gst_buffer_memset(buffer, 0, 0, sizes[i]);
    assert_refused(caps, buffer, what);
  }
  gst_buffer_unref(whole);
}
GST_END_TEST;

typedef struct {
  const gchar *what;
  const gchar *format; /* format of the caps */
  GstVideoFormat meta_format;
  guint width, height, n_planes;
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
} BadMeta;

static const BadMeta bad_metas[] = {
    {"larger than the caps and the memory",
     "GRAY8",
     GST_VIDEO_FORMAT_GRAY8,
     128,
     128,
     1,
     {0},
     {128}},
    {"smaller than the caps", "GRAY8", GST_VIDEO_FORMAT_GRAY8, 32, 24, 1, {0}, {64}},
    {"wider than the caps, and less high", "GRAY8", GST_VIDEO_FORMAT_GRAY8, 128, 24, 1, {0}, {64}},
    {"second plane of a larger frame past the end",
     "NV12",
     GST_VIDEO_FORMAT_NV12,
     64,
     64,
     2,
     {0, 64 * 64},
     {64, 64}},
    {"stride beyond the memory", "GRAY8", GST_VIDEO_FORMAT_GRAY8, 64, 48, 1, {0}, {65}},
    {"maximum stride", "GRAY8", GST_VIDEO_FORMAT_GRAY8, 64, 48, 1, {0}, {G_MAXINT}},
    {"minimum stride", "GRAY8", GST_VIDEO_FORMAT_GRAY8, 64, 48, 1, {0}, {G_MININT}},
    {"negative stride in front of the memory",
     "GRAY8",
     GST_VIDEO_FORMAT_GRAY8,
     64,
     48,
     1,
     {0},
     {-64}},
    {"negative stride, one row too far",
     "GRAY8",
     GST_VIDEO_FORMAT_GRAY8,
     64,
     48,
     1,
     {46 * 64},
     {-64}},
    {"offset past the end", "GRAY8", GST_VIDEO_FORMAT_GRAY8, 64, 48, 1, {64 * 48}, {64}},
    {"offset one too far", "GRAY8", GST_VIDEO_FORMAT_GRAY8, 64, 48, 1, {1}, {64}},
    {"offset that wraps around",
     "GRAY8",
     GST_VIDEO_FORMAT_GRAY8,
     64,
     48,
     1,
     {G_MAXSIZE - 63},
     {64}},
    {"half of the maximum offset",
     "GRAY8",
     GST_VIDEO_FORMAT_GRAY8,
     64,
     48,
     1,
     {G_MAXSIZE / 2},
     {64}},
    {"another format", "GRAY8", GST_VIDEO_FORMAT_RGBA, 64, 48, 1, {0}, {256}},
    {"another format with as many bytes", "RGBA", GST_VIDEO_FORMAT_BGRA, 64, 48, 1, {0}, {256}},
    {"second plane past the end", "NV12", GST_VIDEO_FORMAT_NV12, 64, 48, 2, {0, 64 * 72}, {64, 64}},
    {"one plane too few", "I420", GST_VIDEO_FORMAT_I420, 64, 48, 2, {0, 64 * 48}, {64, 32}},
    {"no planes", "GRAY8", GST_VIDEO_FORMAT_GRAY8, 64, 48, 0, {0}, {0}},
};

GST_START_TEST(meta_that_contradicts_the_buffer) {
  const BadMeta *bad = &bad_metas[__i__];
  g_autofree gchar *caps = test_caps(bad->format, WIDTH, HEIGHT);
  GstBuffer *buffer = test_frame_flat(caps, 0);
  /* gst_buffer_add_video_meta rejects some of these values, so the fields are set afterwards */
  GstVideoMeta *meta = gst_buffer_add_video_meta(
      buffer, GST_VIDEO_FRAME_FLAG_NONE, gst_video_format_from_string(bad->format), WIDTH, HEIGHT);
  meta->format = bad->meta_format;
  meta->width = bad->width;
  meta->height = bad->height;
  meta->n_planes = bad->n_planes;
  memcpy(meta->offset, bad->offset, sizeof meta->offset);
  memcpy(meta->stride, bad->stride, sizeof meta->stride);
  assert_refused(caps, buffer, bad->what);
}
GST_END_TEST;

/* In each of many streams, a bad buffer follows a frame that may still be in flight. The bad buffer
 * is refused, without a leak or a crash. */
GST_START_TEST(bad_buffer_while_a_frame_is_in_flight) {
  g_autofree gchar *caps = test_caps("I420", WIDTH, HEIGHT);
  for (guint i = 0; i < 20; i++) {
    GstHarness *h = test_harness_new("kernel=sobel", caps);
    fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 1)), GST_FLOW_OK);
    fail_unless_equals_int(gst_harness_push(h, gst_buffer_new_allocate(NULL, 100, NULL)),
                           GST_FLOW_ERROR);
    test_teardown(h);
  }
}
GST_END_TEST;

static const gchar *const impossible_caps[] = {
    "video/x-raw,format=RGBA,width=2147483647,height=2147483647,framerate=30/1",
    "video/x-raw,format=GRAY8,width=2147483647,height=2147483647,framerate=30/1",
    "video/x-raw,format=ARGB64,width=32768,height=32768,framerate=30/1",
    "video/x-raw,format=RGBA,width=32768,height=32768,framerate=30/1",
    "video/x-raw,format=I420,width=65536,height=65536,framerate=30/1",
    "video/x-raw,format=RGB,width=2147483647,height=1,framerate=30/1",
    "video/x-raw,format=GRAY16_LE,width=1,height=2147483647,framerate=30/1",
    "video/x-raw,format=GRAY8,width=0,height=48,framerate=30/1",
    "video/x-raw,format=GRAY8,width=-64,height=48,framerate=30/1",
    "video/x-raw,format=GRAY8,framerate=30/1",
    "video/x-raw,format=v210,width=64,height=48,framerate=30/1",
    "video/x-raw,format=nonsense,width=64,height=48,framerate=30/1",
    "audio/x-raw,format=S16LE,rate=48000,channels=2,layout=interleaved",
};

/* Some of these caps are valid but huge. They are accepted, and then the buffer is too small for
 * them. */
GST_START_TEST(impossible_caps_are_refused) {
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  gst_harness_play(h);
  g_autoptr(GstCaps) caps = gst_caps_from_string(impossible_caps[__i__]);
  fail_unless(caps != NULL);
  fail_unless(gst_harness_push_event(h, gst_event_new_stream_start("bad")));
  gst_harness_push_event(h, gst_event_new_caps(caps));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(h, gst_event_new_segment(&segment));
  GstFlowReturn flow = gst_harness_push(h, gst_buffer_new_allocate(NULL, 4096, NULL));
  fail_unless(flow == GST_FLOW_NOT_NEGOTIATED || flow == GST_FLOW_ERROR, "%s: %s",
              impossible_caps[__i__], gst_flow_get_name(flow));
  fail_unless_equals_int(gst_harness_buffers_in_queue(h), 0);
  test_teardown(h);
}
GST_END_TEST;

static Suite *
faults_buffers_suite(void) {
  Suite *suite = suite_create("faults-buffers");
  TCase *tc = tcase_create("faults-buffers");
  tcase_add_loop_test(tc, buffer_smaller_than_its_caps, 0, 6);
  tcase_add_loop_test(tc, meta_that_contradicts_the_buffer, 0, G_N_ELEMENTS(bad_metas));
  tcase_add_test(tc, bad_buffer_while_a_frame_is_in_flight);
  tcase_add_loop_test(tc, impossible_caps_are_refused, 0, G_N_ELEMENTS(impossible_caps));
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(faults_buffers)
