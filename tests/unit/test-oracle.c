/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The oracle against results computed by hand, because all other tests rely on it. Also the frame
 * comparison, which must detect a wrong byte anywhere. */

#include "tests/ref/formats.h"
#include "tests/ref/guarded.h"
#include "tests/unit/filtered.h"

#include <string.h>

/* Filters a region of one row or column of bytes as a frame of `format`. */
static void
filter_region(const CcFilter *filter, const CcRoi *roi, const gchar *format, gboolean limited_range,
              guint width, guint height, const guint8 *src, guint8 *dst) {
  const CcFrameLayout layout =
      test_format_layout(test_format_find(format), width, height, limited_range);
  gssize pitch = (gssize)cc_plane_row_bytes(&layout.plane[0]);
  const CcFrame from = {.plane = {{(guint8 *)src, pitch}}}, to = {.plane = {{dst, pitch}}};
  oracle_filter(filter, roi, &layout, &from, &to, NULL);
}

/* Filters the whole frame. */
static void
filter_bytes(const CcFilter *filter, const gchar *format, gboolean limited_range, guint width,
             guint height, const guint8 *src, guint8 *dst) {
  filter_region(filter, NULL, format, limited_range, width, height, src, dst);
}

static CcKernel *
kernel_of_row(const gdouble *coeff, guint n) {
  g_autoptr(GError) error = NULL;
  CcKernel *kernel = cc_kernel_new_matrix(coeff, n, n, &error);
  g_assert_no_error(error);
  return kernel;
}

static void
test_correlation(void) {
  static const gdouble coeff[] = {1, 2, 4};
  static const guint8 src[] = {0, 0, 10, 0, 0};
  static const guint8 expected[] = {0, 40, 20, 10, 0};
  g_autoptr(CcKernel) kernel = kernel_of_row(coeff, 3);
  const CcFilter filter = {.kernel = kernel, .scale = 1};
  guint8 dst[5];
  filter_bytes(&filter, "GRAY8", FALSE, 5, 1, src, dst);
  g_assert_cmpmem(dst, 5, expected, 5);
}

/* Halves are rounded up, also below zero, and results are clamped to the range. */
static void
test_rounding(void) {
  static const gdouble half[] = {1, 1, 0};
  static const guint8 src[] = {0, 1, 2, 3, 254, 255};
  g_autoptr(CcKernel) kernel = kernel_of_row(half, 3);
  const struct {
    CcFilter filter;
    guint8 expected[6];
  } cases[] = {
      {{.kernel = kernel}, {0, 1, 2, 3, 129, 255}},
      {{.kernel = kernel, .bias = -2.5}, {0, 0, 0, 0, 126, 252}},
      {{.kernel = kernel, .scale = 2}, {0, 2, 6, 10, 255, 255}},
      {{.kernel = kernel, .scale = -0.5, .bias = 3}, {3, 3, 2, 1, 0, 0}},
      {{.kernel = kernel, .scale = -0.5, .bias = 255, .response = CC_RESPONSE_ABSOLUTE},
       {255, 255, 254, 253, 127, 1}},
      {{.kernel = kernel, .scale = -0.5, .response = CC_RESPONSE_OFFSET},
       {128, 128, 127, 126, 0, 0}},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    guint8 dst[6];
    filter_bytes(&cases[i].filter, "GRAY8", FALSE, 6, 1, src, dst);
    g_assert_cmpmem(dst, 6, cases[i].expected, 6);
  }
}

static void
test_borders(void) {
  static const gdouble shift[] = {1, 0, 0, 0, 0}; /* reads two samples to the left */
  static const guint8 src[] = {10, 20, 30};
  static const guint8 expected[][3] = {
      [CC_BORDER_REPLICATE] = {10, 10, 10}, [CC_BORDER_CONSTANT] = {51, 51, 10},
      [CC_BORDER_REFLECT] = {20, 10, 10},   [CC_BORDER_REFLECT_101] = {30, 20, 10},
      [CC_BORDER_WRAP] = {20, 30, 10},
  };
  g_autoptr(CcKernel) kernel = kernel_of_row(shift, 5);
  for (gint border = 0; border < CC_N_BORDERS; border++) {
    const CcFilter filter = {.kernel = kernel, .border = (CcBorder)border, .border_value = 0.2};
    guint8 dst[3];
    filter_bytes(&filter, "GRAY8", FALSE, 3, 1, src, dst);
    g_assert_cmpmem(dst, 3, expected[border], 3);
  }
}

/* Every repetition rounds to code values, applies the border rule at the edges of the target, and
 * reads only the target. */
static void
test_repeats(void) {
  static const gdouble mean[] = {1, 1, 1};
  static const guint8 src[] = {99, 10, 0, 3, 99};
  static const guint8 expected[][5] = {
      {7, 7, 7, 4, 2}, /* (10+10+0)/3 = 6.7, (10+0+3)/3 = 4.3, (0+3+3)/3 = 2 */
      {7, 7, 6, 4, 3}, /* (7+7+4)/3 = 6, (7+4+2)/3 = 4.3, (4+2+2)/3 = 2.7 */
      {7, 7, 5, 4, 3}, /* (6+6+4)/3 = 5.3, (6+4+3)/3 = 4.3, (4+3+3)/3 = 3.3 */
  };
  g_autoptr(CcKernel) kernel = kernel_of_row(mean, 3);
  for (guint n = 1; n <= CC_MAX_REPEATS; n++) {
    const CcFilter filter = {.kernel = kernel, .repeats = n};
    const CcRoi roi = {.source = {1, 0, 3, 1}, .target_set = TRUE, .target_x = 2};
    guint8 dst[5] = {7, 7, 7, 7, 7};
    filter_region(&filter, &roi, "GRAY8", FALSE, 5, 1, src, dst);
    g_assert_cmpmem(dst, 5, expected[n - 1], 5);
  }
  /* the first repetition cuts the target off */
  static const guint8 cut[] = {7, 7, 7, 6, 5}; /* (7+7+4)/3 = 6, (7+4+4)/3 = 5 */
  const CcFilter filter = {.kernel = kernel, .repeats = 2};
  const CcRoi roi = {.source = {1, 0, 3, 1}, .target_set = TRUE, .target_x = 3};
  guint8 dst[5] = {7, 7, 7, 7, 7};
  filter_region(&filter, &roi, "GRAY8", FALSE, 5, 1, src, dst);
  g_assert_cmpmem(dst, 5, cut, 5);
}

/* Sobel on the corner of a square: both sums at the centre are 3 * 10. */
static void
test_gradient(void) {
  static const guint8 src[] = {0, 0, 0, 0, 10, 10, 0, 10, 10};
  static const struct {
    CcResponse response;
    guint8 middle;
  } cases[] = {
      {CC_RESPONSE_MAGNITUDE, 42}, /* sqrt(1800) = 42.43 */
      {CC_RESPONSE_MAGNITUDE_L1, 60}, {CC_RESPONSE_ABSOLUTE, 30},  {CC_RESPONSE_CLAMP, 30},
      {CC_RESPONSE_OFFSET, 158},      {CC_RESPONSE_DIRECTION, 32}, /* an eighth of a turn */
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFilter filter = {.kernel = cc_kernels_find("sobel"), .response = cases[i].response};
    guint8 dst[9];
    filter_bytes(&filter, "GRAY8", FALSE, 3, 3, src, dst);
    g_assert_cmpuint(dst[4], ==, cases[i].middle);
  }
}

static void
test_directions(void) {
  static const struct {
    guint8 src[9];
    guint8 middle;
  } cases[] = {
      {{0, 5, 9, 0, 5, 9, 0, 5, 9}, 0},   {{0, 0, 0, 5, 5, 5, 9, 9, 9}, 64},
      {{9, 5, 0, 9, 5, 0, 9, 5, 0}, 128}, {{9, 9, 9, 5, 5, 5, 0, 0, 0}, 192},
      {{7, 7, 7, 7, 7, 7, 7, 7, 7}, 0},
  };
  const CcFilter filter = {.kernel = cc_kernels_find("sobel"), .response = CC_RESPONSE_DIRECTION};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    guint8 dst[9];
    filter_bytes(&filter, "GRAY8", FALSE, 3, 3, cases[i].src, dst);
    g_assert_cmpuint(dst[4], ==, cases[i].middle);
  }
}

/* An edge kernel gives the legal black for a flat area; alpha and padding are kept. */
static void
test_roles(void) {
  static const guint8 flat[] = {200, 100, 50, 60};
  static const struct {
    const gchar *kernel, *format;
    gboolean limited_range;
    CcChroma chroma;
    CcAlpha alpha;
    guint8 expected[4];
  } cases[] = {
      {"sobel", "AYUV", TRUE, CC_CHROMA_AUTO, CC_ALPHA_COPY, {200, 16, 128, 128}},
      {"sobel", "AYUV", FALSE, CC_CHROMA_FILTER, CC_ALPHA_OPAQUE, {255, 0, 128, 128}},
      {"sobel", "AYUV", TRUE, CC_CHROMA_COPY, CC_ALPHA_FILTER, {0, 16, 50, 60}},
      {"sobel", "RGBx", TRUE, CC_CHROMA_AUTO, CC_ALPHA_COPY, {0, 0, 0, 60}},
      {"sobel", "ABGR", TRUE, CC_CHROMA_AUTO, CC_ALPHA_FILTER, {0, 0, 0, 0}},
      {"gaussian", "AYUV", TRUE, CC_CHROMA_AUTO, CC_ALPHA_FILTER, {200, 100, 50, 60}},
      {"gaussian", "AYUV", TRUE, CC_CHROMA_NEUTRAL, CC_ALPHA_COPY, {200, 100, 128, 128}},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFilter filter = {.kernel = cc_kernels_find(cases[i].kernel),
                             .chroma = cases[i].chroma,
                             .alpha = cases[i].alpha};
    guint8 dst[4];
    filter_bytes(&filter, cases[i].format, cases[i].limited_range, 1, 1, flat, dst);
    g_assert_cmpmem(dst, 4, cases[i].expected, 4);
  }
}

/* Luma, chroma and the spare sample of five pixels. A stride leaves two of three groups. */
static void
test_macropixels(void) {
  static const gdouble coeff[] = {1, 2, 4};
  static const guint8 src[] = {1, 10, 2, 20, 3, 11, 4, 21, 5, 12, 99, 22};
  static const struct {
    guint stride;
    CcChroma chroma;
    CcRect source;
    guint8 expected[12];
  } cases[] = {
      {1, CC_CHROMA_COPY, {0}, {11, 10, 17, 20, 24, 11, 31, 21, 34, 12, 34, 22}},
      {1, CC_CHROMA_NEUTRAL, {0}, {11, 128, 17, 128, 24, 128, 31, 128, 34, 128, 34, 128}},
      {1, CC_CHROMA_FILTER, {0}, {11, 74, 17, 144, 24, 80, 31, 150, 34, 83, 34, 153}},
      {1, CC_CHROMA_FILTER, {2, 0, 2, 1}, {7, 7, 7, 7, 25, 77, 27, 147, 7, 7, 7, 7}},
      {2, CC_CHROMA_FILTER, {0}, {11, 74, 24, 144, 34, 83, 34, 153}},
      {4, CC_CHROMA_FILTER, {0}, {11, 74, 34, 144}},
  };
  g_autoptr(CcKernel) kernel = kernel_of_row(coeff, 3);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFilter filter = {
        .kernel = kernel, .scale = 1, .chroma = cases[i].chroma, .stride = cases[i].stride};
    const CcRoi roi = {.source = cases[i].source};
    const gsize n = cases[i].stride == 1 ? 12 : cases[i].stride == 2 ? 8 : 4;
    guint8 dst[12];
    memset(dst, 7, sizeof dst);
    filter_region(&filter, &roi, "YUY2", TRUE, 5, 1, src, dst);
    g_assert_cmpmem(dst, n, cases[i].expected, n);
  }
}

/* The luma is rounded before it is summed: 54, 182 and 18 are the lumas of full red, green and
 * blue. */
static void
test_grey(void) {
  static const gdouble coeff[] = {1, 2, 4};
  static const guint8 src[] = {255, 0, 0, 40, 0, 255, 0, 50, 0, 0, 255, 60};
  static const struct {
    const gchar *format;
    CcColor color;
    CcAlpha alpha;
    guint8 expected[12];
  } cases[] = {
      /* (54 + 108 + 4 * 182) / 7, (54 + 364 + 72) / 7, (182 + 36 + 72) / 7 */
      {"RGBx", CC_COLOR_GREY, CC_ALPHA_COPY, {127, 127, 127, 40, 70, 70, 70, 50, 41, 41, 41, 60}},
      {"BGRx", CC_COLOR_GREY, CC_ALPHA_COPY, {112, 112, 112, 40, 85, 85, 85, 50, 72, 72, 72, 60}},
      {"RGBA", CC_COLOR_GREY, CC_ALPHA_FILTER, {127, 127, 127, 46, 70, 70, 70, 54, 41, 41, 41, 59}},
      {"RGBA",
       CC_COLOR_AUTO,
       CC_ALPHA_OPAQUE,
       {109, 146, 0, 255, 36, 73, 146, 255, 0, 36, 219, 255}},
  };
  g_autoptr(CcKernel) kernel = kernel_of_row(coeff, 3);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFilter filter = {.kernel = kernel, .color = cases[i].color, .alpha = cases[i].alpha};
    guint8 dst[12];
    filter_bytes(&filter, cases[i].format, TRUE, 3, 1, src, dst);
    g_assert_cmpmem(dst, 12, cases[i].expected, 12);
  }
}

/* Edges are limited to black and white. A negative scale inverts them: they are drawn on white. */
static void
test_limits(void) {
  static const guint8 src[] = {0, 0, 255, 255};
  static const struct {
    gboolean limited_range;
    gdouble scale, bias;
    guint8 expected[4];
  } cases[] = {
      {TRUE, 0, 0, {16, 235, 235, 16}},          {FALSE, 0, 0, {0, 255, 255, 0}},
      {FALSE, -1, 255, {255, 0, 0, 255}},        {TRUE, -1, 255, {235, 16, 16, 235}},
      {TRUE, -0.125, 255, {235, 108, 108, 235}}, /* 235 - 1020 / 8 = 107.5 */
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFilter filter = {
        .kernel = cc_kernels_find("sobel"), .scale = cases[i].scale, .bias = cases[i].bias};
    const CcFrameLayout layout =
        test_format_layout(test_format_find("NV12"), 4, 1, cases[i].limited_range);
    guint8 dst[4], chroma[4] = {0};
    const CcFrame from = {.plane = {{(guint8 *)src, 4}, {chroma, 4}}};
    const CcFrame to = {.plane = {{dst, 4}, {chroma, 4}}};
    oracle_filter(&filter, NULL, &layout, &from, &to, NULL);
    g_assert_cmpmem(dst, 4, cases[i].expected, 4);
  }
}

/* The code values of the first pixel. */
static void
assert_codes(const CcFrameLayout *layout, const CcFrame *frame, const guint *expected) {
  for (guint p = 0, i = 0; p < layout->n_planes; p++)
    for (guint c = 0; c < layout->plane[p].step; c++, i++) {
      guint16 word;
      memcpy(&word, frame->plane[p].data + 2 * c, sizeof word);
      g_assert_cmpuint(GUINT16_FROM_LE(word) >> layout->plane[p].shift, ==, expected[i]);
    }
}

/* The values of an 8-bit bias at other depths: 255 is white. The frames are black, including alpha.
 * The CPU backend gives the same. */
static void
test_bias_of_depths(void) {
  CcKernel *identity = cc_kernels_find("identity"), *sobel = cc_kernels_find("sobel"),
           *sobel_x = cc_kernels_find("sobel-x");
  const struct {
    const gchar *format;
    gboolean limited_range;
    CcFilter filter;
    guint expected[4];
  } cases[] = {
      {"GRAY16_LE", FALSE, {.kernel = identity, .bias = 255}, {65535}},
      {"GRAY16_LE", TRUE, {.kernel = identity, .bias = 255}, {65535}}, /* grey ignores the range */
      {"GRAY16_LE", FALSE, {.kernel = identity, .bias = 128}, {32896}},
      {"GRAY16_LE", FALSE, {.kernel = sobel, .scale = -1, .bias = 255}, {65535}},
      {"GBR_10LE", FALSE, {.kernel = identity, .bias = 255}, {1023, 1023, 1023}},
      {"GBR_10LE", FALSE, {.kernel = identity, .bias = 1}, {4, 4, 4}},
      {"GBR_10LE", FALSE, {.kernel = identity, .bias = 42.375}, {170, 170, 170}}, /* 169.9985 */
      {"GBR_10LE", FALSE, {.kernel = identity, .bias = 42.5}, {171, 171, 171}}, /* 170.5: a half */
      {"GBR_12LE", FALSE, {.kernel = sobel, .scale = -1, .bias = 255}, {4095, 4095, 4095}},
      {"ARGB64",
       FALSE,
       {.kernel = identity, .bias = 255, .alpha = CC_ALPHA_FILTER},
       {65535, 65535, 65535, 65535}},
      /* in limited range an 8-bit code value is 4, 16 or 256 */
      {"I420_10LE", TRUE, {.kernel = identity, .bias = 255}, {1020, 1020, 1020}},
      {"I420_10LE", TRUE, {.kernel = identity, .bias = 235}, {940, 940, 940}},
      {"I420_10LE", FALSE, {.kernel = identity, .bias = 255}, {1023, 1023, 1023}},
      {"P010_10LE", TRUE, {.kernel = sobel, .scale = -1, .bias = 255}, {940, 512, 512}},
      {"P010_10LE", FALSE, {.kernel = sobel, .scale = -1, .bias = 255}, {1023, 512, 512}},
      {"Y444_16LE", TRUE, {.kernel = sobel, .scale = -1, .bias = 255}, {60160, 32768, 32768}},
      {"Y444_16LE", TRUE, {.kernel = sobel, .bias = 10}, {26 * 256, 32768, 32768}},
      {"Y444_16LE", FALSE, {.kernel = sobel, .bias = 10}, {2570, 32768, 32768}},
      /* mid-grey is half of the range, and a turn is the full range */
      {"GRAY16_LE", FALSE, {.kernel = sobel_x, .response = CC_RESPONSE_OFFSET}, {32768}},
      {"GRAY16_LE",
       FALSE,
       {.kernel = sobel, .response = CC_RESPONSE_DIRECTION, .bias = 64},
       {16384}},
  };
  g_autoptr(GRand) rand = g_rand_new_with_seed(1);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFrameLayout layout =
        test_format_layout(test_format_find(cases[i].format), 2, 2, cases[i].limited_range);
    g_autoptr(GuardedFrame) src = guarded_frame_new(&layout, PLACEMENT_ALIGNED);
    g_autoptr(GuardedFrame) dst = guarded_frame_new(&layout, PLACEMENT_ALIGNED);
    guarded_frame_draw(src, PATTERN_ZERO, rand);
    oracle_filter(&cases[i].filter, NULL, &layout, &src->frame, &dst->frame, NULL);
    assert_codes(&layout, &dst->frame, cases[i].expected);
    g_autoptr(GuardedFrame) filtered = filtered_frame_new(&cases[i].filter, NULL, 1, src);
    assert_codes(&layout, &filtered->frame, cases[i].expected);
  }
}

/* A region is filtered like a frame of its own, and only its target is written. */
static void
test_regions(void) {
  static const gdouble coeff[] = {1, 2, 4};
  static const guint8 src[] = {9, 1, 2, 3, 4, 5, 9};
  g_autoptr(CcKernel) kernel = kernel_of_row(coeff, 3);
  static const struct {
    guint stride;
    CcRect source;
    gint target; /* -1: the same */
    CcBorder border;
    guint8 expected[7];
  } cases[] = {
      {1, {1, 0, 5, 1}, -1, CC_BORDER_REPLICATE, {77, 11, 17, 24, 31, 34, 77}},
      {1, {1, 0, 5, 1}, -1, CC_BORDER_CONSTANT, {77, 10, 17, 24, 31, 14, 77}},
      {1, {1, 0, 5, 1}, 4, CC_BORDER_WRAP, {77, 77, 77, 77, 15, 17, 24}},
      {1, {3, 0, 1, 1}, 0, CC_BORDER_REFLECT_101, {21, 77, 77, 77, 77, 77, 77}},
      {2, {1, 0, 5, 1}, -1, CC_BORDER_REPLICATE, {11, 24, 34, 77}},
      {2, {0}, 2, CC_BORDER_REPLICATE, {77, 77, 31, 17}},
      {4, {1, 0, 6, 1}, 0, CC_BORDER_REPLICATE, {11, 50}},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFilter filter = {
        .kernel = kernel, .scale = 1, .border = cases[i].border, .stride = cases[i].stride};
    const CcRoi roi = {.source = cases[i].source,
                       .target_set = cases[i].target >= 0,
                       .target_x = cases[i].target >= 0 ? (guint)cases[i].target : 0};
    const gsize n = (7 + cases[i].stride - 1) / cases[i].stride;
    guint8 dst[7];
    memset(dst, 77, sizeof dst);
    filter_region(&filter, &roi, "GRAY8", FALSE, 7, 1, src, dst);
    g_assert_cmpmem(dst, n, cases[i].expected, n);
  }
}

/* The region covers all chroma samples that its luma touches, also if chroma is copied. */
static void
test_region_of_chroma(void) {
  const CcFrameLayout layout = test_format_layout(test_format_find("NV12"), 7, 1, TRUE);
  static const guint8 luma[7] = {1, 2, 3, 4, 5, 6, 7}, chroma[8] = {10, 11, 20, 21, 30, 31, 40, 41};
  guint8 luma_out[7] = {0}, chroma_out[8] = {0};
  const CcFrame src = {.plane = {{(guint8 *)luma, 7}, {(guint8 *)chroma, 8}}};
  const CcFrame dst = {.plane = {{luma_out, 7}, {chroma_out, 8}}};
  const CcFilter filter = {.kernel = cc_kernels_find("identity"), .chroma = CC_CHROMA_COPY};
  const CcRoi roi = {.source = {3, 0, 2, 1}, .target_set = TRUE, .target_x = 5};
  oracle_filter(&filter, &roi, &layout, &src, &dst, NULL);
  g_assert_cmpmem(luma_out, 7, ((const guint8[]){0, 0, 0, 0, 0, 4, 5}), 7);
  g_assert_cmpmem(chroma_out, 8, ((const guint8[]){0, 0, 0, 0, 20, 21, 30, 31}), 8);
}

/* P010: the low bits of the input are ignored, those of the output are zero. */
static void
test_high_bits(void) {
  const CcFrameLayout layout = test_format_layout(test_format_find("P010_10LE"), 1, 1, TRUE);
  static const guint8 luma[] = {0x7f, 0x40}, chroma[] = {0x3f, 0x80, 0x01, 0x80};
  guint8 luma_out[2], chroma_out[4];
  const CcFrame src = {.plane = {{(guint8 *)luma, 2}, {(guint8 *)chroma, 4}}};
  const CcFrame dst = {.plane = {{luma_out, 2}, {chroma_out, 4}}};
  const CcFilter copied = {.kernel = cc_kernels_find("sharpen")};
  oracle_filter(&copied, NULL, &layout, &src, &dst, NULL);
  g_assert_cmpmem(luma_out, 2, ((const guint8[]){0x40, 0x40}), 2);
  g_assert_cmpmem(chroma_out, 4, chroma, 4);
  const CcFilter neutral = {.kernel = cc_kernels_find("sobel"), .bias = 1};
  oracle_filter(&neutral, NULL, &layout, &src, &dst, NULL);
  /* (64 + 4) << 6 */
  g_assert_cmpmem(luma_out, 2, ((const guint8[]){0x00, 0x11}), 2);
  g_assert_cmpmem(chroma_out, 4, ((const guint8[]){0x00, 0x80, 0x00, 0x80}), 4);
}

static void
test_tolerance(void) {
  static const gdouble thirds[] = {1 / 3.0, 1 / 3.0, 1 / 3.0}, real[] = {G_PI, G_E, G_SQRT2};
  g_autoptr(CcKernel) rational = kernel_of_row(thirds, 3), irrational = kernel_of_row(real, 3);
  const struct {
    CcFilter filter;
    guint limit;
  } cases[] = {
      {{.kernel = rational}, 0},
      {{.kernel = rational, .scale = 1 / 7.0, .bias = 0.1}, 0},
      {{.kernel = rational, .scale = 0.1234567891234}, 1},
      {{.kernel = irrational}, 1},
      {{.kernel = cc_kernels_find("gaussian"), .sigma = 1.5}, 1},
      {{.kernel = cc_kernels_find("sobel"), .response = CC_RESPONSE_DIRECTION}, 1},
  };
  const CcFrameLayout layout = test_format_layout(test_format_find("GRAY8"), 4, 4, FALSE);
  g_autoptr(GuardedFrame) src = guarded_frame_new(&layout, PLACEMENT_AT_END);
  g_autoptr(GuardedFrame) dst = guarded_frame_new(&layout, PLACEMENT_AT_END);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    OracleTolerance tolerance;
    oracle_filter(&cases[i].filter, NULL, &layout, &src->frame, &dst->frame, &tolerance);
    g_assert_cmpuint(tolerance.limit[0][0], ==, cases[i].limit);
    g_assert_cmpint(tolerance.circular, ==, cases[i].filter.response == CC_RESPONSE_DIRECTION);
  }
}

/* --- the frame comparison --- */

static void
test_guard_sees_damage(void) {
  const CcFrameLayout layout = test_format_layout(test_format_find("NV12"), 7, 5, TRUE);
  for (gint placement = 0; placement < PLACEMENT_COUNT; placement++) {
    for (guint p = 0; p < layout.n_planes; p++) {
      g_autoptr(GuardedFrame) frame = guarded_frame_new(&layout, (Placement)placement);
      g_autoptr(GRand) rand = g_rand_new_with_seed(1);
      gchar *message = NULL;
      guarded_frame_draw(frame, PATTERN_RANDOM, rand);
      g_assert_true(guarded_frame_intact(frame, &message));
      guint8 *last = frame->frame.plane[p].data + cc_plane_row_bytes(&layout.plane[p]) - 1;
      guint8 *end = frame->plane[p].area + frame->plane[p].length;
      gboolean has_gap =
          ABS(frame->frame.plane[p].pitch) > (gssize)cc_plane_row_bytes(&layout.plane[p]) ||
          placement == PLACEMENT_ALIGNED;
      if (!has_gap || last + 1 >= end)
        continue;
      last[1] ^= 1;
      g_assert_false(guarded_frame_intact(frame, &message));
      g_test_message("%s", message);
      g_free(message);
    }
  }
}

static void
test_match_sees_difference(void) {
  const CcFrameLayout layout = test_format_layout(test_format_find("P010_10LE"), 6, 4, TRUE);
  g_autoptr(GuardedFrame) a = guarded_frame_new(&layout, PLACEMENT_AT_END);
  g_autoptr(GuardedFrame) b = guarded_frame_new(&layout, PLACEMENT_ODD);
  OracleTolerance tolerance = {.target = {{0, 0, 6, 4}, {1, 1, 1, 1}}};
  gchar *message = NULL;
  g_assert_true(frames_match(&layout, &a->frame, &b->frame, &tolerance, &message));
  guint8 *sample = b->frame.plane[1].data + b->frame.plane[1].pitch + 6; /* x 1, component 1 */
  sample[0] += 0x40;                                                     /* one code */
  g_assert_false(frames_match(&layout, &a->frame, &b->frame, &tolerance, &message));
  g_assert_nonnull(strstr(message, "plane 1, x 1, y 1, component 1"));
  g_free(message);
  tolerance.limit[1][1] = 1;
  g_assert_true(frames_match(&layout, &a->frame, &b->frame, &tolerance, &message));
  tolerance.target[1].x = 0; /* no difference is allowed outside */
  g_assert_false(frames_match(&layout, &a->frame, &b->frame, &tolerance, &message));
  g_clear_pointer(&message, g_free);
  tolerance.target[1].x = 1;
  sample[0] += 1; /* a bit below the significant ones */
  g_assert_false(frames_match(&layout, &a->frame, &b->frame, &tolerance, &message));
  g_free(message);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/oracle/correlation", test_correlation);
  g_test_add_func("/oracle/rounding", test_rounding);
  g_test_add_func("/oracle/borders", test_borders);
  g_test_add_func("/oracle/repeats", test_repeats);
  g_test_add_func("/oracle/gradient", test_gradient);
  g_test_add_func("/oracle/directions", test_directions);
  g_test_add_func("/oracle/roles", test_roles);
  g_test_add_func("/oracle/pairs", test_macropixels);
  g_test_add_func("/oracle/grey", test_grey);
  g_test_add_func("/oracle/limits", test_limits);
  g_test_add_func("/oracle/bias-of-depths", test_bias_of_depths);
  g_test_add_func("/oracle/regions", test_regions);
  g_test_add_func("/oracle/region-of-chroma", test_region_of_chroma);
  g_test_add_func("/oracle/high-bits", test_high_bits);
  g_test_add_func("/oracle/tolerance", test_tolerance);
  g_test_add_func("/guard/sees-damage", test_guard_sees_damage);
  g_test_add_func("/guard/match-sees-difference", test_match_sees_difference);
  return g_test_run();
}
