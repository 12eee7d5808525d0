/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last step of exact plans, from a sum to a code value, for every sum there can be: the
 * rational result rounded half up, worked out in integers. */

#include "engine/plan.h"
#include "tests/ref/formats.h"

#include <math.h>

__extension__ typedef __int128 int128;

static const struct {
  gint num, den;
} fractions[] = {{1, 1}, {1, 9}, {1, 8}, {3, 7}, {1, 10}, {5, 3}, {1, 255}, {117, 1000}},
  offsets[] = {{0, 1}, {128, 1}, {-20, 1}, {1, 2}, {1, 3}, {29, 4}, {1, 10}, {-7, 9}};

/* Both forms of the last step that the plan allows for t. */
static void
assert_last_step(const CcOp *op, gdouble t, gint expected) {
  gdouble v = CLAMP(floor(fma(t, op->mul, op->add)), op->lo, op->hi);
  g_assert_cmpint((gint)v, ==, expected);
  if (op->arith == CC_ARITH_F32) {
    gfloat v_f = floorf(fmaf((gfloat)t, op->mul_f, op->add_f));
    g_assert_cmpint((gint)CLAMP(v_f, op->lo, op->hi), ==, expected);
  }
}

/* floor(t * scale + bias + 1/2) between 0 and hi, in integers. */
static gint
exact_result(gint64 t, guint scale, guint bias, gint hi) {
  gint64 q = fractions[scale].den, b = offsets[bias].den;
  gint64 num = 2 * t * fractions[scale].num * b + 2 * offsets[bias].num * q + q * b;
  gint64 den = 2 * q * b;
  gint64 floored = num >= 0 ? num / den : -((-num + den - 1) / den);
  return (gint)CLAMP(floored, 0, hi);
}

static CcPlan *
plan_for_fractions(CcKernel *kernel, guint scale, guint bias) {
  const CcFilter filter = {
      .kernel = kernel,
      .scale = (gdouble)fractions[scale].num / fractions[scale].den,
      .bias = (gdouble)offsets[bias].num / offsets[bias].den,
  };
  const CcFrameLayout layout = test_format_layout(test_format_find("GRAY8"), 8, 8, FALSE);
  g_autoptr(GError) error = NULL;
  CcPlan *plan = cc_plan_new(&filter, &layout, &error);
  g_assert_no_error(error);
  return plan;
}

static void
test_linear_steps(void) {
  static const gdouble coeff[] = {-2, 3, 17};
  g_autoptr(CcKernel) kernel = cc_kernel_new_matrix(coeff, 3, 3, NULL);
  for (guint scale = 0; scale < G_N_ELEMENTS(fractions); scale++) {
    for (guint bias = 0; bias < G_N_ELEMENTS(offsets); bias++) {
      g_autoptr(CcPlan) plan = plan_for_fractions(kernel, scale, bias);
      const CcOp *op = plan->op;
      for (gint64 t = op->sum_min[0]; t <= op->sum_max[0]; t++)
        assert_last_step(op, (gdouble)t, exact_result(t, scale, bias, op->hi));
    }
  }
}

/* floor(sqrt(n) * scale + bias + 1/2): the largest k up to hi for which k - bias - 1/2, which is
 * x / 2b, is at most sqrt(n) * p / q; found by moving up from the k of a smaller n. */
static gint
exact_root_result(gint64 n, guint scale, guint bias, gint hi, gint k) {
  gint64 p = fractions[scale].num, q = fractions[scale].den, b = offsets[bias].den;
  while (k < hi) {
    gint64 x = 2 * b * (k + 1) - 2 * offsets[bias].num - b;
    if (x > 0 && (int128)x * x * q * q > (int128)4 * b * b * n * p * p)
      break;
    k++;
  }
  return k;
}

static void
test_root_steps(void) {
  for (guint scale = 0; scale < G_N_ELEMENTS(fractions); scale++) {
    for (guint bias = 0; bias < G_N_ELEMENTS(offsets); bias++) {
      g_autoptr(CcPlan) plan = plan_for_fractions(cc_kernels_find("sobel"), scale, bias);
      const CcOp *op = plan->op;
      gint64 most = op->sum_max[0] * op->sum_max[0] + op->sum_max[1] * op->sum_max[1];
      gint expected = 0;
      for (gint64 n = 0; n <= most; n++) {
        expected = exact_root_result(n, scale, bias, op->hi, expected);
        gdouble root = op->arith == CC_ARITH_F32 ? sqrtf((gfloat)n) : sqrt((gdouble)n);
        gdouble v = op->arith == CC_ARITH_F32 ? fmaf((gfloat)root, op->mul_f, op->add_f)
                                              : fma(root, op->mul, op->add);
        g_assert_cmpint((gint)CLAMP(floor(v), op->lo, op->hi), ==, expected);
      }
    }
  }
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rounding/linear", test_linear_steps);
  g_test_add_func("/rounding/root", test_root_steps);
  return g_test_run();
}
