/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The property `fields`, and buffers of one field each. The oracle filters each field as a frame of
 * its own. The result must be these frames, row by row in turn. */

#include <string.h>

#include "layout.h"
#include "memory.h"
#include "regionframes.h"

#define WIDTH 37
#define INTERLEAVED "interlace-mode=interleaved"

/* --- fields as frames --- */

/* One field of a frame as a frame of its own, or a part of it that begins at the top. */
typedef struct {
  guint field;
  gchar *caps;
  GstBuffer *frame;
} Field;

/* Copies the rows of planes `first` to `end` - 1 of a field from the frame, or back. The field may
 * have rows of chroma that the frame does not have. */
static void
copy_rows(const Field *self, const gchar *caps, GstBuffer *frame, guint first, guint end,
          gboolean to_field) {
  TestFrame all, part;
  test_map(&all, caps, frame, GST_MAP_READWRITE);
  test_map(&part, self->caps, self->frame, GST_MAP_READWRITE);
  for (guint p = first; p < MIN(end, all.layout.n_planes); p++) {
    const gsize bytes = cc_plane_row_bytes(&all.layout.plane[p]);
    for (guint y = 0; y < part.layout.plane[p].height; y++) {
      const guint row = 2 * y + self->field;
      if (row >= all.layout.plane[p].height)
        continue;
      guint8 *a = test_row(&all, p, row), *b = test_row(&part, p, y);
      memcpy(to_field ? b : a, to_field ? a : b, bytes);
    }
  }
  test_unmap(&part);
  test_unmap(&all);
}

static Field
field_new(const gchar *caps, GstBuffer *frame, guint field, guint height) {
  g_autoptr(GstCaps) frame_caps = gst_caps_from_string(caps);
  const GstStructure *s = gst_caps_get_structure(frame_caps, 0);
  gint width;
  fail_unless(gst_structure_get_int(s, "width", &width));
  Field self = {field, test_caps(gst_structure_get_string(s, "format"), width, (gint)height), NULL};
  self.frame = test_frame_flat(self.caps, 0);
  copy_rows(&self, caps, frame, 0, CC_MAX_PLANES, TRUE);
  return self;
}

static void
field_clear(Field *self) {
  g_free(self->caps);
  gst_clear_buffer(&self->frame);
}

/* The rows of luma, or of the only plane, in one field of a frame of n rows. */
static guint
rows_of_field(guint n, guint field) {
  return (n + 1 - field) / 2;
}

/* --- expected frames --- */

#define ROI(x, y, width, height)                                                                   \
  { {x, y, width, height}, FALSE, 0, 0 }
#define MOVED(x, y, width, height, to_x, to_y)                                                     \
  { {x, y, width, height}, TRUE, to_x, to_y }

static const TestRois whole = {1, {ROI(0, 0, 9999, 9999)}};

/* Filters the first `height` rows of a field. Writes planes `first` to `end` - 1 to `output`. */
static void
filter_rows(const CcFilter *filter, const gchar *caps, GstBuffer *input, guint f, guint height,
            guint first, guint end, GstBuffer *output) {
  if (height == 0)
    return;
  Field field = field_new(caps, input, f, height);
  GstBuffer *result = test_expect_rois(filter, &whole, field.caps, field.frame);
  gst_buffer_replace(&field.frame, result);
  gst_buffer_unref(result);
  copy_rows(&field, caps, output, first, end, FALSE);
  field_clear(&field);
}

/* The frame whose fields are filtered. In 4:2:0 a field may have one row of chroma less than a
 * frame of its height: with 6 rows of luma and 3 of chroma, the second field has 3 and 1. Chroma is
 * then filtered in a frame of 2 rows, unless it is made from luma. */
static GstBuffer *
expect(const CcFilter *filter, const gchar *caps, GstBuffer *input) {
  const CcFrameLayout layout = test_layout(caps);
  const guint last = layout.n_planes - 1;
  const guint rows = layout.plane[0].height, chroma_rows = layout.plane[last].height;
  const gboolean from_luma = filter->overlay || filter->response == CC_RESPONSE_DIRECTION;
  GstBuffer *output = gst_buffer_copy_deep(input);
  for (guint f = 0; f < 2; f++) {
    const guint n = rows_of_field(rows, f), n_chroma = rows_of_field(chroma_rows, f);
    const gboolean lacks_a_row = chroma_rows < rows && n_chroma < (n + 1) / 2;
    filter_rows(filter, caps, input, f, n, 0, lacks_a_row && !from_luma ? 1 : CC_MAX_PLANES,
                output);
    if (lacks_a_row && !from_luma)
      filter_rows(filter, caps, input, f, n - 1, 1, CC_MAX_PLANES, output);
  }
  return output;
}

/* The frame of which regions are filtered by fields. In 4:2:0 the regions and their targets must
 * begin at a multiple of 4 rows, and end there or with the frame, whose height is not two more than
 * a multiple of 4. */
static GstBuffer *
expect_regions(const CcFilter *filter, const TestRois *rois, const gchar *caps, GstBuffer *input) {
  const CcFrameLayout layout = test_layout(caps);
  const TestRois none = {.n = 0};
  GstBuffer *output = test_expect_rois(filter, &none, caps, input);
  Field in[2], out[2];
  for (guint f = 0; f < 2; f++) {
    in[f] = field_new(caps, input, f, rows_of_field(layout.plane[0].height, f));
    out[f] = field_new(caps, output, f, rows_of_field(layout.plane[0].height, f));
  }
  for (guint i = 0; i < rois->n; i++)
    for (guint f = 0; f < 2; f++) {
      const CcRoi *roi = &rois->roi[i];
      const guint skipped = (roi->source.y + f) % 2;
      const guint target_y = (roi->target_set ? roi->target_y : roi->source.y) + skipped;
      TestRois part = {.n = 1, .roi = {*roi}};
      CcRect *source = &part.roi[0].source;
      source->y = (source->y + skipped) / 2;
      source->height = (source->height + 1 - skipped) / 2;
      part.roi[0].target_set = TRUE;
      part.roi[0].target_x = roi->target_set ? roi->target_x : roi->source.x;
      part.roi[0].target_y = target_y / 2;
      if (source->height > 0)
        test_filter_rois(filter, &part, in[f].caps, in[f].frame, out[target_y % 2].frame);
    }
  for (guint f = 0; f < 2; f++) {
    copy_rows(&out[f], caps, output, 0, CC_MAX_PLANES, FALSE);
    field_clear(&in[f]);
    field_clear(&out[f]);
  }
  return output;
}

/* --- whole frames --- */

static gchar *
caps_of(const gchar *plain, const gchar *more) {
  return *more ? g_strconcat(plain, ",", more, NULL) : g_strdup(plain);
}

GST_START_TEST(every_format) {
  static const guint heights[] = {1, 2, 3, 5, 6, 34, 35};
  static const gchar *const filters[] = {
      "kernel=sharpen",
      "kernel=unsharp size=5 border=reflect chroma=filter alpha=filter",
      "kernel=box size=63 border=wrap chroma=filter",
      "kernel=gaussian size=5 border=reflect-101 mix=-1.5 invert=true",
      "kernel=sobel border=constant border-value=1 threshold=0.25",
      "kernel=sobel response=direction",
      "kernel=sobel response=canny low=60 high=400",
      "kernel=sobel size=5 overlay=0xc0ff4000 mix=0.5",
      "kernel=kirsch border=wrap",
      "kernel=laplacian chroma-kernel=box chroma-size=5 alpha=filter border=constant",
      "kernel=gaussian size=7 alpha=weighted border=wrap",
  };
  const gchar *format = test_formats_in_caps[__i__];
  for (guint f = 0; f < G_N_ELEMENTS(filters); f++) {
    const CcFilter filter = test_filter_parse(filters[f]);
    /* an angle of 16 bits may differ from the oracle's by 1 */
    if (filter.response == CC_RESPONSE_DIRECTION && g_str_equal(format, "GRAY16_LE"))
      continue;
    GstHarness *h = test_harness_new(filters[f], NULL);
    for (guint i = 0; i < G_N_ELEMENTS(heights); i++) {
      if (!test_is_complete() && (i + f + (guint)__i__) % 3 != 0)
        continue;
      g_autofree gchar *caps = test_caps_with(format, WIDTH, (gint)heights[i], INTERLEAVED);
      g_autoptr(GstBuffer) input = test_frame_regular(caps, i + f);
      g_autoptr(GstBuffer) expected = expect(&filter, caps, input);
      gst_harness_set_src_caps_str(h, caps);
      g_autoptr(GstBuffer) result = test_push_pull(h, gst_buffer_ref(input));
      test_assert_same_frame(caps, result, expected, filters[f]);
    }
    test_teardown(h);
  }
}
GST_END_TEST;

/* All algorithms of the GPU take frames whose rows lie twice as far apart. */
GST_START_TEST(every_algorithm) {
  static const gchar *const algorithms[] = {"direct",  "constant", "tile-halo",     "tile-cached",
                                            "scatter", "two-pass", "register-tile", "tensor-core"};
  static const gchar *const formats[] = {"GRAY8", "NV12", "UYVY", "RGBA", "I420_10LE", "AYUV"};
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
    g_autofree gchar *properties =
        g_strdup_printf("kernel=gaussian size=5 algorithm=%s", algorithms[__i__]);
    const CcFilter filter = test_filter_parse("kernel=gaussian size=5");
    g_autofree gchar *caps = test_caps_with(formats[i], 90, 71, INTERLEAVED);
    g_autoptr(GstBuffer) input = test_frame_regular(caps, i);
    g_autoptr(GstBuffer) expected = expect(&filter, caps, input);
    g_autoptr(GstBuffer) result = test_filter(properties, caps, gst_buffer_ref(input));
    test_assert_same_frame(caps, result, expected, properties);
  }
}
GST_END_TEST;

/* A frame with a white bar at column 8 in the first field, and at column 24 in the second. */
static GstBuffer *
draw_bars(const gchar *caps) {
  GstBuffer *buffer = test_frame_flat(caps, 16);
  TestFrame frame;
  test_map(&frame, caps, buffer, GST_MAP_WRITE);
  for (guint y = 0; y < frame.layout.plane[0].height; y++)
    memset(test_row(&frame, 0, y) + 8 + y % 2 * 16, 235, 8);
  test_unmap(&frame);
  return buffer;
}

/* A vertical blur does not change a vertical bar. It spreads the two bars if it mixes the fields.
 */
GST_START_TEST(a_bar_that_moves) {
  static const struct {
    const gchar *caps, *properties;
    GstBufferFlags flags;
    gboolean apart; /* the fields are filtered apart */
  } rows[] = {
      {INTERLEAVED, "", 0, TRUE},
      {INTERLEAVED, "fields=auto", (GstBufferFlags)GST_VIDEO_BUFFER_FLAG_TFF, TRUE},
      {INTERLEAVED ",field-order=bottom-field-first", "", 0, TRUE},
      {INTERLEAVED, "fields=frame", 0, FALSE},
      {INTERLEAVED, "fields=frame", (GstBufferFlags)GST_VIDEO_BUFFER_FLAG_INTERLACED, FALSE},
      {"interlace-mode=mixed", "", (GstBufferFlags)GST_VIDEO_BUFFER_FLAG_INTERLACED, TRUE},
      {"interlace-mode=mixed", "", 0, FALSE},
      {"interlace-mode=progressive", "", (GstBufferFlags)GST_VIDEO_BUFFER_FLAG_INTERLACED, FALSE},
      {"", "", 0, FALSE},
  };
  g_autofree gchar *plain = test_caps("GRAY8", 40, 48);
  g_autoptr(GstBuffer) bars = draw_bars(plain);
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree gchar *caps = caps_of(plain, rows[i].caps);
    g_autofree gchar *properties =
        g_strdup_printf("row=<1> column=<1,2,4,2,1> %s", rows[i].properties);
    GstBuffer *input = gst_buffer_copy_deep(bars);
    GST_BUFFER_FLAG_SET(input, rows[i].flags);
    g_autoptr(GstBuffer) result = test_filter(properties, caps, input);
    fail_unless(test_same_frame(plain, result, bars) == rows[i].apart, "%s, %s", caps, properties);
    fail_unless_equals_int(GST_BUFFER_FLAGS(result) & GST_VIDEO_BUFFER_FLAG_INTERLACED,
                           rows[i].flags & GST_VIDEO_BUFFER_FLAG_INTERLACED);
  }
}
GST_END_TEST;

GST_START_TEST(a_stride_takes_frames) {
  static const gchar *const filters[] = {"kernel=box stride=2",
                                         "kernel=sobel stride=4 roi=<8,5,12,9>"};
  g_autofree gchar *caps = test_caps("NV12", 61, 35), *interlaced = caps_of(caps, INTERLEAVED);
  for (guint i = 0; i < G_N_ELEMENTS(filters); i++) {
    const CcFilter filter = test_filter_parse(filters[i]);
    g_autofree gchar *out_caps = test_caps_divided(caps, filter.stride);
    g_autoptr(GstBuffer) input = test_frame_random(caps, i);
    g_autoptr(GstBuffer) expected = test_filter(filters[i], caps, gst_buffer_ref(input));
    g_autoptr(GstBuffer) result = test_filter(filters[i], interlaced, gst_buffer_ref(input));
    test_assert_same_frame(out_caps, result, expected, filters[i]);
  }
}
GST_END_TEST;

/* --- regions --- */

/* The first sets suit 4:2:0 in frames of 60 rows. */
static const TestRois sets[] = {
    {1, {ROI(8, 4, 16, 12)}},
    {3, {ROI(0, 0, 24, 16), ROI(16, 8, 99, 99), ROI(8, 12, 16, 8)}},
    {2, {MOVED(8, 4, 16, 12, 20, 48), MOVED(0, 0, 99, 99, 8, 32)}},
    {5, {ROI(1, 1, 5, 1), ROI(9, 2, 6, 1), ROI(3, 5, 7, 9), ROI(5, 12, 30, 17), ROI(6, 59, 9, 1)}},
    {4,
     {MOVED(5, 3, 20, 13, 11, 18), MOVED(2, 30, 9, 1, 3, 9), MOVED(7, 8, 9, 5, 9, 8),
      MOVED(1, 1, 30, 30, 5, 46)}},
};
enum { N_SETS = G_N_ELEMENTS(sets), N_ALIGNED_SETS = N_SETS - 2 };

static const gchar *const region_formats[] = {"GRAY8", "NV12",      "I420", "RGBA",
                                              "UYVY",  "I422_10LE", "AYUV"};

static guint
n_sets_of(const gchar *caps) {
  const CcFrameLayout layout = test_layout(caps);
  const CcPlaneLayout *last = &layout.plane[layout.n_planes - 1];
  return last->height < layout.plane[0].height || last->has_macropixels ? N_ALIGNED_SETS : N_SETS;
}

/* The frame has a second user, then it does not: it is filtered in place then, if that is possible.
 * A device filters regions of large frames only in place. */
GST_START_TEST(regions) {
  static const gchar *const filters[] = {"kernel=gaussian size=5", "kernel=sharpen outside=black",
                                         "kernel=sobel border=wrap overlay=0xff00ff00",
                                         "kernel=box size=15 border=reflect threshold=0.5",
                                         "kernel=gaussian size=7 alpha=weighted"};
  const gboolean on_cuda = g_str_equal(test_backend(), "cuda");
  g_autofree gchar *small = test_caps_with(region_formats[__i__], 60, 60, INTERLEAVED);
  g_autofree gchar *large = test_caps_with(region_formats[__i__], 2048, 1604, INTERLEAVED);
  for (guint f = 0; f < G_N_ELEMENTS(filters); f++) {
    const CcFilter filter = test_filter_parse(filters[f]);
    GstHarness *h = test_harness_new(filters[f], NULL);
    for (guint s = 0; s < n_sets_of(small); s++) {
      const gboolean is_large = s == 0 && f == 0;
      const gchar *caps = is_large ? large : small;
      g_autofree gchar *what = g_strdup_printf("%s, regions %u", filters[f], s);
      g_autoptr(GstBuffer) input = test_frame_regular(caps, s + f);
      g_autoptr(GstBuffer) before = gst_buffer_copy_deep(input);
      g_autoptr(GstBuffer) expected = expect_regions(&filter, &sets[s], caps, input);
      test_rois_set(h->element, &sets[s]);
      gst_harness_set_src_caps_str(h, caps);
      g_autoptr(GstBuffer) result = test_push_pull(h, gst_buffer_ref(input));
      test_assert_same_frame(caps, result, expected, what);
      test_assert_same_frame(caps, input, before, "the input");
      GstBuffer *alone = g_steal_pointer(&input);
      g_autoptr(GstBuffer) in_place = test_push_pull(h, alone);
      test_assert_same_frame(caps, in_place, expected, what);
      if (s == 0)
        fail_unless((in_place == alone) ==
                        (filter.outside == CC_OUTSIDE_COPY && (is_large || !on_cuda)),
                    "%s: in place: %d", what, in_place == alone);
    }
    test_teardown(h);
  }
}
GST_END_TEST;

/* Each region of a detector has its own blur. */
GST_START_TEST(sigma_of_each_region) {
  static const TestRois faces[] = {{1, {ROI(4, 8, 20, 12)}}, {1, {ROI(28, 16, 8, 24)}}};
  g_autofree gchar *caps = test_caps_with("NV12", 60, 60, INTERLEAVED);
  g_autoptr(GstBuffer) input = test_frame_random(caps, 1);
  GstBuffer *frame = gst_buffer_ref(input);
  for (guint i = 0; i < G_N_ELEMENTS(faces); i++) {
    g_autofree gchar *roi =
        g_strdup_printf("kernel=gaussian sigma=%s roi=<%u,%u,%u,%u>", i ? "2.82842712474619" : "4",
                        faces[i].roi[0].source.x, faces[i].roi[0].source.y,
                        faces[i].roi[0].source.width, faces[i].roi[0].source.height);
    frame = test_filter(roi, caps, frame);
  }
  GstHarness *h = test_harness_new("kernel=gaussian roi-meta=true roi-sigma=0.33", caps);
  g_autoptr(GstBuffer) marked = gst_buffer_copy(input);
  for (guint i = 0; i < G_N_ELEMENTS(faces); i++)
    test_rois_attach(marked, &faces[i], "face");
  g_autoptr(GstBuffer) result = test_push_pull(h, g_steal_pointer(&marked));
  test_assert_same_frame(caps, result, frame, "roi-sigma");
  gst_buffer_unref(frame);
  test_teardown(h);
}
GST_END_TEST;

/* --- during a stream --- */

/* In 4:2:0 a field of a region of one row may have chroma and no luma. Its colors of directions
 * must not depend on the frame before. */
GST_START_TEST(chroma_without_luma) {
  g_autofree gchar *caps = test_caps_with("I420", 640, 480, "interlace-mode=interleaved");
  GstHarness *h =
      test_harness_new("kernel=sobel response=direction outside=black roi=<0,1,640,1>", caps);
  g_autoptr(GstBuffer) first = test_push_pull(h, test_frame_random(caps, 1));
  g_autoptr(GstBuffer) other = test_push_pull(h, test_frame_random(caps, 2));
  g_autoptr(GstBuffer) again = test_push_pull(h, test_frame_random(caps, 1));
  test_assert_same_frame(caps, first, again, "the same frame later");
  fail_unless(!test_same_frame(caps, first, other));
  test_teardown(h);
}
GST_END_TEST;

static gboolean
is_interlaced(guint i) {
  return i % 3 != 1;
}

static gboolean
takes_frames(guint i) {
  return i / 4 % 2 == 1;
}

static gboolean
is_field(GstBuffer *buffer) {
  return GST_BUFFER_FLAG_IS_SET(buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
}

/* Interlaced frames and others alternate in plain memory, in memory of the element's pool and in
 * CUDA memory, while earlier ones are in flight, without regions and with them. `fields` changes
 * from frame to frame, and needs no new program. */
GST_START_TEST(frames_in_flight) {
  enum { N = 14 };
  const CcFilter filter = test_filter_parse("kernel=gaussian size=5");
  g_autofree gchar *plain = test_caps("NV12", 64, 48);
  g_autofree gchar *mixed = caps_of(plain, "interlace-mode=mixed");
  const gboolean in_cuda = __i__ % 3 == 2 && g_str_equal(test_backend(), "cuda");
  const TestRois *rois = __i__ < 3 ? &whole : &sets[1];
  g_autofree gchar *caps = in_cuda ? test_caps_in_cuda(mixed) : g_strdup(mixed);
  GstHarness *h = test_harness_new("kernel=gaussian size=5 in-flight=4", NULL);
  GstBuffer *expected[N];
  gst_harness_set_sink_caps_str(h, caps);
  gst_harness_add_propose_allocation_meta(h, GST_VIDEO_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str(h, caps);
  GstBufferPool *pool = __i__ % 3 > 0 ? test_offered_pool(h, caps) : NULL;
  if (rois != &whole)
    test_rois_set(h->element, rois);
  for (guint i = 0; i < N; i++) {
    GstBuffer *frame = test_frame_random(plain, i);
    expected[i] = is_interlaced(i) && !takes_frames(i)
                      ? expect_regions(&filter, rois, plain, frame)
                      : test_expect_rois(&filter, rois, plain, frame);
    frame = pool ? test_move_to_pool(pool, plain, frame) : frame;
    if (is_interlaced(i))
      GST_BUFFER_FLAG_SET(frame, GST_VIDEO_BUFFER_FLAG_INTERLACED);
    test_set(h->element, takes_frames(i) ? "fields=frame" : "fields=auto");
    fail_unless_equals_int(gst_harness_push(h, frame), GST_FLOW_OK);
    if (i == 0)
      test_programs_watch();
  }
  fail_unless(gst_harness_push_event(h, test_serialized_event()));
  fail_unless_equals_int(test_programs_count(), 0);
  for (guint i = 0; i < N; i++) {
    g_autofree gchar *what = g_strdup_printf("frame %u", i);
    g_autoptr(GstBuffer) result = gst_harness_pull(h);
    test_assert_same_frame(plain, result, expected[i], what);
    fail_unless_equals_int(is_field(result), is_interlaced(i));
    gst_buffer_unref(expected[i]);
  }
  test_teardown(h);
  if (pool)
    gst_buffer_pool_set_active(pool, FALSE);
  g_clear_pointer(&pool, gst_object_unref);
}
GST_END_TEST;

/* A call of the driver fails, and the CPU filters the frames that are in flight. Only in a process
 * that has not opened the device yet. */
GST_START_TEST(failover) {
  enum { N = 8 };
  static const gchar *const failures[] = {"cuMemcpy2DAsync:6:700", "cuLaunchKernelEx:3:700",
                                          "cuLaunchKernelEx:4:700", "cuEventRecord:8:700"};
  if (!g_str_equal(test_backend(), "cuda") || g_strcmp0(g_getenv("CK_FORK"), "no") == 0)
    return;
  g_autofree gchar *settings = g_strconcat(g_getenv("FAKE_CUDA"), ",lost=", failures[__i__], NULL);
  const CcFilter filter = test_filter_parse("kernel=gaussian size=5");
  g_autofree gchar *caps = test_caps_with("I420", 64, 50, INTERLEAVED);
  guint failovers = 0;
  g_setenv("FAKE_CUDA", settings, TRUE);
  g_setenv("CUDACONV_TEST_BACKEND", "auto", TRUE);
  GstHarness *h = test_harness_new("kernel=gaussian size=5", caps);
  for (guint i = 0; i < N; i++)
    fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, i)), GST_FLOW_OK);
  test_drain(h);
  for (guint i = 0; i < N; i++) {
    g_autoptr(GstBuffer) input = test_frame_random(caps, i);
    g_autoptr(GstBuffer) expected = expect(&filter, caps, input);
    g_autoptr(GstBuffer) result = gst_harness_pull(h);
    test_assert_same_frame(caps, result, expected, failures[__i__]);
  }
  g_autoptr(GstStructure) stats = test_stats(h->element);
  fail_unless(gst_structure_get_uint(stats, "failovers", &failovers) && failovers == 1,
              "%s: %u failovers", failures[__i__], failovers);
  test_teardown(h);
}
GST_END_TEST;

/* --- buffers of one field --- */

/* The caps of buffers with one field of frames with the given caps. */
static gchar *
caps_of_fields(const gchar *frame_caps, gboolean in_cuda) {
  return g_strdup_printf("video/x-raw(%sformat:Interlaced)%s,interlace-mode=alternate",
                         in_cuda ? "memory:CUDAMemory, " : "", frame_caps + strlen("video/x-raw"));
}

/* Copies a field between a frame with `field_caps` and a buffer with `caps` of fields, whose planes
 * may have other offsets. */
static void
copy_field(const gchar *field_caps, GstBuffer *field, const gchar *caps_text, GstBuffer *buffer,
           gboolean to_buffer) {
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  GstVideoInfo info;
  GstVideoFrame other;
  TestFrame frame;
  fail_unless(gst_video_info_from_caps(&info, caps));
  fail_unless(gst_video_frame_map(&other, &info, buffer, to_buffer ? GST_MAP_WRITE : GST_MAP_READ));
  test_map(&frame, field_caps, field, GST_MAP_READWRITE);
  for (guint p = 0; p < frame.layout.n_planes; p++)
    for (guint y = 0; y < frame.layout.plane[p].height; y++) {
      guint8 *a = test_row(&frame, p, y);
      guint8 *b = (guint8 *)GST_VIDEO_FRAME_PLANE_DATA(&other, p) +
                  (gsize)y * (gsize)GST_VIDEO_FRAME_PLANE_STRIDE(&other, p);
      memcpy(to_buffer ? b : a, to_buffer ? a : b, cc_plane_row_bytes(&frame.layout.plane[p]));
    }
  test_unmap(&frame);
  gst_video_frame_unmap(&other);
}

typedef enum { NO_META, META_OF_FIELD, META_OF_FRAME, N_METAS } Meta;

/* A buffer of a field, in system memory. */
static GstBuffer *
wrap_field(const gchar *field_caps, GstBuffer *field, const gchar *caps_text, Meta meta) {
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  GstBuffer *buffer = test_frame_flat(caps_text, 0x5a);
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, caps));
  copy_field(field_caps, field, caps_text, buffer, TRUE);
  if (meta != NO_META)
    gst_buffer_add_video_meta_full(
        buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info), (guint)info.width,
        (guint)(meta == META_OF_FRAME ? info.height : GST_VIDEO_INFO_FIELD_HEIGHT(&info)),
        GST_VIDEO_INFO_N_PLANES(&info), info.offset, info.stride);
  return buffer;
}

static void
assert_field(const gchar *field_caps, GstBuffer *expected, const gchar *caps, GstBuffer *buffer,
             const gchar *what) {
  g_autoptr(GstBuffer) field = test_frame_flat(field_caps, 0);
  copy_field(field_caps, field, caps, buffer, FALSE);
  test_assert_same_frame(field_caps, field, expected, what);
}

/* Each buffer is filtered by itself, with every value of `fields`. Its GstVideoMeta has the height
 * of the field, or that of the frame, as in GStreamer's pools. */
GST_START_TEST(alternate) {
  static const gint heights[] = {2, 48, 36};
  static const gchar *const filters[] = {"kernel=gaussian size=5", "kernel=sobel fields=frame",
                                         "kernel=sharpen roi=<2,0,20,7>",
                                         "kernel=sharpen stride=2"};
  const gchar *format = test_formats_in_caps[__i__];
  for (guint i = 0; i < G_N_ELEMENTS(filters); i++)
    for (guint k = 0; k < G_N_ELEMENTS(heights); k++) {
      const CcFilter filter = test_filter_parse(filters[i]);
      g_autofree gchar *frame_caps = test_caps(format, WIDTH + 1, heights[k]);
      g_autofree gchar *field_caps = test_caps(format, WIDTH + 1, heights[k] / 2);
      g_autofree gchar *out_frame_caps = test_caps_divided(frame_caps, filter.stride);
      g_autofree gchar *out_field_caps = test_caps_divided(field_caps, filter.stride);
      g_autofree gchar *caps = caps_of_fields(frame_caps, FALSE);
      g_autofree gchar *out_caps = caps_of_fields(out_frame_caps, FALSE);
      GstHarness *h = test_harness_new(filters[i], caps);
      for (guint m = 0; m < N_METAS; m++) {
        const GstVideoBufferFlags flag =
            m ? GST_VIDEO_BUFFER_FLAG_TOP_FIELD : GST_VIDEO_BUFFER_FLAG_BOTTOM_FIELD;
        g_autoptr(GstBuffer) field = test_frame_random(field_caps, m);
        g_autoptr(GstBuffer) expected = test_filter(filters[i], field_caps, gst_buffer_ref(field));
        GstBuffer *buffer = wrap_field(field_caps, field, caps, m);
        GST_BUFFER_FLAG_SET(buffer, flag);
        g_autoptr(GstBuffer) result = test_push_pull(h, buffer);
        GstVideoMeta *meta = gst_buffer_get_video_meta(result);
        if (result == buffer && m == META_OF_FIELD) /* gst_video_frame_map refuses the meta */
          gst_buffer_remove_meta(result, &meta->meta);
        assert_field(out_field_caps, expected, out_caps, result, filters[i]);
        fail_unless(GST_BUFFER_FLAG_IS_SET(result, flag));
      }
      test_teardown(h);
    }
}
GST_END_TEST;

/* In the element's pools and in CUDA memory. Buffers in flight delay the stream by the time of
 * fields, which is half that of frames. */
static void
check_pools(const gchar *format, gint height, gboolean in_cuda) {
  enum { N = 5, IN_FLIGHT = 3 };
  const CcFilter filter = test_filter_parse("kernel=gaussian size=5");
  g_autofree gchar *frame_caps = test_caps(format, 64, height);
  g_autofree gchar *field_caps = test_caps(format, 64, height / 2);
  g_autofree gchar *plain = caps_of_fields(frame_caps, FALSE);
  g_autofree gchar *caps = caps_of_fields(frame_caps, in_cuda);
  GstHarness *h = test_harness_new("kernel=gaussian size=5 in-flight=3", NULL);
  GstBuffer *expected[N];
  gst_harness_set_sink_caps_str(h, caps);
  gst_harness_add_propose_allocation_meta(h, GST_VIDEO_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str(h, caps);
  GstBufferPool *pool = test_offered_pool(h, caps);
  for (guint i = 0; i < N; i++) {
    g_autoptr(GstBuffer) field = test_frame_random(field_caps, i);
    expected[i] = test_expect_rois(&filter, &whole, field_caps, field);
    GstBuffer *buffer =
        test_move_to_pool(pool, plain, wrap_field(field_caps, field, plain, NO_META));
    fail_unless_equals_int(gst_harness_push(h, buffer), GST_FLOW_OK);
  }
  fail_unless_equals_uint64(gst_harness_query_latency(h),
                            test_is_on_cuda(h) ? (IN_FLIGHT - 1) * GST_SECOND / 60 : 0);
  fail_unless(gst_harness_push_event(h, test_serialized_event()));
  for (guint i = 0; i < N; i++) {
    g_autoptr(GstBuffer) result = gst_harness_pull(h);
    assert_field(field_caps, expected[i], plain, result, caps);
    gst_buffer_unref(expected[i]);
  }
  test_teardown(h);
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
}

GST_START_TEST(alternate_in_pools) {
  static const gint heights[] = {48, 36, 22};
  static const gchar *const formats[] = {"NV12",      "I420",      "Y42B", "RGBA",
                                         "P010_10LE", "I420_10LE", "NV21", "YV12"};
  const gboolean in_cuda = __i__ % 2 && g_str_equal(test_backend(), "cuda");
  for (guint f = 0; f < G_N_ELEMENTS(formats); f++)
    check_pools(formats[f], heights[__i__ / 2], in_cuda);
}
GST_END_TEST;

/* GStreamer's elements make fields, and take them back. */
GST_START_TEST(alternate_in_a_pipeline) {
  g_autofree gchar *line = g_strdup_printf(
      "videotestsrc num-buffers=12 ! video/x-raw,format=I420,width=64,height=48,framerate=50/1 ! "
      "interlace field-pattern=1:1 ! "
      "video/x-raw(format:Interlaced),interlace-mode=alternate ! cudaconv backend=%s ! "
      "deinterlace ! fakesink name=sink",
      test_backend());
  GError *error = NULL;
  g_autoptr(GstElement) pipeline = gst_parse_launch(line, &error);
  fail_unless(error == NULL, "%s", error ? error->message : "");
  gst_object_ref_sink(pipeline);
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  test_play_to_eos(pipeline, 20);
  g_autoptr(GstStructure) stats = NULL;
  guint64 rendered = 0;
  g_object_get(sink, "stats", &stats, NULL);
  fail_unless(gst_structure_get_uint64(stats, "rendered", &rendered) && rendered >= 10);
  gst_element_set_state(pipeline, GST_STATE_NULL);
}
GST_END_TEST;

static Suite *
fields_suite(void) {
  Suite *suite = suite_create("fields");
  TCase *tc = tcase_create("fields");
  tcase_add_loop_test(tc, every_format, 0, (int)test_n_formats_in_caps);
  tcase_add_loop_test(tc, every_algorithm, 0, 8);
  tcase_add_test(tc, a_bar_that_moves);
  tcase_add_test(tc, a_stride_takes_frames);
  tcase_add_loop_test(tc, regions, 0, G_N_ELEMENTS(region_formats));
  tcase_add_test(tc, sigma_of_each_region);
  tcase_add_test(tc, chroma_without_luma);
  tcase_add_loop_test(tc, frames_in_flight, 0, 6);
  tcase_add_loop_test(tc, failover, 0, 4);
  tcase_add_loop_test(tc, alternate, 0, (int)test_n_formats_in_caps);
  tcase_add_loop_test(tc, alternate_in_pools, 0, 6);
  tcase_add_test(tc, alternate_in_a_pipeline);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(fields)
