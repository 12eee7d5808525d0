/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tests app/play/wipe.h: left of the line are the pixels of the input, right of it those of the
 * filter alone. Each input frame has one output frame with its timestamps. Pixels are compared
 * after GStreamer has unpacked them. */

#include "app/play/wipe.h"
#include "tests/element/common.h"
#include "tests/element/layout.h"

#include <string.h>

/* ---- pixels ---- */

/* Rows of unpacked pixels, each of 4 samples. */
typedef struct {
  GstVideoInfo info;
  gint bytes; /* per pixel */
  guint8 *pixels;
} Pixels;

static Pixels
unpack(const gchar *caps_text, GstBuffer *buffer) {
  Pixels self;
  GstVideoFrame frame;
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  fail_unless(gst_video_info_from_caps(&self.info, caps));
  fail_unless(gst_video_frame_map(&frame, &self.info, buffer, GST_MAP_READ));
  const GstVideoFormatInfo *format = self.info.finfo;
  const GstVideoFormatInfo *unpacked = gst_video_format_get_info(format->unpack_format);
  self.bytes = GST_VIDEO_FORMAT_INFO_PSTRIDE(unpacked, 0);
  const gsize row = (gsize)self.info.width * (gsize)self.bytes;
  self.pixels = g_malloc(
      (row + 64) * (gsize)self.info.height); /* unpack_func may write past the end of odd rows */
  for (gint y = 0; y < self.info.height; y++)
    format->unpack_func(format, GST_VIDEO_PACK_FLAG_NONE, self.pixels + (gsize)y * row, frame.data,
                        frame.info.stride, 0, y, self.info.width);
  gst_video_frame_unmap(&frame);
  return self;
}

static const guint8 *
pixel(const Pixels *self, gint x, gint y) {
  return self->pixels + (gsize)(y * self->info.width + x) * (gsize)self->bytes;
}

/* TRUE if a pixel is white, or black, in its upper 8 bits. */
static gboolean
has_shade(const Pixels *self, gint x, gint y, gboolean white) {
  const guint8 *at = pixel(self, x, y);
  const gboolean yuv = !GST_VIDEO_INFO_IS_RGB(&self->info);
  const gboolean full = GST_VIDEO_INFO_IS_GRAY(&self->info) || !yuv;
  const guint8 level = full ? (white ? 255 : 0) : (white ? 235 : 16);
  /* Without alpha, component 0 is undefined. */
  for (guint c = GST_VIDEO_INFO_HAS_ALPHA(&self->info) ? 0 : 1; c < 4; c++) {
    const guint8 wanted = c == 0 ? 255 : c == 1 || !yuv ? level : 128;
    const gint value = self->bytes == 4 ? at[c] : GST_READ_UINT16_LE(at + 2 * c) >> 8;
    if (value != wanted)
      return FALSE;
  }
  return TRUE;
}

static gint
line_unit(const GstVideoInfo *info) {
  return GST_VIDEO_INFO_IS_YUV(info) && GST_VIDEO_FORMAT_INFO_W_SUB(info->finfo, 1) ? 2 : 1;
}

/* Fails unless `out` consists of `left`, the line, and `right`. All have the same caps. */
static void
assert_wipe(const gchar *caps, GstBuffer *out, GstBuffer *left, GstBuffer *right, gdouble share) {
  Pixels o = unpack(caps, out), l = unpack(caps, left), r = unpack(caps, right);
  const gint unit = line_unit(&o.info), width = o.info.width;
  const gint line = MIN((gint)(share * width / unit + 0.5) * unit, width);
  for (gint y = 0; y < o.info.height; y++) {
    for (gint x = 0; x < width; x++) {
      const gchar *part = "left";
      gboolean ok;
      if (x < line) {
        ok = memcmp(pixel(&o, x, y), pixel(&l, x, y), (gsize)o.bytes) == 0;
      } else if (line > 0 && x < line + 2 * unit) {
        part = "line";
        ok = has_shade(&o, x, y, x < line + unit);
      } else {
        part = "right";
        ok = memcmp(pixel(&o, x, y), pixel(&r, x, y), (gsize)o.bytes) == 0;
      }
      fail_unless(ok, "%s, share %g: pixel %d,%d of the %s part differs", caps, share, x, y, part);
    }
  }
  g_free(o.pixels);
  g_free(l.pixels);
  g_free(r.pixels);
}

/* ---- one frame ---- */

static GstHarness *
wipe_harness(const gchar *properties, const gchar *caps, gdouble share, Wipe **wipe) {
  g_autoptr(GstElement) element = test_element_new(properties);
  Wipe *attached = wipe_attach(element, share);
  if (wipe)
    *wipe = attached;
  return test_harness_around(element, caps);
}

static void
check_frame(const gchar *properties, const gchar *caps, guint32 seed, gdouble share) {
  GstBuffer *in = test_frame_random(caps, seed);
  GstBuffer *alone = test_filter(properties, caps, gst_buffer_ref(in));
  GstHarness *h = wipe_harness(properties, caps, share, NULL);
  GstBuffer *out = test_push_pull(h, gst_buffer_ref(in));
  assert_wipe(caps, out, in, alone, share);
  gst_buffer_unref(out);
  test_teardown(h);
  ASSERT_MINI_OBJECT_REFCOUNT(in, "input", 1);
  gst_buffer_unref(in);
  gst_buffer_unref(alone);
}

GST_START_TEST(test_formats) {
  static const gint sizes[][2] = {{1, 1}, {2, 2}, {3, 5}, {16, 4}, {33, 7}, {64, 6}};
  static const gdouble shares[] = {0, 0.2, 0.5, 0.77, 1};
  guint32 seed = 0;
  for (guint f = 0; f < test_n_formats_in_caps; f++) {
    for (guint s = 0; s < G_N_ELEMENTS(sizes); s++) {
      g_autofree gchar *caps = test_caps(test_formats_in_caps[f], sizes[s][0], sizes[s][1]);
      for (guint i = 0; i < G_N_ELEMENTS(shares); i++)
        if (test_is_complete() || (f + s + i) % G_N_ELEMENTS(shares) == 0)
          check_frame("kernel=sobel response=offset chroma=filter alpha=filter", caps, seed++,
                      shares[i]);
    }
  }
}
GST_END_TEST;

/* identity may return the memory of its input */
GST_START_TEST(test_identity) {
  g_autofree gchar *caps = test_caps("I420", 64, 48);
  GstBuffer *in = test_frame_random(caps, 1);
  GstBuffer *before = gst_buffer_copy_deep(in);
  GstHarness *h = wipe_harness("kernel=identity", caps, 0.5, NULL);
  GstBuffer *out = test_push_pull(h, gst_buffer_ref(in));
  assert_wipe(caps, out, before, before, 0.5);
  test_assert_same_frame(caps, in, before, "the input afterwards");
  gst_buffer_unref(out);
  gst_buffer_unref(before);
  gst_buffer_unref(in);
  test_teardown(h);
}
GST_END_TEST;

/* the left part of a smaller image has every stride-th pixel of every stride-th row */
GST_START_TEST(test_stride) {
  static const gchar *const formats[] = {"I420", "NV12", "YUY2", "RGBA", "GRAY16_LE", "P010_10LE"};
  static const gint sizes[][2] = {{1, 1}, {5, 3}, {6, 6}, {63, 21}, {64, 24}};
  for (guint i = 0; i < G_N_ELEMENTS(formats) * G_N_ELEMENTS(sizes) * 2; i++) {
    const guint stride = i % 2 ? 4 : 2;
    const gint *size = sizes[i / 2 % G_N_ELEMENTS(sizes)];
    g_autofree gchar *caps = test_caps(formats[i / 2 / G_N_ELEMENTS(sizes)], size[0], size[1]);
    g_autofree gchar *small = test_caps_divided(caps, stride);
    g_autofree gchar *box = g_strdup_printf("kernel=box stride=%u", stride);
    g_autofree gchar *identity = g_strdup_printf("kernel=identity stride=%u", stride);
    GstBuffer *in = test_frame_random(caps, i);
    GstBuffer *left = test_filter(identity, caps, gst_buffer_ref(in));
    GstBuffer *right = test_filter(box, caps, gst_buffer_ref(in));
    GstHarness *h = wipe_harness(box, caps, 0.6, NULL);
    GstBuffer *out = test_push_pull(h, in);
    assert_wipe(small, out, left, right, 0.6);
    gst_buffer_unref(out);
    gst_buffer_unref(left);
    gst_buffer_unref(right);
    test_teardown(h);
  }
}
GST_END_TEST;

/* A decoder may keep padding around the image and describe the image by a crop meta. */
GST_START_TEST(test_crop) {
  static const gchar *const formats[] = {"I420", "NV12", "YUY2", "RGBA"};
  for (guint f = 0; f < G_N_ELEMENTS(formats); f++) {
    g_autofree gchar *whole_caps = test_caps(formats[f], 48, 32);
    g_autofree gchar *caps = test_caps(formats[f], 30, 20);
    GstVideoInfo info;
    g_autoptr(GstCaps) parsed = gst_caps_from_string(whole_caps);
    fail_unless(gst_video_info_from_caps(&info, parsed));
    GstBuffer *in = test_frame_random(whole_caps, f);
    gst_buffer_add_video_meta_full(in, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info), 48,
                                   32, GST_VIDEO_INFO_N_PLANES(&info), info.offset, info.stride);
    GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta(in);
    crop->x = 8;
    crop->y = 4;
    crop->width = 30;
    crop->height = 20;
    GstBuffer *left = test_filter("kernel=identity", caps, gst_buffer_ref(in));
    GstBuffer *right = test_filter("kernel=box", caps, gst_buffer_ref(in));
    GstHarness *h = wipe_harness("kernel=box", caps, 0.5, NULL);
    GstBuffer *out = test_push_pull(h, in);
    assert_wipe(caps, out, left, right, 0.5);
    gst_buffer_unref(out);
    gst_buffer_unref(left);
    gst_buffer_unref(right);
    test_teardown(h);
  }
}
GST_END_TEST;

/* ---- streams ---- */

/* each input frame has one output frame with its timestamps, even or not, or missing */
GST_START_TEST(test_timestamps) {
  static const GstClockTime times[] = {0, 40, 41, 500, GST_CLOCK_TIME_NONE, 2000, 2001};
  g_autofree gchar *caps = test_caps("NV12", 33, 9);
  GstHarness *h = wipe_harness("kernel=gaussian", caps, 0.5, NULL);
  GstBuffer *in[G_N_ELEMENTS(times)];
  for (guint i = 0; i < G_N_ELEMENTS(times); i++) {
    in[i] = test_frame_random(caps, i);
    GST_BUFFER_PTS(in[i]) = times[i];
    GST_BUFFER_DURATION(in[i]) = i % 2 ? GST_CLOCK_TIME_NONE : 3;
    GST_BUFFER_OFFSET(in[i]) = 10 * i;
    fail_unless(gst_harness_push(h, gst_buffer_ref(in[i])) == GST_FLOW_OK);
  }
  test_drain(h);
  fail_unless_equals_int(gst_harness_buffers_received(h), G_N_ELEMENTS(times));
  for (guint i = 0; i < G_N_ELEMENTS(times); i++) {
    GstBuffer *out = gst_harness_pull(h);
    GstBuffer *alone = test_filter("kernel=gaussian", caps, gst_buffer_ref(in[i]));
    fail_unless_equals_uint64(GST_BUFFER_PTS(out), GST_BUFFER_PTS(in[i]));
    fail_unless_equals_uint64(GST_BUFFER_DURATION(out), GST_BUFFER_DURATION(in[i]));
    assert_wipe(caps, out, in[i], alone, 0.5);
    fail_if(gst_buffer_get_custom_meta(out, "cudaconv-split-original"));
    gst_buffer_unref(alone);
    gst_buffer_unref(out);
    gst_buffer_unref(in[i]);
  }
  test_teardown(h);
}
GST_END_TEST;

/* the share, the filter and the caps change between frames */
GST_START_TEST(test_changes) {
  static const struct {
    const gchar *format, *kernel;
    gint width, height;
    gdouble share, requested;
  } steps[] = {
      {"I420", "sobel", 32, 8, 0.5, 0.5},   {"I420", "sobel", 32, 8, 0.25, 0.25},
      {"I420", "box", 32, 8, 0, -1},        {"RGBA", "box", 17, 3, 1, 7},
      {"GRAY16_LE", "box", 5, 5, 0.4, 0.4},
  };
  Wipe *wipe;
  GstHarness *h = wipe_harness("", NULL, 0.5, &wipe);
  for (guint i = 0; i < G_N_ELEMENTS(steps); i++) {
    g_autofree gchar *caps = test_caps(steps[i].format, steps[i].width, steps[i].height);
    g_autofree gchar *properties = g_strdup_printf("kernel=%s", steps[i].kernel);
    gst_harness_set_src_caps_str(h, caps);
    gst_util_set_object_arg(G_OBJECT(h->element), "kernel", steps[i].kernel);
    wipe_set_share(wipe, steps[i].requested);
    GstBuffer *in = test_frame_random(caps, i);
    GstBuffer *alone = test_filter(properties, caps, gst_buffer_ref(in));
    GstBuffer *out = test_push_pull(h, gst_buffer_ref(in));
    assert_wipe(caps, out, in, alone, steps[i].share);
    gst_buffer_unref(in);
    gst_buffer_unref(alone);
    gst_buffer_unref(out);
    if (i == 1) { /* frames continue after a flush */
      fail_unless(gst_harness_push_event(h, gst_event_new_flush_start()));
      fail_unless(gst_harness_push_event(h, gst_event_new_flush_stop(TRUE)));
      GstSegment segment;
      gst_segment_init(&segment, GST_FORMAT_TIME);
      fail_unless(gst_harness_push_event(h, gst_event_new_segment(&segment)));
    }
  }
  test_teardown(h);
}
GST_END_TEST;

/* frames in a buffer list */
GST_START_TEST(test_list) {
  g_autofree gchar *caps = test_caps("I420", 32, 8);
  GstHarness *h = wipe_harness("kernel=box", caps, 0.5, NULL);
  GstBufferList *list = gst_buffer_list_new();
  GstBuffer *in[3];
  for (guint i = 0; i < G_N_ELEMENTS(in); i++) {
    in[i] = test_frame_random(caps, i);
    gst_buffer_list_add(list, gst_buffer_ref(in[i]));
  }
  fail_unless(gst_pad_push_list(h->srcpad, list) == GST_FLOW_OK);
  test_drain(h);
  fail_unless_equals_int(gst_harness_buffers_received(h), G_N_ELEMENTS(in));
  for (guint i = 0; i < G_N_ELEMENTS(in); i++) {
    GstBuffer *alone = test_filter("kernel=box", caps, gst_buffer_ref(in[i]));
    GstBuffer *out = gst_harness_pull(h);
    assert_wipe(caps, out, in[i], alone, 0.5);
    gst_buffer_unref(alone);
    gst_buffer_unref(out);
    gst_buffer_unref(in[i]);
  }
  test_teardown(h);
}
GST_END_TEST;

/* a buffer that the element rejects causes one error */
GST_START_TEST(test_small_buffer) {
  g_autofree gchar *caps = test_caps("I420", 64, 48);
  GstHarness *h = wipe_harness("kernel=box", caps, 0.5, NULL);
  fail_unless(gst_harness_push(h, gst_buffer_new_allocate(NULL, 100, NULL)) == GST_FLOW_ERROR);
  guint errors;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR, &errors);
  fail_unless(errors == 1 && strstr(text, "too small"), "%s", text);
  test_teardown(h);
}
GST_END_TEST;

static Suite *
wipe_suite(void) {
  Suite *suite = suite_create("wipe");
  TCase *tests = tcase_create("all");
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, test_formats);
  tcase_add_test(tests, test_identity);
  tcase_add_test(tests, test_stride);
  tcase_add_test(tests, test_crop);
  tcase_add_test(tests, test_timestamps);
  tcase_add_test(tests, test_changes);
  tcase_add_test(tests, test_list);
  tcase_add_test(tests, test_small_buffer);
  return suite;
}

TEST_MAIN(wipe)
