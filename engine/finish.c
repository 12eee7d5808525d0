/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "finish.h"

#include <float.h>
#include <math.h>

#define FLOAT_EXACT (1 << 24) /* integers up to here are floats */

/* A result of denominator up to this is told from its neighbours by a double with room to spare. */
#define MAX_DENOMINATOR (1 << 24)

CcRational
cc_rational(gdouble x, gint64 max_den) {
  const CcRational none = {0, 0};
  const gdouble tolerance = 4 * DBL_EPSILON * fabs(x);
  if (!(fabs(x) < 1e12))
    return none;
  /* convergents p/q of the continued fraction of x */
  gint64 p0 = 0, q0 = 1, p1 = 1, q1 = 0;
  gdouble rest = x;
  for (int i = 0; i < 40; i++) {
    const gdouble whole = floor(rest);
    if (fabs(whole) > 1e12)
      return none;
    const gdouble q = whole * (gdouble)q1 + (gdouble)q0;
    if (q > (gdouble)max_den)
      return none;
    const gint64 p2 = (gint64)whole * p1 + p0, q2 = (gint64)q;
    if (fabs((gdouble)p2 / (gdouble)q2 - x) <= tolerance)
      return (CcRational){p2, q2};
    p0 = p1, q0 = q1, p1 = p2, q1 = q2;
    if (rest == whole)
      return none;
    rest = 1.0 / (rest - whole);
  }
  return none;
}

static gboolean
is_magnitude(const CcOp *op) {
  return op->response == CC_RESPONSE_MAGNITUDE;
}

/* What lifts every rational result off the boundary of a half: less than the smallest step between
 * results, more than any rounding error of double. A root is rational or may come close to a half,
 * so there it is no more than what rounding needs. */
static gdouble
nudge(const CcOp *op, CcRational scale, gdouble offset) {
  const CcRational fraction = cc_rational(offset, MAX_DENOMINATOR);
  if (!op->exact || op->response == CC_RESPONSE_DIRECTION || !scale.den || !fraction.den)
    return 0;
  const gint64 common = scale.den / cc_gcd(scale.den, fraction.den) * fraction.den;
  if (common > MAX_DENOMINATOR)
    return 0;
  return is_magnitude(op) ? (op->hi + 1) * 0x1p-50 : 0.25 / (gdouble)common;
}

/* The range of the integer that the last step starts from: t, or the sum of squares of magnitude.
 */
static void
finish_range(const CcOp *op, gdouble *least, gdouble *most) {
  gdouble low = INFINITY, high = -INFINITY, sum_abs = 0, sum_squares = 0, largest = 0;
  for (guint i = 0; i < op->n_matrices; i++) {
    const gdouble a = (gdouble)op->sum_min[i], b = (gdouble)op->sum_max[i];
    const gdouble abs_max = MAX(-a, b);
    low = MIN(low, a);
    high = MAX(high, b);
    largest = MAX(largest, abs_max);
    sum_abs += abs_max;
    sum_squares += abs_max * abs_max;
  }
  switch (op->response) {
  case CC_RESPONSE_ABSOLUTE:
    *least = 0, *most = largest;
    break;
  case CC_RESPONSE_MAGNITUDE:
    *least = 0, *most = sum_squares;
    break;
  case CC_RESPONSE_MAGNITUDE_L1:
    *least = 0, *most = sum_abs;
    break;
  default:
    *least = low, *most = high;
  }
}

static gint
saturate(gdouble v, const CcOp *op) {
  return v < op->lo ? op->lo : v > op->hi ? op->hi : (gint)v;
}

/* The code value of integer n, in float and in double. */
static gint
finish_f32(const CcOp *op, gint64 n) {
  const gfloat t = is_magnitude(op) ? sqrtf((gfloat)n) : (gfloat)n;
  return saturate(floorf(fmaf(t, op->mul_f, op->add_f)), op);
}

static gint
finish_f64(const CcOp *op, gint64 n) {
  const gdouble t = is_magnitude(op) ? sqrt((gdouble)n) : (gdouble)n;
  return saturate(floor(fma(t, op->mul, op->add)), op);
}

/* Whether both agree on every integer from least to most. Both are staircases that rise with n, so
 * they agree everywhere when they do around each step of the double one. */
static gboolean
staircases_agree(const CcOp *op, gint64 least, gint64 most) {
  if (finish_f32(op, least) != finish_f64(op, least) ||
      finish_f32(op, most) != finish_f64(op, most))
    return FALSE;
  for (gint level = op->lo + 1; level <= op->hi; level++) {
    const gdouble t = (level - op->add) / op->mul;
    if (is_magnitude(op) && t < 0)
      continue; /* below the first result */
    const gdouble step = floor(is_magnitude(op) ? t * t : t);
    if (step + 2 < (gdouble)least || step - 1 > (gdouble)most)
      continue;
    for (gint64 n = MAX(least, (gint64)step - 1); n <= MIN(most, (gint64)step + 2); n++)
      if (finish_f32(op, n) != finish_f64(op, n))
        return FALSE;
  }
  return TRUE;
}

/* Whether no float sum that matters is rounded and the last step in float gives what double gives.
 */
static gboolean
float_is_exact(const CcOp *op) {
  for (guint i = 0; i < op->n_matrices; i++)
    if (MAX(-op->sum_min[i], op->sum_max[i]) > FLOAT_EXACT)
      return FALSE;
  if (op->response == CC_RESPONSE_DIRECTION)
    return TRUE; /* goes through float in any case */
  gdouble least, most;
  finish_range(op, &least, &most);
  if (most > FLOAT_EXACT) {
    /* Sums of squares beyond may be rounded, but never below this bound: fine where it saturates.
     */
    if (!is_magnitude(op) || finish_f32(op, FLOAT_EXACT) < op->hi ||
        finish_f64(op, FLOAT_EXACT) < op->hi)
      return FALSE;
    most = FLOAT_EXACT;
  }
  return staircases_agree(op, (gint64)least, (gint64)most);
}

void
cc_op_set_finish(CcOp *op, gdouble scale, CcRational scale_fraction, gdouble offset) {
  op->mul = op->response == CC_RESPONSE_DIRECTION ? op->hi + 1.0 : scale;
  op->add = offset + 0.5 + nudge(op, scale_fraction, offset);
  op->mul_f = (gfloat)op->mul;
  /* float rounds more; where that is too much, the staircases tell */
  op->add_f = (gfloat)(is_magnitude(op) && op->exact ? op->add + 0x1p-24 : op->add);
  op->arith = !op->exact || float_is_exact(op) ? CC_ARITH_F32 : CC_ARITH_I64;
}
