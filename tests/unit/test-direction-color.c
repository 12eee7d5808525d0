/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Direction color: colors and tables compared with numbers computed by hand, the frames that have
 * it, and the pixels that a sample covers. tests/checkasm compares the fast code with this plain
 * loop. */

#include "plugin/backends.h"
#include "cpu/isa.h"
#include "cpu/lower.h"
#include "tests/ref/formats.h"
#include "tests/unit/filtered.h"

#include <string.h>

#define KR_709 0.2126
#define KB_709 0.0722

/* --- hues --- */

static void
test_colors(void) {
  static const struct {
    guint index, rgb[3];
  } cases[] = {
      {0, {0, 0, 0}},      {1, {255, 0, 0}},     {2, {255, 6, 0}},     {43, {255, 253, 0}},
      {44, {252, 255, 0}}, {86, {0, 255, 0}},    {128, {0, 255, 253}}, {129, {0, 252, 255}},
      {171, {0, 0, 255}},  {214, {255, 0, 252}}, {255, {255, 0, 5}},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    guint rgb[3];
    cc_hue_color(cases[i].index, rgb);
    for (guint c = 0; c < 3; c++)
      g_assert_cmpuint(rgb[c], ==, cases[i].rgb[c]);
  }
}

/* A full turn is 255 hues, with indices from 1 on. */
static void
test_indices(void) {
  static const struct {
    gfloat x, y, bias;
    gint index;
  } cases[] = {
      {0, 0, 0, 0},      {0, 0, 100, 0},   {1, 0, 0, 1},
      {65535, 0, 0, 1},  {0, 1, 0, 65}, /* 63.75 */
      {1, 1, 0, 33},                    /* 31.875 */
      {-1, 0, 0, 129},                  /* 127.5 */
      {-1, -1, 0, 160},                 /* 159.375 */
      {0, -1, 0, 192},                  /* 191.25 */
      {100, -1, 0, 1},                  /* 254.6: past the last half hue, so the first again */
      {100, -2, 0, 255},                /* 254.2 */
      {1, 0, -1, 255},   {1, 0, 255, 1},   {1, 0, -255, 1},
      {0, 1, 64, 129},   {1, 0, 65535, 1}, {1, 0, -65535, 1},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    g_assert_cmpint(cc_hue_index(cases[i].x, cases[i].y, cases[i].bias + 0.5f), ==, cases[i].index);
}

/* --- tables --- */

static void
test_tables(void) {
  static const struct {
    const gchar *format;
    gboolean limited;
    gdouble kr, kb;
    guint index;
    guint word[3];
  } cases[] = {
      {"RGB", FALSE, 0, 0, 0, {0, 0, 0}},
      {"RGB", FALSE, 0, 0, 1, {255, 0, 0}},
      {"RGB", FALSE, 0, 0, 44, {252, 255, 0}},
      {"GBR_10LE", FALSE, 0, 0, 44, {1011, 1023, 0}}, /* 252 * 1023 / 255 = 1010.96 */
      {"ARGB64", FALSE, 0, 0, 2, {65535, 1542, 0}},   /* 6 * 257 */
      {"I420", TRUE, 0, 0, 0, {16, 128, 128}},
      {"I420", FALSE, 0, 0, 0, {0, 128, 128}},
      {"I420_10LE", TRUE, 0, 0, 0, {64, 512, 512}},
      {"P010_10LE", TRUE, 0, 0, 0, {64 << 6, 512 << 6, 512 << 6}},
      {"P016_LE", FALSE, 0, 0, 0, {0, 32768, 32768}},
      /* red: Y' 16 + 219 * 0.299 = 81.481, Cb 128 - 112 * 0.299 / 0.886 = 90.203 */
      {"I420", TRUE, 0, 0, 1, {81, 90, 240}},
      {"I420", TRUE, 0.299, 0.114, 1, {81, 90, 240}},
      {"I420_10LE", TRUE, 0, 0, 1, {326, 361, 960}},
      {"P010_10LE", TRUE, 0, 0, 1, {326 << 6, 361 << 6, 960 << 6}},
      {"P016_LE", TRUE, 0, 0, 1, {20859, 23092, 61440}},
      /* full range: Y' 76.245, Cb 84.972, Cr 255.5, which is clamped */
      {"I420", FALSE, 0, 0, 1, {76, 85, 255}},
      {"I420_10LE", FALSE, 0, 0, 1, {306, 339, 1023}},
      /* BT.709: Y' 62.559, Cb 102.336; full range: 54.213, Cb 98.784 */
      {"I420", TRUE, KR_709, KB_709, 1, {63, 102, 240}},
      {"YUY2", TRUE, KR_709, KB_709, 1, {63, 102, 240}},
      {"I420", FALSE, KR_709, KB_709, 1, {54, 99, 255}},
      /* blue: Y' 40.966 and 29.07, Cr 109.786 and 107.265 */
      {"I420", TRUE, 0, 0, 171, {41, 240, 110}},
      {"AYUV", FALSE, 0, 0, 171, {29, 255, 107}},
  };
  const CcFilter filter = {.kernel = cc_kernels_find("sobel"), .response = CC_RESPONSE_DIRECTION};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    CcFrameLayout layout =
        test_format_layout(test_format_find(cases[i].format), 8, 4, cases[i].limited);
    layout.kr = cases[i].kr;
    layout.kb = cases[i].kb;
    g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, NULL);
    for (guint c = 0; c < 3; c++)
      g_assert_cmpuint(cc_plan_get_direction_color(plan)->word[c][cases[i].index], ==,
                       cases[i].word[c]);
  }
}

/* --- plans --- */

static CcPlan *
plan_for(const CcFilter *filter, const gchar *format) {
  const CcFrameLayout layout = test_format_layout(test_format_find(format), 9, 5, TRUE);
  g_autoptr(GError) error = NULL;
  CcPlan *plan = cc_plan_new(filter, &layout, &error);
  g_assert_no_error(error);
  return plan;
}

static void
test_when(void) {
  static const struct {
    const gchar *format;
    CcColor color;
    CcChroma chroma;
    gboolean is_colored;
  } cases[] = {
      {"GRAY8", 0, 0, FALSE},
      {"RGB", 0, 0, TRUE},
      {"GBR_12LE", CC_COLOR_GREY, 0, TRUE},
      {"BGRA", CC_COLOR_COMPONENTS, 0, FALSE},
      {"RGB", 0, CC_CHROMA_NEUTRAL, TRUE},
      {"I420", 0, 0, TRUE},
      {"I420", CC_COLOR_COMPONENTS, 0, TRUE},
      {"UYVY", 0, 0, TRUE},
      {"AYUV", 0, 0, TRUE},
      {"I420", 0, CC_CHROMA_NEUTRAL, FALSE},
      {"NV12", 0, CC_CHROMA_COPY, FALSE},
      {"YUY2", 0, CC_CHROMA_FILTER, FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFilter filter = {.kernel = cc_kernels_find("sobel"),
                             .response = CC_RESPONSE_DIRECTION,
                             .color = cases[i].color,
                             .chroma = cases[i].chroma};
    g_autoptr(CcPlan) plan = plan_for(&filter, cases[i].format);
    g_autofree gchar *text = cc_plan_describe(plan);
    g_assert_cmpint((cc_plan_get_direction_color(plan) != NULL), ==, cases[i].is_colored);
    g_assert_cmpint(strstr(text, "direction as color") != NULL, ==, cases[i].is_colored);
    g_assert_cmpuint(plan->n_ops, ==, 1);
    g_assert_true(!cc_plan_get_direction_color(plan) ||
                  cc_plan_get_direction_color(plan)->op == plan->op);
  }
}

/* Magnitudes and angles of fractional sums are not colored. */
static void
test_when_not(void) {
  static const gchar text[] = "[fractional]\n"
                              "class=edge\n"
                              "response=direction\n"
                              "matrix-3=0 0 0; -0.318309886 0 0.318309886; 0 0 0 | "
                              "0 -0.577350269 0; 0 0 0; 0 0.577350269 0\n";
  g_autoptr(GPtrArray) kernels = cc_kernels_parse(text, strlen(text), "text", NULL);
  const CcFilter fractional = {.kernel = g_ptr_array_index(kernels, 0)};
  const CcFilter magnitude = {.kernel = cc_kernels_find("sobel")};
  static const gchar *const formats[] = {"RGB", "I420", "YUY2"};
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
    g_autoptr(CcPlan) a = plan_for(&fractional, formats[i]);
    g_autoptr(CcPlan) b = plan_for(&magnitude, formats[i]);
    g_assert_null(cc_plan_get_direction_color(a));
    g_assert_null(cc_plan_get_direction_color(b));
  }
}

/* Components without color have passes only if they are filtered. */
static void
test_passes(void) {
  static const struct {
    const gchar *format;
    guint n_groups, n_passes, across, down; /* across and down of the last group */
  } cases[] = {
      {"RGB", 1, 0, 1, 1},  {"RGBx", 1, 0, 1, 1}, {"ARGB", 1, 1, 1, 1}, {"GBR", 1, 0, 1, 1},
      {"Y444", 1, 0, 1, 1}, {"AYUV", 1, 1, 1, 1}, {"Y42B", 2, 0, 2, 1}, {"NV16", 2, 0, 2, 1},
      {"I420", 2, 0, 2, 2}, {"NV12", 2, 0, 2, 2}, {"YUY2", 2, 0, 2, 1}, {"VYUY", 2, 0, 2, 1},
  };
  const CcFilter filter = {.kernel = cc_kernels_find("sobel"),
                           .response = CC_RESPONSE_DIRECTION,
                           .alpha = CC_ALPHA_FILTER};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(CcPlan) plan = plan_for(&filter, cases[i].format);
    CcFilter opaque = filter;
    opaque.alpha = CC_ALPHA_OPAQUE;
    g_autoptr(CcPlan) opaque_plan = plan_for(&opaque, cases[i].format);
    g_assert_cmpuint(opaque_plan->n_passes, ==, 0);
    const CcComponentGroup *last =
        &cc_plan_get_direction_color(plan)->group[cc_plan_get_direction_color(plan)->n_groups - 1];
    g_assert_cmpuint(cc_plan_get_direction_color(plan)->n_groups, ==, cases[i].n_groups);
    g_assert_cmpuint(plan->n_passes, ==, cases[i].n_passes);
    g_assert_cmpuint(last->across, ==, cases[i].across);
    g_assert_cmpuint(last->down, ==, cases[i].down);
    g_assert_cmpuint(last->n, ==, cases[i].n_groups == 1 ? 3 : 2);
  }
}

/* --- frames --- */

/* Sample (x, y) of luma, and of Cb, in 8-bit formats. */
static guint8 *
luma_at(const GuardedFrame *frame, guint x, guint y) {
  return guarded_frame_row(frame, 0, y) + (frame->layout.plane[0].has_macropixels ? 2 * x : x);
}

static guint8 *
cb_at(const GuardedFrame *frame, guint x, guint y) {
  return frame->layout.plane[0].has_macropixels
             ? guarded_frame_row(frame, 0, y) + 4 * x + 1
             : guarded_frame_row(frame, 1, y) + frame->layout.plane[1].step * x;
}

/* Luma 0, 10, 0 from left to right or from top to bottom has the gradients 40, 0 and -40. The first
 * two share a chroma sample, the third has its own. */
static void
test_odd_sizes(void) {
  static const struct {
    const gchar *format;
    guint width, height;
    guint luma[3], chroma[2]; /* indices of the hues */
  } cases[] = {
      {"Y42B", 3, 1, {1, 0, 129}, {1, 129}},   {"NV16", 3, 1, {1, 0, 129}, {1, 129}},
      {"YUY2", 3, 1, {1, 0, 129}, {1, 129}},   {"I420", 3, 1, {1, 0, 129}, {1, 129}},
      {"I420", 1, 3, {65, 0, 192}, {65, 192}}, {"NV12", 1, 3, {65, 0, 192}, {65, 192}},
  };
  const CcFilter filter = {.kernel = cc_kernels_find("sobel"), .response = CC_RESPONSE_DIRECTION};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFrameLayout layout = test_format_layout(test_format_find(cases[i].format),
                                                    cases[i].width, cases[i].height, TRUE);
    const guint right = cases[i].width > 1, below = cases[i].height > 1;
    g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, NULL);
    g_autoptr(GRand) rand = g_rand_new_with_seed(i);
    g_autoptr(GuardedFrame) src = guarded_frame_new(&layout, PLACEMENT_AT_END);
    guarded_frame_draw(src, PATTERN_RANDOM, rand);
    for (guint k = 0; k < 3; k++)
      *luma_at(src, k * right, k * below) = k == 1 ? 10 : 0;
    g_autoptr(GuardedFrame) got = filtered_frame_new(&filter, "plain", 1, src);
    for (guint k = 0; k < 3; k++)
      g_assert_cmpuint(*luma_at(got, k * right, k * below), ==,
                       cc_plan_get_direction_color(plan)->word[0][cases[i].luma[k]]);
    for (guint k = 0; k < 2; k++)
      g_assert_cmpuint(*cb_at(got, k * right, k * below), ==,
                       cc_plan_get_direction_color(plan)->word[1][cases[i].chroma[k]]);
    if (layout.plane[0].has_macropixels)
      g_assert_cmpuint(*luma_at(got, 3, 0), ==, *luma_at(got, 2, 0));
  }
}

/* Opposite gradients in a block cancel: its luma samples have hues, its chroma sample none. */
static void
test_mean(void) {
  static const guint8 luma[] = {0, 10, 10, 0};      /* gradients of 40, 40, -40 and -40 */
  static const guint8 opposite[] = {10, 20, 0, 10}; /* of 40, -40, -40 and 40 */
  const CcFilter filter = {.kernel = cc_kernels_find("sobel"), .response = CC_RESPONSE_DIRECTION};
  const CcRegion part = {.source = {1, 0, 3, 1},
                         .target_x = 1}; /* only one pixel of the first block */
  const CcFrameLayout layout = test_format_layout(test_format_find("Y42B"), 4, 1, FALSE);
  g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, NULL);
  const guint16 *word = cc_plan_get_direction_color(plan)->word[1];
  g_autoptr(GuardedFrame) src = guarded_frame_new(&layout, PLACEMENT_AT_END);
  memcpy(guarded_frame_row(src, 0, 0), luma, sizeof luma);
  memset(guarded_frame_row(src, 1, 0), 0, 2);
  memset(guarded_frame_row(src, 2, 0), 0, 2);
  g_autoptr(GuardedFrame) whole = filtered_frame_new(&filter, "plain", 1, src);
  g_assert_cmpuint(guarded_frame_row(whole, 1, 0)[0], ==, word[1]);
  g_assert_cmpuint(guarded_frame_row(whole, 1, 0)[1], ==, word[129]);
  g_autoptr(GuardedFrame) cut = filtered_region_new(&filter, &part, "plain", 1, src);
  g_assert_cmpuint(guarded_frame_row(cut, 1, 0)[0], ==, word[0]); /* 10 and 10: no gradient */
  g_assert_cmpuint(guarded_frame_row(cut, 1, 0)[1], ==, word[129]);
  memcpy(guarded_frame_row(src, 0, 0), opposite, sizeof opposite);
  g_autoptr(GuardedFrame) none = filtered_frame_new(&filter, "plain", 1, src);
  g_assert_cmpuint(guarded_frame_row(none, 1, 0)[0], ==, word[0]);
}

/* Direction color allocates no whole rows. */
static void
test_huge_frame(void) {
  const CcFrameLayout layout = test_format_layout(test_format_find("RGBA"), 1 << 27, 1, FALSE);
  const CcFilter filter = {.kernel = cc_kernels_find("sobel"),
                           .response = CC_RESPONSE_DIRECTION,
                           .alpha = CC_ALPHA_FILTER};
  g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, NULL);
  g_assert_nonnull(plan);
  for (const CcVariant *variant = cc_cpu_all_variants; variant->name; variant++) {
    CcCpuProgram *program = cc_cpu_program_new(plan, variant);
    g_assert_cmpuint(program->phase[0].fixed_scratch, <, 1 << 20);
    cc_cpu_program_free(program);
  }
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/direction-color/colors", test_colors);
  g_test_add_func("/direction-color/indices", test_indices);
  g_test_add_func("/direction-color/tables", test_tables);
  g_test_add_func("/direction-color/when", test_when);
  g_test_add_func("/direction-color/when-not", test_when_not);
  g_test_add_func("/direction-color/passes", test_passes);
  g_test_add_func("/direction-color/odd-sizes", test_odd_sizes);
  g_test_add_func("/direction-color/mean", test_mean);
  g_test_add_func("/direction-color/huge-frame", test_huge_frame);
  return g_test_run();
}
