/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Measuring: what is measured in each format and its limits; figures computed by hand, also those
 * of the oracle; large sums. cudaconv-compare covers the rest. */

#include "cpu/isa.h"
#include "engine/plan/plan.h"
#include "engine/run/backend.h"
#include "plugin/backends.h"
#include "tests/ref/formats.h"
#include "tests/ref/guarded.h"
#include "tests/ref/oracle_measure.h"

#include <string.h>

static CcPlan *
plan_new(const CcFilter *filter, const CcFrameLayout *layout) {
  g_autoptr(GError) error = NULL;
  CcPlan *plan = cc_plan_new(filter, layout, &error);
  g_assert_no_error(error);
  return plan;
}

/* --- plans --- */

static void
test_limits(void) {
  static const struct {
    const gchar *format;
    gboolean limited;
    gdouble threshold;
    CcMeasureLimits limits;
  } cases[] = {
      {"GRAY8", FALSE, 0, {G_MAXUINT32, 0, 255, 0}},
      {"GRAY8", TRUE, 0.5, {128, 0, 255, 0}}, /* grey is always of the full range */
      {"GRAY16_LE", TRUE, 1, {65535, 0, 65535, 8}},
      {"I420", FALSE, 0.1, {26, 0, 255, 0}},
      {"I420", TRUE, 0.1, {38, 16, 235, 0}},
      {"NV12", TRUE, 1, {235, 16, 235, 0}},
      {"YUY2", TRUE, 0, {G_MAXUINT32, 16, 235, 0}},
      {"AYUV", TRUE, 0.5, {126, 16, 235, 0}},
      {"RGB", TRUE, 0.5, {128, 0, 255, 0}},
      {"I420_10LE", TRUE, 0.5, {502, 64, 940, 2}},
      {"P010_10LE", TRUE, 0.5, {502, 64, 940, 2}},
      {"P010_10LE", FALSE, 0.5, {512, 0, 1023, 2}},
      {"GBR_10LE", TRUE, 0.1, {103, 0, 1023, 2}},
      {"I422_12LE", TRUE, 0, {G_MAXUINT32, 256, 3760, 4}},
      {"P016_LE", TRUE, 0, {G_MAXUINT32, 4096, 60160, 8}},
      {"ARGB64", FALSE, 0.5, {32768, 0, 65535, 8}},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFrameLayout layout =
        test_format_layout(test_format_find(cases[i].format), 6, 4, cases[i].limited);
    const CcFilter filter = {.kernel = cc_kernels_find("sobel"),
                             .measure = CC_MEASURE_SUMS,
                             .threshold = cases[i].threshold};
    g_autoptr(CcPlan) plan = plan_new(&filter, &layout);
    const CcMeasure *measure = cc_plan_get_measure(plan)->data;
    g_assert_cmpuint(measure->limits.above, ==, cases[i].limits.above);
    g_assert_cmpuint(measure->limits.black, ==, cases[i].limits.black);
    g_assert_cmpuint(measure->limits.white, ==, cases[i].limits.white);
    g_assert_cmpuint(measure->limits.bin_shift, ==, cases[i].limits.bin_shift);
  }
}

static void
test_samples(void) {
  static const struct {
    const gchar *format, *kernel;
    CcFilter filter;
    guint n, plane[3], first[3], spacing;
    gboolean reads_planes;
  } cases[] = {
      {"GRAY8", "sobel", {0}, 1, {0}, {0}, 1, FALSE},
      {"NV12", "sobel", {0}, 1, {0}, {0}, 1, FALSE},
      {"YUY2", "sobel", {0}, 1, {0}, {0}, 2, FALSE},
      {"UYVY", "sobel", {0}, 1, {0}, {1}, 2, FALSE},
      {"AYUV", "sobel", {0}, 1, {0}, {1}, 4, FALSE},
      {"RGB", "box", {0}, 3, {0, 0, 0}, {0, 1, 2}, 3, FALSE},
      {"xBGR", "box", {0}, 3, {0, 0, 0}, {3, 2, 1}, 4, FALSE},
      {"GBR", "box", {0}, 3, {2, 0, 1}, {0}, 1, TRUE},
      {"RGBP", "box", {0}, 3, {0, 1, 2}, {0}, 1, TRUE},
      {"GBR_12LE", "box", {0}, 3, {2, 0, 1}, {0}, 1, TRUE},
      /* R, G and B are equal */
      {"RGB", "sobel", {0}, 1, {0}, {0}, 3, FALSE},
      {"xBGR", "sobel", {0}, 1, {0}, {3}, 4, FALSE},
      {"GBR", "box", {.color = CC_COLOR_GREY}, 1, {2}, {0}, 1, FALSE},
      /* they are not */
      {"GBR", "sobel", {.response = CC_RESPONSE_DIRECTION}, 3, {2, 0, 1}, {0}, 1, TRUE},
      {"RGBA",
       "box",
       {.color = CC_COLOR_GREY, .alpha = CC_ALPHA_WEIGHTED},
       3,
       {0},
       {0, 1, 2},
       4,
       FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFrameLayout layout = test_format_layout(test_format_find(cases[i].format), 6, 4, FALSE);
    CcFilter filter = cases[i].filter;
    filter.kernel = cc_kernels_find(cases[i].kernel);
    filter.measure = CC_MEASURE_SUMS;
    g_autoptr(CcPlan) plan = plan_new(&filter, &layout);
    const CcStage *stage = cc_plan_get_measure(plan);
    const CcMeasure *measure = stage->data;
    g_assert_cmpuint(measure->group.n, ==, cases[i].n);
    for (guint k = 0; k < cases[i].n; k++) {
      g_assert_cmpuint(measure->group.offset[k].plane, ==, cases[i].plane[k]);
      g_assert_cmpuint(measure->group.offset[k].first, ==, cases[i].first[k]);
      g_assert_cmpuint(measure->group.offset[k].spacing, ==, cases[i].spacing);
    }
    g_assert_cmpuint(measure->group.plane, ==, cases[i].plane[0]);
    g_assert_cmpint(cc_measure_reads_planes(measure), ==, cases[i].reads_planes);
    g_assert_cmpint(stage->is_alone, ==, cases[i].reads_planes);
  }
}

/* The stage comes before compose, has its results, and is not in the plan of products. */
static void
test_stages(void) {
  const CcFrameLayout layout = test_format_layout(test_format_find("RGBA"), 6, 4, FALSE);
  CcFilter filter = {.kernel = cc_kernels_find("gaussian"),
                     .alpha = CC_ALPHA_WEIGHTED,
                     .invert = TRUE,
                     .measure = CC_MEASURE_HISTOGRAM};
  g_autoptr(CcPlan) plan = plan_new(&filter, &layout);
  const CcStage *stage = cc_plan_get_measure(plan);
  g_assert_cmpint(stage[1].kind, ==, CC_STAGE_COMPOSE);
  g_assert_cmpuint(plan->result_bytes, ==, sizeof(CcMeasured));
  g_assert_null(cc_plan_get_measure(cc_plan_get_inner(plan)));
  filter.measure = CC_MEASURE_SUMS;
  g_autoptr(CcPlan) sums = plan_new(&filter, &layout);
  g_assert_cmpuint(sums->result_bytes, ==, 7 * sizeof(guint64));
  filter.measure = CC_MEASURE_OFF;
  g_autoptr(CcPlan) none = plan_new(&filter, &layout);
  g_assert_null(cc_plan_get_measure(none));
  g_assert_cmpuint(none->result_bytes, ==, 0);
}

/* --- figures --- */

static void
test_add(void) {
  CcMeasured a = {1, 2, 3, 4, 5, 6, 7, {[0] = 8, [255] = 9}}, b = a;
  b.largest = 3;
  cc_measured_add(&a, &b, TRUE);
  const CcMeasured both = {2, 4, 6, 4, 10, 12, 14, {[0] = 16, [255] = 18}};
  g_assert_cmpmem(&a, sizeof a, &both, sizeof both);
  b.largest = 5;
  cc_measured_add(&a, &b, FALSE);
  const CcMeasured sums = {3, 6, 9, 5, 15, 18, 21, {[0] = 16, [255] = 18}};
  g_assert_cmpmem(&a, sizeof a, &sums, sizeof sums);
}

/* Measures a frame with a CPU variant. */
static CcMeasured
measure(const CcFilter *filter, const gchar *variant, guint n_threads, const GuardedFrame *src) {
  const CcBackendConfig config = {
      .choice = CC_BACKEND_CPU, .device_id = -1, .n_threads = n_threads};
  const CcRegion whole = cc_frame_layout_region(&src->layout);
  g_autoptr(GError) error = NULL;
  CcTimes times;
  CcMeasured figures;
  memset(&figures, 0xa5, sizeof figures);
  CcBackend *backend = cc_backend_open(&config, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(cc_cpu_set_variant(variant));
  g_autoptr(CcPlan) plan = plan_new(filter, &src->layout);
  g_autoptr(GuardedFrame) dst = guarded_frame_new(&plan->out_frame_layout, PLACEMENT_ODD);
  CcProgram *program = cc_backend_prepare(backend, plan, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(plan->result_bytes, ==, sizeof figures);
  const CcSubmitInfo info = {
      .src = src->frame, .dst = dst->frame, .regions = &whole, .n_regions = 1, .results = &figures};
  CcSubmission *submission = cc_backend_submit(backend, program, &info, &error);
  g_assert_no_error(error);
  g_assert_true(cc_backend_wait(backend, submission, &times, &error));
  cc_program_unref(program);
  cc_backend_close(backend);
  g_assert_true(cc_cpu_set_variant(NULL));
  return figures;
}

/* Measures with all variants, which must give the same figures. */
static CcMeasured
measure_by_all(const CcFilter *filter, const GuardedFrame *src) {
  const CcMeasured figures = measure(filter, "plain", 1, src);
  for (const gchar *const *variant = cc_cpu_variants(); *variant; variant++)
    for (guint n_threads = 1; n_threads <= 3; n_threads++) {
      const CcMeasured others = measure(filter, *variant, n_threads, src);
      g_assert_cmpmem(&others, sizeof others, &figures, sizeof figures);
    }
  return figures;
}

static void
test_by_hand(void) {
  static const guint8 samples[] = {0, 16, 17, 100, 235, 255};
  const CcFrameLayout layout = test_format_layout(test_format_find("I420"), 3, 2, TRUE);
  const CcFilter filter = {.kernel = cc_kernels_find("identity"),
                           .measure = CC_MEASURE_HISTOGRAM,
                           .threshold = 0.5}; /* from 126 on */
  const CcMeasured expected = {
      6, 623, 130795, 255, 2, 2, 2, {[0] = 1, [16] = 1, [17] = 1, [100] = 1, [235] = 1, [255] = 1}};
  g_autoptr(GuardedFrame) src = guarded_frame_new(&layout, PLACEMENT_ALIGNED);
  CcMeasured of_oracle = {0};
  for (guint i = 0; i < G_N_ELEMENTS(samples); i++)
    guarded_frame_row(src, 0, i / 3)[i % 3] = samples[i];
  const CcMeasured figures = measure_by_all(&filter, src);
  oracle_measure(&filter, NULL, &layout, &src->frame, &of_oracle);
  g_assert_cmpmem(&figures, sizeof figures, &expected, sizeof expected);
  g_assert_cmpmem(&of_oracle, sizeof of_oracle, &expected, sizeof expected);
}

/* Luma of 10, 20, 30 by the grey formula is 18.6. */
static void
test_luma_of_rgb(void) {
  const CcFrameLayout layout = test_format_layout(test_format_find("BGRA"), 1, 1, FALSE);
  const CcFilter filter = {.kernel = cc_kernels_find("identity"), .measure = CC_MEASURE_HISTOGRAM};
  const CcMeasured expected = {1, 19, 361, 19, 0, 0, 0, {[19] = 1}};
  g_autoptr(GuardedFrame) src = guarded_frame_new(&layout, PLACEMENT_ALIGNED);
  CcMeasured of_oracle = {0};
  memcpy(guarded_frame_row(src, 0, 0), (const guint8[]){30, 20, 10, 255}, 4);
  const CcMeasured figures = measure_by_all(&filter, src);
  oracle_measure(&filter, NULL, &layout, &src->frame, &of_oracle);
  g_assert_cmpmem(&figures, sizeof figures, &expected, sizeof expected);
  g_assert_cmpmem(&of_oracle, sizeof of_oracle, &expected, sizeof expected);
}

/* The sum of 700,000 samples exceeds 32 bits, and so does the square of a few. */
static void
test_large_sums(void) {
  const guint64 n = 1000 * 700, max = G_MAXUINT16;
  const CcFrameLayout layout = test_format_layout(test_format_find("GRAY16_LE"), 1000, 700, FALSE);
  const CcFilter filter = {.kernel = cc_kernels_find("identity"), .measure = CC_MEASURE_HISTOGRAM};
  const CcMeasured expected = {n, n * max, n * max * max, max, 0, 0, n, {[255] = n}};
  g_autoptr(GuardedFrame) src = guarded_frame_new(&layout, PLACEMENT_ALIGNED);
  for (guint y = 0; y < 700; y++)
    memset(guarded_frame_row(src, 0, y), 0xff, 2000);
  const CcMeasured figures = measure_by_all(&filter, src);
  g_assert_cmpmem(&figures, sizeof figures, &expected, sizeof expected);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/measure/limits", test_limits);
  g_test_add_func("/measure/samples", test_samples);
  g_test_add_func("/measure/stages", test_stages);
  g_test_add_func("/measure/add", test_add);
  g_test_add_func("/measure/by-hand", test_by_hand);
  g_test_add_func("/measure/luma-of-rgb", test_luma_of_rgb);
  g_test_add_func("/measure/large-sums", test_large_sums);
  return g_test_run();
}
