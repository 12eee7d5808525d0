/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The steps of roi-sigma. */

#include "engine/error.h"
#include "engine/plan/plan.h"
#include "engine/plan/roi_sigma.h"

#include <math.h>

static const CcFrameLayout layout = {
    .n_planes = 1, .plane = {{.width = 640, .height = 480, .step = 1, .depth = 8}}};

/* The sigma of a blur: that of its Gaussian, or of its three boxes. */
static gdouble
sigma_of(const CcFilter *blur) {
  return blur->repeats ? sqrt((blur->size * blur->size - 1.0) / 4) : blur->sigma;
}

/* The blur of every region has at least the requested sigma, and at most a fourth root of 2 times
 * as much, plus what an odd box adds. It can be planned. */
static void
test_sigmas(void) {
  CcFilter filter = {.kernel = cc_kernels_find("gaussian"), .size = 3, .sigma = 9};
  guint steps = 0, previous = 0;
  for (guint side = 1; side <= 2000; side++) {
    gboolean limited;
    CcFilter blur;
    filter.roi_sigma = 0.05;
    const gdouble wanted = 0.05 * side;
    const CcRegion region = {
        .source = {.width = side % 2 ? side : 4000, .height = side % 2 ? 4000 : side}};
    const guint step = cc_roi_sigma_step(&filter, &region, &limited);
    cc_roi_sigma_filter(&filter, step, &blur);
    g_test_message("%u: %g, %u", side, blur.sigma, blur.size);
    g_assert_cmpint(limited, ==, wanted > CC_MAX_ROI_SIGMA);
    g_assert_cmpuint(step, >=, previous);
    steps += step > previous;
    previous = step;
    const gdouble sigma = sigma_of(&blur);
    g_assert_cmpfloat(sigma, >=, MIN(wanted, CC_MAX_ROI_SIGMA) - 1e-9);
    g_assert_cmpfloat(sigma, <=, MAX(wanted * exp2(0.25) + 1, 0.5));
    g_assert_cmpint(blur.repeats > 0, ==, blur.sigma == 0);
    g_autoptr(CcPlan) plan = cc_plan_new(&blur, &layout, NULL);
    g_assert_nonnull(plan);
  }
  g_assert_cmpuint(steps, ==, CC_N_ROI_SIGMAS - 1);
}

/* From sigma and size of a step by hand. */
static void
test_steps(void) {
  static const struct {
    gdouble share;
    guint side;
    gdouble sigma;
    guint size; /* of three boxes; 0: a Gaussian */
  } cases[] = {
      {0.25, 4, 1, 0},       /* 2^0 */
      {0.25, 5, 1.4142, 0},  /* 1.25, between 2^(1/4) = 1.19 and 2^(2/4) */
      {0.5, 38, 19.0273, 0}, /* 2^(17/4) */
      {0.5, 40, 0, 47},      /* 2^(18/4) = 22.63: sqrt((47^2 - 1) / 4) = 23.49, and 22.49 of 45 */
      {0.5, 126, 0, 127},    /* 63 */
      {1, 1000, 0, 127},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFilter filter = {.kernel = cc_kernels_find("gaussian"), .roi_sigma = cases[i].share};
    const CcRect given = {.x = 3, .width = cases[i].side, .height = 1000};
    CcRegion region;
    gboolean limited;
    CcFilter blur;
    /* the frame cuts most of the rectangle off, but not its blur */
    const CcFrameLayout small = {.n_planes = 1,
                                 .plane = {{.width = 5, .height = 5, .step = 1, .depth = 8}}};
    g_assert_true(cc_rect_find_region(&given, 1, &small, &region));
    g_assert_cmpuint(region.source.width, ==, 2);
    cc_roi_sigma_filter(&filter, cc_roi_sigma_step(&filter, &region, &limited), &blur);
    g_assert_cmpfloat_with_epsilon(blur.sigma, cases[i].sigma, 1e-3);
    g_assert_cmpuint(blur.size, ==, cases[i].size);
    g_assert_cmpuint(blur.repeats, ==, cases[i].size ? 3 : 0);
  }
}

static void
test_refusals(void) {
  static const struct {
    CcFilter filter; /* without the kernel */
    const gchar *needed;
  } cases[] = {
      {{.stride = 2}, "stride=1"},
      {{.scale = 0.5}, "scale=0"},
      {{.bias = 1}, "bias=0"},
      {{.response = CC_RESPONSE_ABSOLUTE}, "response=auto or clamp"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;
    CcFilter filter = cases[i].filter;
    filter.kernel = cc_kernels_find("sobel"); /* ignores roi-sigma */
    filter.roi_sigma = 0.3;
    g_assert_true(cc_filter_check(&filter, NULL));
    filter.kernel = cc_kernels_find("gaussian");
    g_assert_false(cc_filter_check(&filter, &error));
    g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
    g_assert_true(g_str_has_prefix(error->message, "roi-sigma=0.3: "));
    g_assert_nonnull(strstr(error->message, cases[i].needed));
  }
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/roi-sigma/sigmas", test_sigmas);
  g_test_add_func("/roi-sigma/steps", test_steps);
  g_test_add_func("/roi-sigma/refusals", test_refusals);
  return g_test_run();
}
