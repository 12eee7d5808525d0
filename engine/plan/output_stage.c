/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "output_stage.h"

#include <math.h>

#define FLOAT_EXACT (1 << 24) /* floats represent all integers up to here */

/* A double distinguishes neighbouring results with denominators up to this value, with a wide
 * margin. */
#define MAX_DENOMINATOR (1 << 24)

static gboolean
is_magnitude(const CcOp *op) {
  return op->response == CC_RESPONSE_MAGNITUDE;
}

/* --- code values --- */

gint
cc_op_code_of_sums_i64(const CcOp *op, const CcSumsI64 *sums) {
  const gdouble t = cc_sums_t_i64(sums, op->response);
  if (op->response == CC_RESPONSE_DIRECTION)
    return cc_code_of_turns((gfloat)t, op->mul_f, op->add_f, op->hi);
  return cc_code_f64(t, op->mul, op->add, op->lo, op->hi);
}

static gint
code_in_float(gconstpointer variant, gint64 n) {
  const CcOp *op = variant;
  const gfloat t = is_magnitude(op) ? cc_root_f32((gfloat)n) : (gfloat)n;
  return cc_code_f32(t, op->mul_f, op->add_f, op->lo, op->hi);
}

static gint
code_in_double(const CcOp *op, gint64 n) {
  const gdouble t = is_magnitude(op) ? cc_root_f64((gdouble)n) : (gdouble)n;
  return cc_code_f64(t, op->mul, op->add, op->lo, op->hi);
}

gint
cc_op_code(const CcOp *op, gint64 n) {
  return op->arith == CC_ARITH_F32 ? code_in_float(op, n) : code_in_double(op, n);
}

/* --- ranges --- */

static gint64
largest_sum(const CcOp *op, guint matrix) {
  return MAX(-op->sum_min[matrix], op->sum_max[matrix]);
}

gint64
cc_op_largest_sum(const CcOp *op) {
  gint64 largest = 0;
  for (guint i = 0; i < op->n_matrices; i++)
    largest = MAX(largest, largest_sum(op, i));
  return largest;
}

static gint64
total_of_sums(const CcOp *op) {
  gint64 total = 0;
  for (guint i = 0; i < op->n_matrices; i++)
    total += largest_sum(op, i);
  return total;
}

static gint64
total_of_squares(const CcOp *op) {
  gint64 total = 0;
  for (guint i = 0; i < op->n_matrices; i++) {
    const gint64 largest = largest_sum(op, i);
    if (largest && (largest > G_MAXINT64 / largest || total > G_MAXINT64 - largest * largest))
      return G_MAXINT64;
    total += largest * largest;
  }
  return total;
}

/* A range that contains the maximum of all sums. */
static CcRange
range_of_sums(const CcOp *op) {
  CcRange range = {op->sum_min[0], op->sum_max[0]};
  for (guint i = 1; i < op->n_matrices; i++) {
    range.min = MIN(range.min, op->sum_min[i]);
    range.max = MAX(range.max, op->sum_max[i]);
  }
  return range;
}

CcRange
cc_op_range(const CcOp *op) {
  switch (op->response) {
  case CC_RESPONSE_CLAMP:
  case CC_RESPONSE_OFFSET:
    return range_of_sums(op);
  case CC_RESPONSE_ABSOLUTE:
    return (CcRange){0, cc_op_largest_sum(op)};
  case CC_RESPONSE_MAGNITUDE:
    return (CcRange){0, total_of_squares(op)};
  case CC_RESPONSE_MAGNITUDE_L1:
    return (CcRange){0, total_of_sums(op)};
  case CC_RESPONSE_DIRECTION: /* has no n */
  case CC_RESPONSE_AUTO:      /* no op has it, nor those of Canny */
  case CC_RESPONSE_CANNY:
  case CC_RESPONSE_CANNY_L1:
    break;
  }
  g_return_val_if_reached(((CcRange){0, 0}));
}

/* --- proof --- */

static gboolean
agrees_between(const CcOp *op, gint64 from, gint64 to, CcCodeFunc code, gconstpointer variant) {
  for (gint64 n = from; n <= to; n++)
    if (code(variant, n) != cc_op_code(op, n))
      return FALSE;
  return TRUE;
}

gboolean
cc_op_agrees(const CcOp *op, CcRange range, CcCodeFunc code, gconstpointer variant) {
  const gint first = cc_op_code(op, range.min), last = cc_op_code(op, range.max);
  if (code(variant, range.min) != first || code(variant, range.max) != last)
    return FALSE;
  for (gint level = MIN(first, last) + 1; level <= MAX(first, last); level++) {
    /* the op's code value crosses `level` at n = `step` or at one of the next two n */
    const gdouble t = (level - op->add) / op->mul;
    const gint64 step = (gint64)CLAMP(floor(is_magnitude(op) ? t * t : t), (gdouble)range.min,
                                      MIN((gdouble)range.max, 0x1p62));
    const gint64 from = MAX(range.min, step - 1), to = MIN(range.max, step + 2);
    /* The crossing is nearly always at step + 1. Then checking n on both sides of it is enough. */
    if (to - from == 3) {
      const gint before = cc_op_code(op, from + 1), after = cc_op_code(op, from + 2);
      if (code(variant, from + 1) != before || code(variant, from + 2) != after)
        return FALSE;
      if ((before < level) != (after < level))
        continue;
    }
    /* no proof if mul is so small that rounding moves the step further away */
    if ((cc_op_code(op, from) < level) == (cc_op_code(op, to) < level) ||
        !agrees_between(op, from, to, code, variant))
      return FALSE;
  }
  return TRUE;
}

/* Whether no float sum that can change a result is rounded, and the output stage in float gives the
 * same results as in double. The op's arithmetic must be set to I64. */
static gboolean
float_is_exact(const CcOp *op) {
  if (cc_op_largest_sum(op) > FLOAT_EXACT)
    return FALSE;
  if (op->response == CC_RESPONSE_DIRECTION)
    return TRUE; /* both arithmetics use float */
  CcRange range = cc_op_range(op);
  if (range.max > FLOAT_EXACT) {
    /* Larger sums of squares may be rounded, but never below FLOAT_EXACT. Rounding is harmless if
     * the result is already clamped at FLOAT_EXACT. */
    const gint limit = op->mul > 0 ? op->hi : op->lo;
    if (!is_magnitude(op) || code_in_float(op, FLOAT_EXACT) != limit ||
        code_in_double(op, FLOAT_EXACT) != limit)
      return FALSE;
    range.max = FLOAT_EXACT;
  }
  return cc_op_agrees(op, range, code_in_float, op);
}

/* --- the constants --- */

/* The amount that moves every rational result off the rounding boundary: less than the smallest
 * step between results, more than any rounding error of double. A root may be irrational and come
 * close to a half, so for magnitude the amount is only as large as rounding errors require. */
static gdouble
nudge(const CcOp *op, gint64 scale_den, gint64 offset_den) {
  if (op->response == CC_RESPONSE_DIRECTION || !scale_den || !offset_den ||
      MAX(scale_den, offset_den) > MAX_DENOMINATOR)
    return 0;
  const gint64 common = scale_den / cc_gcd(scale_den, offset_den) * offset_den;
  if (common > MAX_DENOMINATOR)
    return 0;
  return is_magnitude(op) ? (op->hi + 1) * 0x1p-50 : 0.25 / (gdouble)common;
}

void
cc_op_set_output_stage(CcOp *op, gdouble scale, CcRational scale_fraction, gdouble offset,
                       gint64 offset_den) {
  op->mul = op->response == CC_RESPONSE_DIRECTION ? op->hi + 1.0 : scale;
  op->add = offset + 0.5 + nudge(op, scale_fraction.den, offset_den);
  op->mul_f = (gfloat)op->mul;
  /* float has larger rounding errors; float_is_exact detects errors that change results */
  op->add_f = (gfloat)(is_magnitude(op) ? op->add + 0x1p-24 : op->add);
  op->arith = CC_ARITH_I64;
  if (float_is_exact(op))
    op->arith = CC_ARITH_F32;
}
