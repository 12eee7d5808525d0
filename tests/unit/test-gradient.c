/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gradients, whose sums and last step are made at once: which kernels are some, and that all pairs
 * of sums of Sobel and Roberts, and many of Scharr and Prewitt, give what the definition says. */

#include "cpu/dispatch.h"
#include "cpu/isa.h"
#include "cpu/methods/gradient.h"
#include "engine/plan/output_stage.h"
#include "tests/ref/formats.h"

#define N_PIXELS 9
#define MOST_TAPS 8
#define MOST_VARIANTS 8
#define MOST_DIFFERENCE 765 /* of three samples from three */
#define N_ROW (2 * MOST_DIFFERENCE + 1)

static CcPlan *
plan_for(const CcFilter *filter) {
  const CcFrameLayout layout = test_format_layout(test_format_find("GRAY8"), 64, 32, TRUE);
  g_autoptr(GError) error = NULL;
  CcPlan *plan = cc_plan_new(filter, &layout, &error);
  g_assert_no_error(error);
  return plan;
}

/* --- which kernels are gradients --- */

static const struct {
  const gchar *matrices;
  gboolean applies;
} kernels[] = {
    {"-1 0 1; -2 0 2; -1 0 1 | -1 -2 -1; 0 0 0; 1 2 1", TRUE},
    {"-1 0 1; -2 0 2; -1 0 1 | 1 2 1; 0 0 0; -1 -2 -1", TRUE},
    {"-1 0 1; 1 0 -1; -1 0 1 | -1 1 -1; 0 0 0; 1 -1 1", TRUE},
    {"0 0 0; -1 0 1; 0 0 0 | 0 -1 0; 0 0 0; 0 1 0", TRUE},
    {"0 0 0; -3 0 0; 3 0 0 | 0 0 0; 0 0 3; 0 0 -3", TRUE},
    {"-1 0 1; -2 0 2; -1 0 1 | -1 2 -1; 0 0 0; 1 -2 1", FALSE},
    {"-1 0 1; -2 0 2; -1 0 1 | -2 -1 -2; 0 0 0; 2 1 2", FALSE},
    {"-1 0 1; -2 0 2; -1 0 1 | -2 -4 -2; 0 0 0; 2 4 2", FALSE},
    {"-2 0 2; -1 0 1; -1 0 1 | -2 -1 -1; 0 0 0; 2 1 1", FALSE},
    {"-1 0 1; -2 0 2; -1 0 1 | 0 -1 -2; 1 0 -1; 2 1 0", FALSE},
    {"0 0 0; -1 0 1; 0 0 0 | 0 -2 0; 0 0 0; 0 2 0", FALSE},
};

static void
test_kernels(void) {
  for (guint i = 0; i < G_N_ELEMENTS(kernels); i++) {
    g_autofree gchar *text =
        g_strdup_printf("[it]\nclass=edge\nresponse=magnitude\nmatrix-3=%s\n", kernels[i].matrices);
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) parsed = cc_kernels_parse(text, strlen(text), "it", &error);
    g_assert_no_error(error);
    const CcFilter filter = {.kernel = g_ptr_array_index(parsed, 0)};
    g_autoptr(CcPlan) plan = plan_for(&filter);
    CcChoice choice;
    cc_choice_init(&choice, plan, &plan->pass[0], &cc_rows_c);
    g_test_message("%s", kernels[i].matrices);
    g_assert_cmpint(choice.apply != NULL, ==, kernels[i].applies);
    cc_choice_clear(&choice);
  }
}

/* --- samples --- */

static const CcFilter filters[] = {
    {.response = CC_RESPONSE_MAGNITUDE},
    {.response = CC_RESPONSE_MAGNITUDE, .scale = 0.25},
    {.response = CC_RESPONSE_MAGNITUDE, .scale = 2.3},
    {.response = CC_RESPONSE_MAGNITUDE, .scale = -1, .bias = 255},
    {.response = CC_RESPONSE_MAGNITUDE_L1},
    {.response = CC_RESPONSE_MAGNITUDE_L1, .scale = 0.3, .bias = 10},
    {.response = CC_RESPONSE_ABSOLUTE},
    {.response = CC_RESPONSE_ABSOLUTE, .scale = 1.0 / 8},
};

/* The samples under each tap of a row of windows. */
typedef struct {
  guint n;
  guint8 tap[MOST_TAPS][N_ROW + CC_ROW_SLACK];
} Windows;

/* Differences d of the taps, two by two, which give Sobel the sums u + w and u - w, and Roberts u
 * and w. FALSE: there are none. */
static gboolean
find_differences(gint u, gint w, guint n_taps, gint d[MOST_TAPS / 2]) {
  d[0] = CLAMP(u, -255, 255);
  d[1] = CLAMP(w, -255, 255);
  if (n_taps == 4)
    return d[0] == u && d[1] == w;
  gint rest_u = u - d[0], rest_w = w - d[1];
  if ((rest_u + rest_w) % 2 != 0) { /* one of them is not 0, and its difference is 255 or -255 */
    gint *larger = rest_u != 0 ? &d[0] : &d[1];
    *larger += *larger > 0 ? -1 : 1;
    rest_u = u - d[0];
    rest_w = w - d[1];
  }
  d[2] = (rest_u + rest_w) / 2;
  d[3] = (rest_u - rest_w) / 2;
  return ABS(d[2]) <= 255 && ABS(d[3]) <= 255;
}

static void
fill_windows(Windows *windows, gint u, guint n_taps) {
  windows->n = 0;
  for (gint w = -MOST_DIFFERENCE; w <= MOST_DIFFERENCE; w++) {
    gint d[MOST_TAPS / 2];
    if (!find_differences(u, w, n_taps, d))
      continue;
    for (guint i = 0; i < n_taps / 2; i++) {
      windows->tap[2 * i][windows->n] = (guint8)MAX(d[i], 0);
      windows->tap[2 * i + 1][windows->n] = (guint8)MAX(-d[i], 0);
    }
    windows->n++;
  }
}

static gint
expected_code(const CcOp *op, const CcWeights *weights, const Windows *windows, guint x) {
  guint8 window[N_PIXELS] = {0};
  for (guint i = 0; i < weights->n_taps; i++)
    window[weights->places[i].row * 3 + (guint)(weights->places[i].offset + 1)] =
        windows->tap[i][x];
  CcSumsI64 sums = {0};
  for (guint m = 0; m < op->n_matrices; m++) {
    gint64 sum = 0;
    for (guint i = 0; i < N_PIXELS; i++)
      sum += cc_op_tap(op, m, i / 3, i % 3) * window[i];
    cc_sums_add_i64(&sums, op->response, (gint)m, sum);
  }
  return cc_op_code_of_sums_i64(op, &sums);
}

/* One for each variant with row kernels; they take the same taps. Gives how many. */
static guint
init_choices(CcChoice choices[MOST_VARIANTS], const CcPlan *plan) {
  guint n = 0;
  for (const gchar *const *name = cc_cpu_variants(); *name; name++) {
    g_assert_true(cc_cpu_set_variant(*name));
    if (!cc_cpu_variant()->rows)
      continue;
    g_assert_cmpuint(n, <, MOST_VARIANTS);
    cc_choice_init(&choices[n], plan, &plan->pass[0], cc_cpu_variant()->rows);
    g_assert_nonnull(choices[n++].apply);
  }
  g_assert_true(cc_cpu_set_variant(NULL));
  return n;
}

static void
check_windows(const CcChoice *choices, guint n_choices, const CcOp *op, const Windows *windows) {
  static const CcAhead nothing;
  const CcWeights *weights = &choices[0].over[0];
  gconstpointer taps[MOST_TAPS];
  guint8 expected[N_ROW], found[N_ROW];
  for (guint i = 0; i < weights->n_taps; i++)
    taps[i] = windows->tap[i];
  for (guint x = 0; x < windows->n; x++)
    expected[x] = (guint8)expected_code(op, weights, windows, x);
  for (guint i = 0; i < n_choices; i++) {
    choices[i].apply(found, choices[i].over[0].terms, taps, windows->n, &choices[i].to_sample,
                     &nothing);
    g_assert_cmpmem(found, windows->n, expected, windows->n);
  }
}

static void
check_filter(const CcFilter *filter) {
  g_autoptr(CcPlan) plan = plan_for(filter);
  CcChoice choices[MOST_VARIANTS];
  const guint n = init_choices(choices, plan);
  for (gint u = -MOST_DIFFERENCE; u <= MOST_DIFFERENCE; u++) {
    static Windows windows;
    fill_windows(&windows, u, choices[0].over[0].n_taps);
    check_windows(choices, n, plan->pass[0].op, &windows);
  }
  for (guint i = 0; i < n; i++)
    cc_choice_clear(&choices[i]);
}

static void
test_samples(gconstpointer kernel) {
  for (guint i = 0; i < G_N_ELEMENTS(filters); i++) {
    CcFilter filter = filters[i];
    filter.kernel = cc_kernels_find(kernel);
    g_test_message("filter %u", i);
    check_filter(&filter);
  }
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/gradient/kernels", test_kernels);
  g_test_add_data_func("/gradient/sobel", "sobel", test_samples);
  g_test_add_data_func("/gradient/scharr", "scharr", test_samples);
  g_test_add_data_func("/gradient/prewitt", "prewitt", test_samples);
  g_test_add_data_func("/gradient/roberts", "roberts", test_samples);
  return g_test_run();
}
