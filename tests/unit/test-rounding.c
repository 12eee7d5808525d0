/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The output stage of exact plans, for every possible sum: the code value must be the rational
 * result rounded half up, computed in integers. */

#include "engine/plan/output_stage.h"
#include "engine/plan/plan.h"
#include "tests/ref/formats.h"

#include <math.h>

__extension__ typedef __int128 int128;

static const struct {
  gint num, den;
} fractions[] = {{1, 1}, {1, 9}, {1, 8}, {3, 7}, {1, 10}, {5, 3}, {1, 255}, {117, 1000}},
  offsets[] = {{0, 1},  {128, 1}, {-20, 1}, {1, 2},   {1, 3},
               {29, 4}, {1, 10},  {-7, 9},  {255, 1}, {383, 3}};

/* Checks the output stage in double, which is always exact, and in the op's arithmetic. */
static void
assert_output_stage(const CcOp *op, gint64 n, gint expected) {
  const gdouble t = op->response == CC_RESPONSE_MAGNITUDE ? cc_root_f64((gdouble)n) : (gdouble)n;
  g_assert_cmpint(cc_code_f64(t, op->mul, op->add, op->lo, op->hi), ==, expected);
  g_assert_cmpint(cc_op_code(op, n), ==, expected);
}

/* floor(t * scale + bias + 1/2) between 0 and hi, in integers; the scale with a sign. */
static gint
exact_result(gint64 t, gint sign, guint scale, guint bias, gint hi) {
  gint64 q = fractions[scale].den, b = offsets[bias].den;
  gint64 num = 2 * t * sign * fractions[scale].num * b + 2 * offsets[bias].num * q + q * b;
  gint64 den = 2 * q * b;
  gint64 floored = num >= 0 ? num / den : -((-num + den - 1) / den);
  return (gint)CLAMP(floored, 0, hi);
}

static CcPlan *
plan_for_fractions(CcKernel *kernel, CcResponse response, gint sign, guint scale, guint bias) {
  const CcFilter filter = {
      .kernel = kernel,
      .response = response,
      .scale = (gdouble)sign * fractions[scale].num / fractions[scale].den,
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
      g_autoptr(CcPlan) plan = plan_for_fractions(kernel, CC_RESPONSE_AUTO, 1, scale, bias);
      const CcOp *op = plan->op;
      const CcRange range = cc_op_range(op);
      g_assert_cmpint(range.min, ==, op->sum_min[0]);
      g_assert_cmpint(range.max, ==, op->sum_max[0]);
      for (gint64 t = range.min; t <= range.max; t++)
        assert_output_stage(op, t, exact_result(t, 1, scale, bias, op->hi));
    }
  }
}

/* A negative scale that the taps do not take: the result falls as t rises. */
static void
test_falling_linear_steps(void) {
  static const gdouble coeff[] = {-2, 3, 17};
  g_autoptr(CcKernel) kernel = cc_kernel_new_matrix(coeff, 3, 3, NULL);
  for (guint scale = 0; scale < G_N_ELEMENTS(fractions); scale++) {
    for (guint bias = 0; bias < G_N_ELEMENTS(offsets); bias++) {
      g_autoptr(CcPlan) plan =
          plan_for_fractions(kernel, CC_RESPONSE_MAGNITUDE_L1, -1, scale, bias);
      const CcOp *op = plan->op;
      const CcRange range = cc_op_range(op);
      g_assert_cmpfloat(op->mul, <, 0);
      g_assert_cmpint(range.min, ==, 0);
      for (gint64 t = 0; t <= range.max; t++)
        assert_output_stage(op, t, exact_result(t, -1, scale, bias, op->hi));
    }
  }
}

/* floor(sqrt(n) * scale + bias + 1/2): the largest k up to hi for which k - bias - 1/2, which is x
 * / 2b, is at most sqrt(n) * p / q. The search starts at the k of a smaller n and moves up. */
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
      g_autoptr(CcPlan) plan =
          plan_for_fractions(cc_kernels_find("sobel"), CC_RESPONSE_AUTO, 1, scale, bias);
      const CcOp *op = plan->op;
      gint64 max = op->sum_max[0] * op->sum_max[0] + op->sum_max[1] * op->sum_max[1];
      gint expected = 0;
      const CcRange range = cc_op_range(op);
      g_assert_cmpint(range.min, ==, 0);
      g_assert_cmpint(range.max, ==, max);
      for (gint64 n = 0; n <= max; n++) {
        expected = exact_root_result(n, scale, bias, op->hi, expected);
        assert_output_stage(op, n, expected);
      }
    }
  }
}

/* floor(bias + 1/2 - sqrt(n) * scale): the largest k from 0 for which sqrt(n) * p / q is at most
 * bias + 1/2 - k, which is y / 2b. The search starts at the k of a smaller n and moves down. */
static gint
exact_falling_root_result(gint64 n, guint scale, guint bias, gint k) {
  gint64 p = fractions[scale].num, q = fractions[scale].den, b = offsets[bias].den;
  while (k > 0) {
    gint64 y = 2 * offsets[bias].num + b - 2 * b * k;
    if (y >= 0 && (int128)y * y * q * q >= (int128)4 * b * b * n * p * p)
      break;
    k--;
  }
  return k;
}

static void
test_falling_root_steps(void) {
  for (guint scale = 0; scale < G_N_ELEMENTS(fractions); scale++) {
    for (guint bias = 0; bias < G_N_ELEMENTS(offsets); bias++) {
      g_autoptr(CcPlan) plan =
          plan_for_fractions(cc_kernels_find("sobel"), CC_RESPONSE_AUTO, -1, scale, bias);
      const CcOp *op = plan->op;
      gint expected = op->hi;
      const CcRange range = cc_op_range(op);
      g_assert_cmpfloat(op->mul, <, 0);
      for (gint64 n = 0; n <= range.max; n++) {
        expected = exact_falling_root_result(n, scale, bias, expected);
        assert_output_stage(op, n, expected);
      }
    }
  }
}

/* --- the proof for a variant --- */

/* The op's own code values, except for one n. */
typedef struct {
  const CcOp *op;
  gint64 wrong;
  gint by;
} WrongForm;

static gint
wrong_code(gconstpointer form, gint64 n) {
  const WrongForm *wrong = form;
  return cc_op_code(wrong->op, n) + (n == wrong->wrong ? wrong->by : 0);
}

/* A variant with a step that is one n too early or too late is detected. */
static void
check_proof(const CcOp *op) {
  const CcRange range = cc_op_range(op);
  const gint rise = op->mul > 0 ? 1 : -1;
  guint n_steps = 0;
  g_assert_true(cc_op_agrees(op, range, wrong_code, &(WrongForm){op, G_MAXINT64, 0}));
  for (gint64 n = range.min + 1; n <= range.max; n++) {
    if (cc_op_code(op, n) == cc_op_code(op, n - 1))
      continue;
    g_assert_false(cc_op_agrees(op, range, wrong_code, &(WrongForm){op, n - 1, rise}));
    g_assert_false(cc_op_agrees(op, range, wrong_code, &(WrongForm){op, n, -rise}));
    n_steps++;
  }
  g_assert_cmpuint(n_steps, >, 50);
}

static void
test_proof(void) {
  enum { EIGHTH = 2, BLACK = 2, WHITE = 8 };
  static const gdouble coeff[] = {-2, 3, 17};
  g_autoptr(CcKernel) line = cc_kernel_new_matrix(coeff, 3, 3, NULL);
  static const CcResponse responses[] = {CC_RESPONSE_ABSOLUTE, CC_RESPONSE_MAGNITUDE,
                                         CC_RESPONSE_MAGNITUDE_L1};
  CcKernel *const kernels[] = {line, cc_kernels_find("sobel")};
  g_autoptr(CcPlan) plain = plan_for_fractions(line, CC_RESPONSE_AUTO, 1, EIGHTH, BLACK);
  check_proof(plain->op);
  for (guint k = 0; k < G_N_ELEMENTS(kernels); k++)
    for (guint r = 0; r < G_N_ELEMENTS(responses); r++) {
      g_autoptr(CcPlan) rises = plan_for_fractions(kernels[k], responses[r], 1, EIGHTH, BLACK);
      g_autoptr(CcPlan) falls = plan_for_fractions(kernels[k], responses[r], -1, EIGHTH, WHITE);
      check_proof(rises->op);
      check_proof(falls->op);
    }
}

/* The op's steps, 10^9 too early. */
static gint
early_code(gconstpointer op, gint64 n) {
  return cc_op_code(op, n + 1000000000);
}

/* Rounding moves the step of this op by one n from the position that its inverse gives. */
static void
test_proof_of_tiny_scale(void) {
  const CcOp op = {.response = CC_RESPONSE_MAGNITUDE,
                   .arith = CC_ARITH_I64,
                   .n_matrices = 2,
                   .mul = 0x1.763460805efd3p-20,
                   .add = 0x1.0001p+15,
                   .hi = 65535};
  const CcRange range = {0, (gint64)1 << 37};
  g_assert_cmpint(early_code(&op, range.min), ==, cc_op_code(&op, range.min));
  g_assert_cmpint(early_code(&op, range.max), ==, cc_op_code(&op, range.max));
  g_assert_false(cc_op_agrees(&op, range, early_code, &op));
}

/* --- sums --- */

static const gint64 some_sums[] = {-300, 299, 40};

static gint
code_of_floats(const CcOp *op, const CcSumsF32 *sums) {
  const gfloat t = cc_sums_t_f32(sums, op->response);
  if (op->response == CC_RESPONSE_DIRECTION)
    return cc_code_of_turns(t, op->mul_f, op->add_f, op->hi);
  return cc_code_f32(t, op->mul_f, op->add_f, op->lo, op->hi);
}

/* Checks the code value of sums, in float and in integers, with an output stage of t / 2 + 1. */
static void
assert_code_of_sums(CcResponse response, guint n_sums, gint expected) {
  CcOp op = {.response = response, .mul = 0.5, .add = 1, .mul_f = 0.5f, .add_f = 1, .hi = 255};
  CcSumsF32 sums_f = {0};
  CcSumsI64 sums_i = {0};
  if (response == CC_RESPONSE_DIRECTION)
    op.mul_f = 256, op.add_f = 0.5f;
  for (guint i = 0; i < n_sums; i++) {
    cc_sums_add_f32(&sums_f, response, (gint)i, (gfloat)some_sums[i]);
    cc_sums_add_i64(&sums_i, response, (gint)i, some_sums[i]);
  }
  g_assert_cmpint(code_of_floats(&op, &sums_f), ==, expected);
  g_assert_cmpint(cc_op_code_of_sums_i64(&op, &sums_i), ==, expected);
}

static void
test_sums(void) {
  assert_code_of_sums(CC_RESPONSE_CLAMP, 1, 0);
  assert_code_of_sums(CC_RESPONSE_CLAMP, 3, 150); /* 299 / 2 + 1, rounded down */
  assert_code_of_sums(CC_RESPONSE_OFFSET, 3, 150);
  assert_code_of_sums(CC_RESPONSE_ABSOLUTE, 3, 151);     /* 300 / 2 + 1 */
  assert_code_of_sums(CC_RESPONSE_MAGNITUDE_L1, 3, 255); /* 639 / 2 + 1 is clamped */
  assert_code_of_sums(CC_RESPONSE_MAGNITUDE_L1, 1, 151);
  assert_code_of_sums(CC_RESPONSE_MAGNITUDE, 3, 213); /* sqrt(181001) / 2 + 1 */
  assert_code_of_sums(CC_RESPONSE_DIRECTION, 2, 96);  /* three eighths of a turn */
}

/* Values outside of an int are clamped to the nearest code value. */
static void
test_saturation(void) {
  g_assert_cmpint(cc_code_f32(1e30f, 1, 0, 16, 255), ==, 255);
  g_assert_cmpint(cc_code_f32(-1e30f, 1, 0, 16, 255), ==, 16);
  g_assert_cmpint(cc_code_f64(1e300, 1, 0, 16, 65535), ==, 65535);
  g_assert_cmpint(cc_code_f64(-1e300, 1, 0, 16, 65535), ==, 16);
  g_assert_cmpint(cc_code_of_turns(1, 256, 0.5f, 255), ==, 0);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rounding/linear", test_linear_steps);
  g_test_add_func("/rounding/falling-linear", test_falling_linear_steps);
  g_test_add_func("/rounding/root", test_root_steps);
  g_test_add_func("/rounding/falling-root", test_falling_root_steps);
  g_test_add_func("/rounding/proof", test_proof);
  g_test_add_func("/rounding/proof-of-tiny-scale", test_proof_of_tiny_scale);
  g_test_add_func("/rounding/sums", test_sums);
  g_test_add_func("/rounding/saturation", test_saturation);
  return g_test_run();
}
