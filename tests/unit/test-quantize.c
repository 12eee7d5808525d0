/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Quantization: the error of results because of integer taps, compared with the real coefficients
 * in long double. */

#include "cuda/algorithm.h"
#include "engine/plan/output_stage.h"
#include "engine/plan/plan.h"
#include "tests/ref/formats.h"

#include <math.h>

/* The counts of results. */
typedef struct {
  guint64 n, n_off;
} Share;

static CcPlan *
plan_for(const CcFilter *filter, const gchar *format) {
  const CcFrameLayout layout = test_format_layout(test_format_find(format), 33, 17, FALSE);
  g_autoptr(GError) error = NULL;
  CcPlan *plan = cc_plan_new(filter, &layout, &error);
  g_assert_no_error(error);
  return plan;
}

/* --- one result against the real number --- */

/* The real weights of a single matrix. */
typedef struct {
  guint width, height;
  const gdouble *weight;
} Weights;

/* The tap of a weight: 0 outside of the trimmed op. */
static gint64
tap_of(const CcOp *op, const Weights *real, guint i) {
  const gint r = (gint)(i / real->width) - (gint)(real->height - op->height) / 2;
  const gint c = (gint)(i % real->width) - (gint)(real->width - op->width) / 2;
  const gboolean is_inside = r >= 0 && r < (gint)op->height && c >= 0 && c < (gint)op->width;
  return is_inside ? cc_op_tap(op, 0, (guint)r, (guint)c) : 0;
}

/* Checks one result: the one of the taps against the one of the real weights. */
static void
check_window(const CcOp *op, const Weights *weights, const guint16 *code, Share *share) {
  gint64 sum = 0;
  long double real = 0;
  for (guint i = 0; i < weights->width * weights->height; i++) {
    sum += tap_of(op, weights, i) * code[i];
    real += (long double)weights->weight[i] * code[i];
  }
  const gint got = cc_op_code(op, sum);
  const gint expected = (gint)CLAMP(floorl(real + 0.5L), op->lo, op->hi);
  g_assert_cmpint(ABS(got - expected), <=, 1);
  share->n++;
  share->n_off += got != expected;
}

/* Checks samples that meet only errors of one sign, and random ones. This verifies op->error. */
static void
check_windows(const CcOp *op, const Weights *weights, GRand *rand, Share *share) {
  const guint area = weights->width * weights->height;
  g_autofree guint16 *code = g_new(guint16, area);
  long double extreme[2] = {0, 0};
  for (guint sign = 0; sign < 2; sign++) {
    for (guint i = 0; i < area; i++) {
      const long double tap = tap_of(op, weights, i);
      const long double error = tap * op->mul - weights->weight[i];
      const gboolean met = sign ? error > 0 : error < 0;
      code[i] = met ? (guint16)op->hi : 0;
      extreme[sign] += met ? fabsl(error) * op->hi : 0;
    }
    Share ignored = {0};
    check_window(op, weights, code, &ignored);
  }
  g_assert_cmpfloat((gdouble)MAX(extreme[0], extreme[1]), <=, op->error * (1 + 1e-6) + 1e-9);
  for (guint round = 0; round < 20; round++) {
    for (guint i = 0; i < area; i++)
      code[i] = (guint16)g_rand_int_range(rand, 0, op->hi + 1);
    check_window(op, weights, code, share);
  }
}

/* A flat area of each code value, or of some thousands, keeps its value. */
static void
check_flat(const CcOp *op) {
  gint64 sum = 0;
  for (guint r = 0; r < op->height; r++)
    for (guint c = 0; c < op->width; c++)
      sum += cc_op_tap(op, 0, r, c);
  for (gint code = 0; code <= op->hi; code += 1 + op->hi / 5000)
    g_assert_cmpint(cc_op_code(op, sum * code), ==, code);
}

/* --- random matrices --- */

static gboolean
is_exact(const CcOp *op) {
  return op->error == 0;
}

static const gchar *const formats[] = {"GRAY8", "GRAY16_LE"};

/* Number of random matrices in a test; -m slow runs all. */
static guint
n_random(void) {
  return g_test_slow() ? 1000 : 150;
}

/* Random matrices of up to 15 x 15 whose weights have both signs or, with `positive`, are means. */
static void
check_random(guint n, gboolean positive, gboolean separable, guint32 seed) {
  g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
  Share share[2] = {{0}};
  for (guint round = 0; round < n; round++) {
    const guint width = 1 + 2 * (guint)g_rand_int_range(rand, 0, 8);
    const guint height = 1 + 2 * (guint)g_rand_int_range(rand, 0, 8);
    const gdouble size = pow(10, g_rand_double_range(rand, -3, 1));
    gdouble row[15], column[15], coeff[225], weight[225], sum = 0;
    for (guint i = 0; i < 15; i++) {
      row[i] = g_rand_double_range(rand, positive ? 0 : -1, 1);
      column[i] = g_rand_double_range(rand, positive ? 0 : -1, 1);
    }
    for (guint i = 0; i < width * height; i++) {
      coeff[i] = size * (separable ? row[i % width] * column[i / width]
                                   : g_rand_double_range(rand, positive ? 0 : -1, 1));
      sum += coeff[i];
    }
    const gdouble scale = positive ? 0 : g_rand_double_range(rand, 0.2, 1) / size;
    for (guint i = 0; i < width * height; i++)
      weight[i] = positive ? coeff[i] / sum : coeff[i] * scale;
    g_autoptr(CcKernel) kernel = cc_kernel_new_matrix(coeff, width * height, width, NULL);
    const CcFilter filter = {.kernel = kernel, .scale = scale};
    for (guint f = 0; f < G_N_ELEMENTS(formats); f++) {
      g_autoptr(CcPlan) plan = plan_for(&filter, formats[f]);
      if (is_exact(plan->op))
        continue;
      if (separable && f == 0) /* for words, 64-bit sums leave fewer bits */
        g_assert_true(plan->op->separable);
      g_assert_cmpfloat(plan->op->error, <, 1);
      check_windows(plan->op, &(Weights){width, height, weight}, rand, &share[f]);
      if (positive)
        check_flat(plan->op);
    }
  }
  for (guint f = 0; f < G_N_ELEMENTS(formats); f++) {
    const gdouble off = 100.0 * (gdouble)share[f].n_off / (gdouble)share[f].n;
    g_test_message("%s: %.2f %% of %" G_GUINT64_FORMAT " results are off by one", formats[f], off,
                   share[f].n);
    g_assert_cmpuint(share[f].n, >, 10 * n);
    g_assert_cmpfloat(off, <, 12);
  }
}

static void
test_means(void) {
  check_random(n_random(), TRUE, FALSE, 1);
}

static void
test_separable_means(void) {
  check_random(n_random(), TRUE, TRUE, 2);
}

static void
test_signed(void) {
  check_random(n_random(), FALSE, FALSE, 3);
}

static void
test_separable_signed(void) {
  check_random(n_random(), FALSE, TRUE, 4);
}

/* With large gains the products of sums leave few bits for a fine divisor. */
static void
test_amplified(void) {
  g_autoptr(GRand) rand = g_rand_new_with_seed(7);
  for (guint i = 0; i < n_random(); i++) {
    const guint width = 2 * (guint)g_rand_int_range(rand, 0, 8) + 1;
    const guint height = 2 * (guint)g_rand_int_range(rand, 0, 8) + 1;
    gdouble coeff[CC_MAX_COEFFS];
    for (guint k = 0; k < width * height; k++)
      coeff[k] = g_rand_double_range(rand, -1, 1);
    g_autoptr(CcKernel) kernel = cc_kernel_new_matrix(coeff, width * height, width, NULL);
    const CcFilter filter = {.kernel = kernel, .scale = pow(2, g_rand_double_range(rand, -2, 6))};
    for (guint f = 0; f < G_N_ELEMENTS(formats); f++) {
      g_autoptr(CcPlan) plan = plan_for(&filter, formats[f]);
      g_assert_cmpfloat(plan->op->error, <, 1);
    }
  }
}

/* --- Gaussians --- */

static void
test_gaussians(void) {
  g_autoptr(GRand) rand = g_rand_new_with_seed(5);
  Share share[2] = {{0}};
  for (guint size = 3; size <= CC_MAX_MATRIX_SIZE; size += 2)
    for (gdouble sigma = 0.4; sigma < size / 2.0; sigma += g_test_slow() ? 0.3 : 0.9) {
      gdouble axis[CC_MAX_MATRIX_SIZE], weight[CC_MAX_COEFFS], sum = 0;
      const gint middle = (gint)size / 2;
      for (gint i = 0; i < (gint)size; i++)
        sum += axis[i] = exp(-0.5 * (i - middle) * (i - middle) / (sigma * sigma));
      for (guint i = 0; i < size * size; i++)
        weight[i] = axis[i / size] / sum * (axis[i % size] / sum);
      const CcFilter filter = {.kernel = cc_kernels_find("gaussian"), .size = size, .sigma = sigma};
      for (guint f = 0; f < G_N_ELEMENTS(formats); f++) {
        g_autoptr(CcPlan) plan = plan_for(&filter, formats[f]);
        g_assert_true(plan->op->separable);
        if (is_exact(plan->op))
          continue;
        check_windows(plan->op, &(Weights){size, size, weight}, rand, &share[f]);
        check_flat(plan->op);
        const gint32 *row = plan->op->row_i[0], *column = plan->op->column_i[0];
        const guint last = plan->op->width - 1;
        g_assert_cmpuint(plan->op->height, ==, last + 1);
        g_assert_cmpint(row[0], !=, 0);
        for (guint i = 0; i <= last; i++) {
          g_assert_cmpint(row[i], ==, row[last - i]);
          g_assert_cmpint(column[i], ==, column[last - i]);
        }
        if (f == 0) /* one unsigned byte, and 32-bit sums */
          g_assert_true(cc_algorithm_runs(CC_ALGORITHM_TENSOR_CORE, plan->op) &&
                        cc_op_fits_int32(plan->op) && row[last / 2] <= G_MAXUINT8);
      }
    }
  for (guint f = 0; f < G_N_ELEMENTS(formats); f++)
    g_test_message("%s: %.2f %% of %" G_GUINT64_FORMAT " results are off by one", formats[f],
                   100.0 * (gdouble)share[f].n_off / (gdouble)share[f].n, share[f].n);
}

/* The error bound of all large Gaussians; checking single results would take too long. */
static void
test_large_gaussians(void) {
  static const gchar *const all[] = {"GRAY8", "Y444_10LE", "Y444_12LE", "GRAY16_LE"};
  for (guint size = 17; size <= CC_MAX_KERNEL_SIZE; size += 10)
    for (guint f = 0; f < G_N_ELEMENTS(all); f++) {
      const CcFilter filter = {.kernel = cc_kernels_find("gaussian"), .size = size};
      g_autoptr(CcPlan) plan = plan_for(&filter, all[f]);
      g_assert_true(plan->op->separable && !plan->op->has_taps);
      g_assert_cmpfloat(plan->op->error, <, 1);
      check_flat(plan->op);
    }
}

/* --- limits --- */

/* A matrix with six decimals is separable, as far as 8-bit samples can show. */
static void
test_typed_gaussian(void) {
  gdouble coeff[CC_MAX_COEFFS];
  for (gint i = 0; i < CC_MAX_COEFFS; i++) {
    const gint x = i % 15 - 7, y = i / 15 - 7;
    coeff[i] = round(exp(-(x * x + y * y) / 18.0) / 56.5 * 1e6) / 1e6;
  }
  g_autoptr(CcKernel) kernel = cc_kernel_new_square(coeff, CC_MAX_COEFFS, NULL);
  const CcFilter filter = {.kernel = kernel};
  g_autoptr(CcPlan) bytes = plan_for(&filter, "GRAY8"), words = plan_for(&filter, "GRAY16_LE");
  g_assert_true(bytes->op->separable);
  g_assert_false(words->op->separable);
}

/* Coefficients with a range beyond any integers still give a plan. */
static void
test_hopeless(void) {
  static const gdouble coeff[] = {1e8, G_PI, -1e8, G_E, 1e-300, 1e8, -1e8, 0.1, G_SQRT2};
  g_autoptr(CcKernel) kernel = cc_kernel_new_matrix(coeff, 9, 3, NULL);
  static const gdouble scales[] = {0, 1e6, -1e6, 1e-6, 1e-300, 4.9e-324};
  for (guint s = 0; s < G_N_ELEMENTS(scales); s++)
    for (guint f = 0; f < G_N_ELEMENTS(formats); f++)
      for (CcResponse response = 0; response < CC_RESPONSE_DIRECTION; response++) {
        const CcFilter filter = {.kernel = kernel, .scale = scales[s], .response = response};
        g_autoptr(CcPlan) plan = plan_for(&filter, formats[f]);
        g_assert_true(isfinite(plan->op->mul) && plan->op->mul != 0);
        g_assert_true(isfinite(plan->op->error));
      }
}

/* A gain of hundreds needs more bits than available. Then the integers are as fine as possible: the
 * relative error grows by at most the gain. */
static void
test_gain(void) {
  static const gdouble column[] = {9, -3, 7, 5, 8, 6, 9};
  gdouble row[CC_MAX_LINE_SIZE];
  g_autoptr(GRand) rand = g_rand_new_with_seed(7);
  for (guint i = 0; i < CC_MAX_LINE_SIZE; i++)
    row[i] = round(g_rand_double(rand) * 1e9) / 1e9;
  g_autoptr(CcKernel) kernel = cc_kernel_new_separable(row, CC_MAX_LINE_SIZE, column, 7, NULL);
  for (gdouble scale = 0.125; scale <= 1024; scale *= 2) {
    const CcFilter filter = {.kernel = kernel, .scale = scale};
    g_autoptr(CcPlan) plan = plan_for(&filter, "GRAY16_LE");
    g_assert_cmpfloat(plan->op->error, <, MAX(1, 64 * scale));
  }
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/quantize/means", test_means);
  g_test_add_func("/quantize/separable-means", test_separable_means);
  g_test_add_func("/quantize/signed", test_signed);
  g_test_add_func("/quantize/separable-signed", test_separable_signed);
  g_test_add_func("/quantize/amplified", test_amplified);
  g_test_add_func("/quantize/gaussians", test_gaussians);
  g_test_add_func("/quantize/large-gaussians", test_large_gaussians);
  g_test_add_func("/quantize/typed-gaussian", test_typed_gaussian);
  g_test_add_func("/quantize/hopeless", test_hopeless);
  g_test_add_func("/quantize/gain", test_gain);
  return g_test_run();
}
