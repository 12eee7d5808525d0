/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compares the output with the oracle: all formats of the caps, sizes down to one pixel, and the
 * effect of each pixel property on luma, chroma, alpha and padding. Finds the longest edges of an
 * 8K frame. */

#include "common.h"

#include <string.h>

#include "layout.h"
#include "tests/ref/guarded.h"
#include "tests/ref/oracle_compose.h"

typedef struct {
  /* For the element. A '+' stands before the properties of compose, if there are any. The oracle
   * then composes the frame that the element makes without them. */
  const gchar *properties;
  const gchar *kernel; /* for the oracle, with the same meaning */
  CcFilter filter;
} Case;

static const Case cases[] = {
    {"kernel=identity", "identity", {0}},
    {"kernel=sobel", "sobel", {0}},
    {"kernel=gaussian", "gaussian", {0}},
    {"kernel=gaussian size=3 border=constant border-value=1",
     "gaussian",
     {.size = 3, .border = CC_BORDER_CONSTANT, .border_value = 1}},
    {"kernel=box size=15 border=reflect alpha=filter",
     "box",
     {.size = 15, .border = CC_BORDER_REFLECT, .alpha = CC_ALPHA_FILTER}},
    {"kernel=unsharp border=reflect-101 alpha=opaque",
     "unsharp",
     {.border = CC_BORDER_REFLECT_101, .alpha = CC_ALPHA_OPAQUE}},
    {"kernel=sharpen chroma=filter border=wrap",
     "sharpen",
     {.chroma = CC_CHROMA_FILTER, .border = CC_BORDER_WRAP}},
    {"kernel=gaussian chroma=copy bias=-20.5",
     "gaussian",
     {.chroma = CC_CHROMA_COPY, .bias = -20.5}},
    {"kernel=gaussian chroma=neutral scale=0.005",
     "gaussian",
     {.chroma = CC_CHROMA_NEUTRAL, .scale = 0.005}},
    {"kernel=sobel-x response=offset size=5",
     "sobel-x",
     {.response = CC_RESPONSE_OFFSET, .size = 5}},
    {"kernel=scharr response=magnitude-l1 scale=0.0625",
     "scharr",
     {.response = CC_RESPONSE_MAGNITUDE_L1, .scale = 0.0625}},
    {"kernel=laplacian response=absolute chroma=filter",
     "laplacian",
     {.response = CC_RESPONSE_ABSOLUTE, .chroma = CC_CHROMA_FILTER}},
    {"kernel=sobel response=direction", "sobel", {.response = CC_RESPONSE_DIRECTION}},
    {"kernel=scharr response=direction bias=-40 stride=2 border=wrap alpha=filter",
     "scharr",
     {.response = CC_RESPONSE_DIRECTION,
      .bias = -40,
      .stride = 2,
      .border = CC_BORDER_WRAP,
      .alpha = CC_ALPHA_FILTER}},
    {"kernel=prewitt response=direction color=components chroma=neutral",
     "prewitt",
     {.response = CC_RESPONSE_DIRECTION,
      .color = CC_COLOR_COMPONENTS,
      .chroma = CC_CHROMA_NEUTRAL}},
    {"kernel=sobel response=canny low=60 high=400",
     "sobel",
     {.response = CC_RESPONSE_CANNY, .low = 60, .high = 400}},
    {"kernel=sobel size=7 response=canny-l1 low=9000.5 high=50000 stride=2 border=wrap "
     "alpha=filter",
     "sobel",
     {.size = 7,
      .response = CC_RESPONSE_CANNY_L1,
      .low = 9000.5,
      .high = 50000,
      .stride = 2,
      .border = CC_BORDER_WRAP,
      .alpha = CC_ALPHA_FILTER}},
    {"kernel=gaussian sigma=0.8", "gaussian", {.sigma = 0.8}},
    {"kernel=gaussian size=5 stride=2 chroma=filter",
     "gaussian",
     {.size = 5, .stride = 2, .chroma = CC_CHROMA_FILTER}},
    {"kernel=sobel stride=4", "sobel", {.stride = 4}},
    {"kernel=sharpen stride=2 border=wrap alpha=filter",
     "sharpen",
     {.stride = 2, .border = CC_BORDER_WRAP, .alpha = CC_ALPHA_FILTER}},
    {"kernel=gaussian sigma=0.8 stride=4 border=constant border-value=0.5 chroma=filter",
     "gaussian",
     {.sigma = 0.8,
      .stride = 4,
      .border = CC_BORDER_CONSTANT,
      .border_value = 0.5,
      .chroma = CC_CHROMA_FILTER}},
    {"kernel=gaussian alpha=weighted", "gaussian", {.alpha = CC_ALPHA_WEIGHTED}},
    {"kernel=box size=9 color=grey alpha=weighted border=wrap",
     "box",
     {.size = 9, .color = CC_COLOR_GREY, .alpha = CC_ALPHA_WEIGHTED, .border = CC_BORDER_WRAP}},
    {"kernel=gaussian size=5 stride=2 chroma=copy alpha=weighted",
     "gaussian",
     {.size = 5, .stride = 2, .chroma = CC_CHROMA_COPY, .alpha = CC_ALPHA_WEIGHTED}},
    {"kernel=sobel + threshold=0.25", "sobel", {.threshold = 0.25}},
    {"kernel=gaussian + invert=true", "gaussian", {.invert = TRUE}},
    {"kernel=gaussian size=5 alpha=filter + mix=-1.5",
     "gaussian",
     {.size = 5, .alpha = CC_ALPHA_FILTER, .mixes = TRUE, .mix = -1.5}},
    {"kernel=box size=7 + mix=0.5 threshold=0.5 invert=true",
     "box",
     {.size = 7, .mixes = TRUE, .mix = 0.5, .threshold = 0.5, .invert = TRUE}},
    {"kernel=sobel + overlay=0xffff0000", "sobel", {.overlay = 0xffff0000}},
    {"kernel=scharr stride=2 + overlay=0x8020ff80 threshold=0.1 mix=0.75",
     "scharr",
     {.stride = 2, .overlay = 0x8020ff80, .threshold = 0.1, .mixes = TRUE, .mix = 0.75}},
};

static void
check(const Case *c, const gchar *caps, guint32 seed) {
  g_autofree gchar *out_caps = test_caps_divided(caps, MAX(c->filter.stride, 1));
  g_auto(GStrv) parts = g_strsplit(c->properties, "+", 2);
  g_autofree gchar *properties = g_strjoinv("", parts);
  g_autofree gchar *what = g_strdup_printf("cudaconv %s, %s", properties, caps);
  GstBuffer *input = test_frame_random(caps, seed);
  GstBuffer *expected =
      parts[1] ? test_filter(parts[0], caps, gst_buffer_ref(input)) : test_frame_flat(out_caps, 0);
  GstBuffer *result = test_filter(properties, caps, gst_buffer_ref(input));
  CcFilter filter = c->filter;
  filter.kernel = cc_kernels_find(c->kernel);
  fail_unless(filter.kernel != NULL, "no kernel %s", c->kernel);

  TestFrame from, to, got;
  OracleTolerance tolerance = {0};
  test_map(&from, caps, input, GST_MAP_READ);
  test_map(&to, out_caps, expected, GST_MAP_WRITE);
  test_map(&got, out_caps, result, GST_MAP_READ);
  if (parts[1])
    oracle_compose(&filter, NULL, &from.layout, &from.planes, &to.planes);
  else
    oracle_filter(&filter, NULL, &from.layout, &from.planes, &to.planes, &tolerance);
  g_autofree gchar *message = NULL;
  fail_unless(frames_match(&to.layout, &to.planes, &got.planes, &tolerance, &message), "%s: %s",
              what, message);
  test_unmap(&got);
  test_unmap(&to);
  test_unmap(&from);
  gst_buffer_unref(result);
  gst_buffer_unref(expected);
  gst_buffer_unref(input);
}

GST_START_TEST(every_format) {
  static const gint sizes[][2] = {{1, 1}, {3, 2}, {17, 5}, {64, 48}};
  for (guint s = 0; s < G_N_ELEMENTS(sizes); s++) {
    g_autofree gchar *caps = test_caps(test_formats_in_caps[__i__], sizes[s][0], sizes[s][1]);
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
      if (test_is_complete() || (s + i + (guint)__i__) % G_N_ELEMENTS(sizes) == 0)
        check(&cases[i], caps, s + i);
  }
}
GST_END_TEST;

GST_START_TEST(larger_frames) {
  static const gchar *const formats[] = {"GRAY8", "NV12", "RGB", "RGBA", "I420_10LE"};
  for (guint f = 0; f < G_N_ELEMENTS(formats); f++) {
    gboolean small = test_is_instrumented();
    g_autofree gchar *caps = test_caps(formats[f], small ? 65 : 321, small ? 33 : 241);
    check(&cases[__i__], caps, f);
  }
}
GST_END_TEST;

/* Every named kernel in each of its sizes. */
GST_START_TEST(every_kernel) {
  const GPtrArray *kernels = cc_kernels_builtin();
  for (guint i = 0; i < kernels->len; i++) {
    const CcKernel *kernel = g_ptr_array_index(kernels, i);
    for (guint s = 0; s < kernel->n_sizes; s++) {
      g_autofree gchar *caps = test_caps(s % 2 ? "RGB" : "I420", 33, 17);
      g_autofree gchar *properties =
          g_strdup_printf("kernel=%s size=%u", kernel->name, kernel->sizes[s].size);
      Case c = {properties, kernel->name, {.size = kernel->sizes[s].size}};
      check(&c, caps, i);
    }
  }
}
GST_END_TEST;

GST_START_TEST(full_range) {
  static const gchar *const formats[] = {"I420", "NV12", "AYUV", "I420_10LE"};
  for (guint f = 0; f < G_N_ELEMENTS(formats); f++) {
    g_autofree gchar *caps = test_caps_with(formats[f], 17, 5, "colorimetry=1:4:7:1");
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
      check(&cases[i], caps, i);
  }
}
GST_END_TEST;

/* Direction colors are converted with the matrix of the stream. */
GST_START_TEST(matrices) {
  static const gchar *const formats[] = {"I420", "YUY2", "AYUV", "I420_10LE", "RGB"};
  static const gchar *const colorimetries[] = {"bt709", "bt601", "bt2020", "1:3:5:1"};
  const Case c = {"kernel=sobel response=direction", "sobel", {.response = CC_RESPONSE_DIRECTION}};
  for (guint f = 0; f < G_N_ELEMENTS(formats); f++)
    for (guint i = 0; i < G_N_ELEMENTS(colorimetries); i++) {
      g_autofree gchar *fields = g_strconcat("colorimetry=", colorimetries[i], NULL);
      g_autofree gchar *caps =
          test_caps_with(formats[f], 17, 5, g_str_equal(formats[f], "RGB") ? "" : fields);
      check(&c, caps, i);
    }
}
GST_END_TEST;

typedef struct {
  const gchar *format, *fields;
  guint first, second; /* bytes of a flat area in the first plane, and in the second */
} Flat;

/* The expected values are numbers, not the oracle's: in flat areas an edge kernel gives black of
 * the format's range, and neutral chroma. */
static const Flat flats[] = {
    {"GRAY8", "", 0, 0},   {"RGB", "", 0, 0},
    {"I420", "", 16, 128}, {"I420", "colorimetry=1:4:7:1", 0, 128},
    {"NV12", "", 16, 128}, {"NV12", "colorimetry=1:4:7:1", 0, 128},
};

GST_START_TEST(flat_areas_of_edge_kernels_are_black) {
  static const gchar *const kernels[] = {"sobel",  "sobel-x",   "sobel-y",     "scharr", "prewitt",
                                         "kirsch", "laplacian", "laplacian-8", "log",    "roberts"};
  const Flat *flat = &flats[__i__];
  g_autofree gchar *caps = test_caps_with(flat->format, 64, 48, flat->fields);
  for (guint k = 0; k < G_N_ELEMENTS(kernels); k++) {
    g_autofree gchar *properties = g_strdup_printf("kernel=%s", kernels[k]);
    GstBuffer *result = test_filter(properties, caps, test_frame_flat(caps, 100));
    TestFrame frame;
    test_map(&frame, caps, result, GST_MAP_READ);
    for (guint p = 0; p < frame.layout.n_planes; p++)
      for (guint y = 0; y < frame.layout.plane[p].height; y++)
        for (guint x = 0; x < cc_plane_row_bytes(&frame.layout.plane[p]); x++)
          if (test_row(&frame, p, y)[x] != (p ? flat->second : flat->first))
            fail("%s, %s: plane %u has %u", kernels[k], caps, p, test_row(&frame, p, y)[x]);
    test_unmap(&frame);
    gst_buffer_unref(result);
  }
}
GST_END_TEST;

/* --- long edges --- */

static GstBuffer *
draw_spiral(const gchar *caps) {
  GstBuffer *buffer = test_frame_flat(caps, 0);
  g_autoptr(GRand) rand = g_rand_new_with_seed(1);
  TestFrame frame;
  test_map(&frame, caps, buffer, GST_MAP_WRITE);
  g_autoptr(GuardedFrame) drawn = guarded_frame_new(&frame.layout, PLACEMENT_ALIGNED);
  guarded_frame_draw(drawn, PATTERN_SPIRAL, rand);
  for (guint y = 0; y < frame.layout.plane[0].height; y++)
    memcpy(test_row(&frame, 0, y), guarded_frame_row(drawn, 0, y), frame.layout.plane[0].width);
  test_unmap(&frame);
  return buffer;
}

/* Makes the spot as faint as the rest of the line. */
static void
remove_spot(const gchar *caps, GstBuffer *buffer) {
  TestFrame frame;
  test_map(&frame, caps, buffer, GST_MAP_READWRITE);
  const guint8 faint = test_row(&frame, 0, 0)[frame.layout.plane[0].width - 1];
  for (guint y = 0; y < 8; y++)
    for (guint x = 0; x < 8; x++)
      test_row(&frame, 0, y)[x] = MIN(test_row(&frame, 0, y)[x], faint);
  test_unmap(&frame);
}

static guint64
count_white(const gchar *caps, GstBuffer *buffer) {
  guint64 n = 0;
  TestFrame frame;
  test_map(&frame, caps, buffer, GST_MAP_READ);
  for (guint y = 0; y < frame.layout.plane[0].height; y++)
    for (guint x = 0; x < frame.layout.plane[0].width; x++)
      n += test_row(&frame, 0, y)[x] == 255;
  test_unmap(&frame);
  return n;
}

/* Canny's worst case: a spiral of weak pixels as long as an 8K frame, with a strong spot at its
 * start. The lines are 8 pixels apart and have two contours, so about a quarter of all pixels are
 * edges, all because of the spot. Time that is not proportional to the number of pixels would be
 * minutes. */
GST_START_TEST(longest_edges) {
  const gboolean is_slow = test_is_instrumented() || g_getenv("FAKE_CUDA");
  const gint width = is_slow ? 480 : 7680, height = is_slow ? 270 : 4320;
  static const gchar *const responses[] = {"canny", "canny-l1"};
  g_autofree gchar *caps = test_caps("GRAY8", width, height);
  GstBuffer *lit = draw_spiral(caps);
  GstBuffer *dark = gst_buffer_copy_deep(lit);
  remove_spot(caps, dark);
  for (guint i = 0; i < G_N_ELEMENTS(responses); i++) {
    g_autofree gchar *grown = g_strdup_printf("response=%s low=100 high=400", responses[i]);
    g_autofree gchar *weak = g_strdup_printf("response=%s low=100 high=100", responses[i]);
    GstBuffer *edges = test_filter(grown, caps, gst_buffer_ref(lit));
    GstBuffer *maxima = test_filter(weak, caps, gst_buffer_ref(lit));
    GstBuffer *none = test_filter(grown, caps, gst_buffer_ref(dark));
    const gdouble share = (gdouble)count_white(caps, edges) / width / height;
    fail_unless(share > 0.24 && share < 0.25, "%s: %g of the pixels are edges", grown, share);
    test_assert_same_frame(caps, edges, maxima, grown);
    fail_unless_equals_uint64(count_white(caps, none), 0);
    gst_buffer_unref(none);
    gst_buffer_unref(maxima);
    gst_buffer_unref(edges);
  }
  gst_buffer_unref(dark);
  gst_buffer_unref(lit);
}
GST_END_TEST;

static Suite *
pixels_suite(void) {
  Suite *suite = suite_create("pixels");
  TCase *tc = tcase_create("pixels");
  tcase_add_loop_test(tc, every_format, 0, (int)test_n_formats_in_caps);
  tcase_add_loop_test(tc, larger_frames, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tc, every_kernel);
  tcase_add_test(tc, full_range);
  tcase_add_test(tc, matrices);
  tcase_add_loop_test(tc, flat_areas_of_edge_kernels_are_black, 0, G_N_ELEMENTS(flats));
  tcase_add_test(tc, longest_edges);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(pixels)
