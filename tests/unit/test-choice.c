/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the ladder of the CPU backend chooses for a plan: a rung that is missed shows only in the
 * speed. */

#include "cpu/choice.h"
#include "cpu/pairs.h"
#include "tests/ref/formats.h"

static CcPlan *
plan_for(const CcFilter *filter, const gchar *format) {
  const CcFrameLayout layout = test_format_layout(test_format_find(format), 64, 32, TRUE);
  g_autoptr(GError) error = NULL;
  CcPlan *plan = cc_plan_new(filter, &layout, &error);
  g_assert_no_error(error);
  return plan;
}

/* --- sums, last step and kernels --- */

/* How sums are made. */
typedef enum { TERMS, WINDOW, LINES, MEANS } Method;

static Method
method_of(const CcChoice *choice) {
  return choice->window ? WINDOW : choice->lines ? LINES : choice->means ? MEANS : TERMS;
}

static const struct {
  const gchar *kernel;
  guint size;
  const gchar *format;
  CcResponse response;
  gdouble scale, bias, sigma;
  /* what is to come of it */
  CcLane sum_lane, sample_lane;
  CcFinishForm form;
  gboolean separable, applies;
  Method method;
} cases[] = {
    /* bytes all the way */
    {.kernel = "gaussian",
     .size = 3,
     .format = "GRAY8",
     .sum_lane = CC_LANE_16,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_16,
     .separable = TRUE,
     .applies = TRUE},
    {.kernel = "sharpen",
     .size = 3,
     .format = "RGBA",
     .sum_lane = CC_LANE_16,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_16,
     .applies = TRUE},
    {.kernel = "sobel-x",
     .size = 3,
     .format = "GRAY8",
     .response = CC_RESPONSE_ABSOLUTE,
     .sum_lane = CC_LANE_16,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_16,
     .applies = TRUE},
    /* of two sums the root is in float, and made at once with them */
    {.kernel = "sobel",
     .size = 3,
     .format = "GRAY8",
     .sum_lane = CC_LANE_16,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_F32,
     .applies = TRUE},
    {.kernel = "scharr",
     .size = 3,
     .format = "RGBA",
     .response = CC_RESPONSE_MAGNITUDE_L1,
     .sum_lane = CC_LANE_16,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_16,
     .applies = TRUE},
    {.kernel = "roberts",
     .size = 3,
     .format = "NV12",
     .response = CC_RESPONSE_ABSOLUTE,
     .sum_lane = CC_LANE_16,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_16,
     .applies = TRUE},
    /* the greater of two sums, and directions, are not */
    {.kernel = "sobel",
     .size = 3,
     .format = "GRAY8",
     .response = CC_RESPONSE_CLAMP,
     .sum_lane = CC_LANE_16,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_16},
    {.kernel = "sobel",
     .size = 3,
     .format = "GRAY8",
     .response = CC_RESPONSE_DIRECTION,
     .sum_lane = CC_LANE_16,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_TURNS},
    /* two bytes: the sums of a blur need more than 16 bits, and so do those of an edge */
    {.kernel = "gaussian",
     .size = 5,
     .format = "GRAY16_LE",
     .sum_lane = CC_LANE_32,
     .sample_lane = CC_LANE_16,
     .form = CC_FINISH_BITS,
     .separable = TRUE,
     .method = LINES},
    {.kernel = "sobel",
     .size = 3,
     .format = "GRAY16_LE",
     .sum_lane = CC_LANE_32,
     .sample_lane = CC_LANE_16,
     .form = CC_FINISH_F64,
     .method = WINDOW},
    /* fractional taps */
    {.kernel = "gaussian",
     .size = 7,
     .format = "GRAY8",
     .sigma = 1.5,
     .sum_lane = CC_LANE_32,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_SHIFTED,
     .separable = TRUE,
     .method = LINES},
    /* sums along lines and over them that pass 32 bits come without their low bits, then in three
     * parts; where these are reduced in doubles, and then in integers */
    {.kernel = "gaussian",
     .size = 15,
     .format = "GRAY8",
     .sum_lane = CC_LANE_32,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_BITS,
     .separable = TRUE,
     .method = LINES},
    {.kernel = "gaussian",
     .size = 15,
     .format = "GRAY16_LE",
     .sigma = 3,
     .sum_lane = CC_LANE_32,
     .sample_lane = CC_LANE_16,
     .form = CC_FINISH_PARTS,
     .separable = TRUE,
     .method = LINES},
    {.kernel = "gaussian",
     .size = 15,
     .format = "P010_10LE",
     .sigma = 3,
     .sum_lane = CC_LANE_32,
     .sample_lane = CC_LANE_16,
     .form = CC_FINISH_PARTS,
     .separable = TRUE,
     .method = LINES},
    {.kernel = "gaussian",
     .size = 15,
     .format = "GRAY16_LE",
     .response = CC_RESPONSE_ABSOLUTE,
     .sigma = 3,
     .sum_lane = CC_LANE_DOUBLE,
     .sample_lane = CC_LANE_DOUBLE,
     .form = CC_FINISH_F64,
     .separable = TRUE},
    {.kernel = "gaussian",
     .size = 63,
     .format = "GRAY16_LE",
     .sigma = 10,
     .sum_lane = CC_LANE_64,
     .sample_lane = CC_LANE_64,
     .form = CC_FINISH_F64,
     .separable = TRUE},
    /* means run, in 16 bits while those hold the sums, but for small ones of bytes */
    {.kernel = "box",
     .size = 3,
     .format = "GRAY8",
     .sum_lane = CC_LANE_16,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_16,
     .separable = TRUE,
     .applies = TRUE},
    {.kernel = "box",
     .size = 15,
     .format = "RGB",
     .sum_lane = CC_LANE_16,
     .sample_lane = CC_LANE_16,
     .form = CC_FINISH_16,
     .method = MEANS},
    {.kernel = "box",
     .size = 31,
     .format = "GRAY8",
     .sum_lane = CC_LANE_32,
     .sample_lane = CC_LANE_32,
     .form = CC_FINISH_SHIFTED,
     .method = MEANS},
    {.kernel = "box",
     .size = 3,
     .format = "GRAY16_LE",
     .sum_lane = CC_LANE_32,
     .sample_lane = CC_LANE_32,
     .form = CC_FINISH_SHIFTED,
     .method = MEANS},
    /* what lies among other samples is filtered as what does not */
    {.kernel = "gaussian",
     .size = 3,
     .format = "YUY2",
     .sum_lane = CC_LANE_16,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_16,
     .separable = TRUE,
     .applies = TRUE},
    {.kernel = "sobel",
     .size = 3,
     .format = "BGRA",
     .sum_lane = CC_LANE_16,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_F32,
     .applies = TRUE},
    /* a negative scale: in the taps; where the result falls, no form in integers */
    {.kernel = "gaussian",
     .size = 3,
     .format = "GRAY8",
     .scale = -1 / 16.0,
     .bias = 255,
     .sum_lane = CC_LANE_16,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_16,
     .separable = TRUE,
     .applies = TRUE},
    {.kernel = "sobel-x",
     .size = 3,
     .format = "GRAY8",
     .response = CC_RESPONSE_ABSOLUTE,
     .scale = -1,
     .bias = 255,
     .sum_lane = CC_LANE_16,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_F32},
    {.kernel = "sobel",
     .size = 3,
     .format = "GRAY8",
     .scale = -1,
     .bias = 255,
     .sum_lane = CC_LANE_16,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_F32,
     .applies = TRUE},
    /* windows of a shape that no kernel knows */
    {.kernel = "log",
     .size = 5,
     .format = "GRAY8",
     .sum_lane = CC_LANE_32,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_BITS,
     .method = WINDOW},
    {.kernel = "kirsch",
     .size = 3,
     .format = "RGBA",
     .sum_lane = CC_LANE_32,
     .sample_lane = CC_LANE_8,
     .form = CC_FINISH_BITS,
     .method = WINDOW},
};

static void
check_case(guint i, const CcRows *rows) {
  const CcFilter filter = {.kernel = cc_kernels_find(cases[i].kernel),
                           .size = cases[i].size,
                           .response = cases[i].response,
                           .scale = cases[i].scale,
                           .bias = cases[i].bias,
                           .sigma = cases[i].sigma};
  g_autoptr(CcPlan) plan = plan_for(&filter, cases[i].format);
  CcChoice choice;
  cc_choice_init(&choice, plan, &plan->pass[0], rows);
  g_test_message("case %u: %s %u %s", i, cases[i].kernel, cases[i].size, cases[i].format);
  g_assert_cmpint(choice.loop, ==, CC_LOOP_FILTER);
  g_assert_cmpint(choice.sum_lane, ==, cases[i].sum_lane);
  g_assert_cmpint(choice.sample_lane, ==, cases[i].sample_lane);
  g_assert_cmpint(choice.form, ==, cases[i].form);
  g_assert_cmpint(choice.separable, ==, cases[i].separable);
  g_assert_cmpint(choice.apply != NULL, ==, cases[i].applies);
  g_assert_cmpint(method_of(&choice), ==, cases[i].method);
  cc_choice_clear(&choice);
}

static void
test_filters(void) {
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    check_case(i, &cc_rows_c);
}

/* --- loops --- */

static CcLoop
loop_of(const CcPlan *plan, guint pass, gboolean *merges) {
  CcChoice choice;
  cc_choice_init(&choice, plan, &plan->pass[pass], &cc_rows_c);
  *merges = choice.merges;
  cc_choice_clear(&choice);
  return choice.loop;
}

static void
test_loops(void) {
  CcFilter filter = {.kernel = cc_kernels_find("gaussian"), .chroma = CC_CHROMA_COPY};
  gboolean merges;
  g_autoptr(CcPlan) copies = plan_for(&filter, "NV12");
  g_assert_cmpint(loop_of(copies, 0, &merges), ==, CC_LOOP_FILTER);
  g_assert_false(merges);
  g_assert_cmpint(loop_of(copies, 1, &merges), ==, CC_LOOP_COPY);
  g_assert_false(merges);
  filter.chroma = CC_CHROMA_NEUTRAL;
  g_autoptr(CcPlan) fills = plan_for(&filter, "NV12");
  g_assert_cmpint(loop_of(fills, 1, &merges), ==, CC_LOOP_FILL);
  g_assert_false(merges);
  g_autoptr(CcPlan) packed = plan_for(&filter, "YUY2");
  g_assert_cmpint(loop_of(packed, 1, &merges), ==, CC_LOOP_FILL);
  filter.chroma = CC_CHROMA_COPY;
  g_autoptr(CcPlan) packed_copy = plan_for(&filter, "YUY2");
  g_assert_cmpint(loop_of(packed_copy, 1, &merges), ==, CC_LOOP_COPY);
  g_assert_false(merges);
  filter.alpha = CC_ALPHA_COPY;
  g_autoptr(CcPlan) beside = plan_for(&filter, "RGBA");
  g_assert_cmpint(loop_of(beside, 0, &merges), ==, CC_LOOP_FILTER);
  g_assert_true(merges);
}

/* --- pairs --- */

/* Whether luma and chroma are filtered in one sweep. */
static gboolean
pairs_of(const CcFilter *filter, const gchar *format) {
  g_autoptr(CcPlan) plan = plan_for(filter, format);
  CcPlan whole;
  if (!cc_pairs_find(plan, &whole))
    return FALSE;
  CcChoice choice;
  cc_choice_init(&choice, &whole, &whole.pass[0], &cc_rows_c);
  const gboolean pairs = choice.pairs;
  cc_choice_clear(&choice);
  return pairs;
}

static void
test_pairs(void) {
  CcFilter filter = {.kernel = cc_kernels_find("gaussian"), .size = 5, .chroma = CC_CHROMA_FILTER};
  g_assert_true(pairs_of(&filter, "YUY2"));
  g_assert_true(pairs_of(&filter, "UYVY"));
  g_assert_false(pairs_of(&filter, "NV16"));
  filter.chroma = CC_CHROMA_COPY;
  g_assert_false(pairs_of(&filter, "YUY2"));
  filter =
      (CcFilter){.kernel = cc_kernels_find("gaussian"), .chroma = CC_CHROMA_FILTER, .stride = 2};
  g_assert_false(pairs_of(&filter, "YUY2"));
  filter = (CcFilter){.kernel = cc_kernels_find("sharpen"), .chroma = CC_CHROMA_FILTER};
  g_assert_false(pairs_of(&filter, "YUY2"));
}

/* Without row kernels there is one loop, and nothing more to choose. */
static void
test_plain(void) {
  const CcFilter filter = {.kernel = cc_kernels_find("sobel")};
  g_autoptr(CcPlan) plan = plan_for(&filter, "I420");
  for (guint i = 0; i < plan->n_passes; i++) {
    CcChoice choice;
    cc_choice_init(&choice, plan, &plan->pass[i], NULL);
    g_assert_cmpint(choice.loop, ==, CC_LOOP_PLAIN);
    g_assert_null(choice.apply);
    cc_choice_clear(&choice);
  }
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/choice/filters", test_filters);
  g_test_add_func("/choice/loops", test_loops);
  g_test_add_func("/choice/pairs", test_pairs);
  g_test_add_func("/choice/plain", test_plain);
  return g_test_run();
}
