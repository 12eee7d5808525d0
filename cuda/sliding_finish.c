/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sliding_finish.h"

#include <math.h>

#define MAX_TRIED (1 << 20) /* sums that are tried one by one */

/* Relative error of the device's approximate root, four times what it has. */
#define ROOT_ERROR 0x1p-21

/* Sums of squares below this are formed behind a float's exponent. */
#define MAX_SQUARES (1 << 23)

static gboolean
is_linear(const CcOp *op) {
  return op->n_matrices == 1 &&
         (op->response == CC_RESPONSE_CLAMP || op->response == CC_RESPONSE_OFFSET ||
          (op->response == CC_RESPONSE_ABSOLUTE && op->sum_min[0] >= 0));
}

static gint
saturate(gdouble v, gint lo, gint hi) {
  return v < lo ? lo : v > hi ? hi : (gint)v;
}

/* The code value of t as the plan says. */
static gint
code_value(const CcOp *op, gint64 t) {
  const gdouble v = op->arith == CC_ARITH_F32 ? floorf(fmaf((gfloat)t, op->mul_f, op->add_f))
                                              : floor(fma((gdouble)t, op->mul, op->add));
  return saturate(v, op->lo, op->hi);
}

/* How far right a sum is shifted for a scale that is a power of two, at most 1; or -1. */
static gint
shift_of_scale(const CcOp *op) {
  gint exponent;
  return frexp(op->mul, &exponent) == 0.5 && exponent <= 1 && exponent > -30 ? 1 - exponent : -1;
}

/* The range of t: a sum, its absolute value or that of two. */
static gboolean
find_range(const CcOp *op, gboolean absolute, gint64 *least, gint64 *most) {
  if (!absolute && is_linear(op)) {
    *least = op->sum_min[0];
    *most = op->sum_max[0];
  } else if (absolute && (op->response == CC_RESPONSE_MAGNITUDE_L1 ||
                          (op->n_matrices == 1 && op->response == CC_RESPONSE_ABSOLUTE))) {
    *least = *most = 0;
    for (guint m = 0; m < op->n_matrices; m++)
      *most += MAX(-op->sum_min[m], op->sum_max[m]);
  } else {
    return FALSE;
  }
  return *most - *least < MAX_TRIED;
}

static gboolean
scale_agrees(const CcOp *op, const CcSlidingNumbers *n, gint64 least, gint64 most) {
  for (gint64 t = least; t <= most; t++) {
    const gint64 product = t * n->factor + n->addend;
    if (product != (gint32)product ||
        saturate((gdouble)(product >> n->down), 0, 255) != code_value(op, t))
      return FALSE;
  }
  return TRUE;
}

static gboolean
find_scale(const CcOp *op, gboolean absolute, CcSlidingNumbers *numbers) {
  gint64 least, most;
  if (op->hi != 255 || !find_range(op, absolute, &least, &most))
    return FALSE;
  /* as many bits as a product of 31 leaves */
  const gdouble largest = (gdouble)MAX(-least, most) * op->mul + fabs(op->add) + 1;
  for (gint down = (gint)floor(31 - log2(largest)); down >= 0; down--) {
    const gdouble factor = round(ldexp(op->mul, down)), addend = floor(ldexp(op->add, down));
    if (down > 30 || factor > G_MAXINT32 || fabs(addend) > G_MAXINT32)
      continue;
    numbers->factor = (gint)factor;
    numbers->addend = (gint)addend;
    numbers->down = down;
    if (scale_agrees(op, numbers, least, most))
      return TRUE;
    if (down < 8)
      return FALSE;
  }
  return FALSE;
}

/* The code value of the root of n, when the root is wrong by a factor. */
static gint
root_value(const CcOp *op, gfloat mul, gint64 n, gdouble factor) {
  return saturate(rint(sqrt((gdouble)n) * factor * (gdouble)mul) + op->lo, 0, 255);
}

/* Both are staircases that rise with n, so they agree everywhere when they do around each step. */
static gboolean
find_root(const CcOp *op, CcSlidingNumbers *numbers) {
  if (op->response != CC_RESPONSE_MAGNITUDE || op->n_matrices != 2 || op->hi != 255 ||
      op->arith != CC_ARITH_F32)
    return FALSE;
  gint64 most = 0;
  for (guint m = 0; m < 2; m++) {
    const gint64 largest = MAX(-op->sum_min[m], op->sum_max[m]);
    most += largest * largest;
  }
  if (most >= MAX_SQUARES || sqrt((gdouble)most) * op->mul > 32000)
    return FALSE;
  numbers->mul = op->mul_f;
  for (gint level = op->lo; level <= op->hi + 1; level++) {
    const gdouble t = (level - 0.5 - op->lo) / op->mul;
    const gint64 step = t > 0 ? (gint64)(t * t) : 0;
    for (gint64 n = MAX(0, step - 3); n <= MIN(most, step + 4); n++) {
      const gfloat root = sqrtf((gfloat)n);
      const gint want = saturate(floorf(fmaf(root, op->mul_f, op->add_f)), op->lo, op->hi);
      if (root_value(op, numbers->mul, n, 1 - ROOT_ERROR) != want ||
          root_value(op, numbers->mul, n, 1 + ROOT_ERROR) != want)
        return FALSE;
    }
  }
  return TRUE;
}

/* (S + start) >> down is S * 2^-down + add rounded down, since S is whole. */
static gboolean
find_clamp(const CcOp *op, CcSlidingNumbers *numbers) {
  const gint down = shift_of_scale(op);
  if (!is_linear(op) || down < 0)
    return FALSE;
  const gdouble start = floor(ldexp(op->add, down));
  if (MAX((gdouble)-op->sum_min[0], (gdouble)op->sum_max[0]) + fabs(start) > G_MAXINT32)
    return FALSE;
  numbers->start = (gint)start;
  numbers->down = down;
  return TRUE;
}

gboolean
cc_sliding_find_finish(CcSlidingFinish finish, const CcOp *op, guint bytes,
                       CcSlidingNumbers *numbers) {
  *numbers = (CcSlidingNumbers){0};
  switch (finish) {
  case CC_SLIDING_FINISH_scale:
    return bytes == 1 && find_scale(op, op->n_matrices == 2, numbers);
  case CC_SLIDING_FINISH_scaleabs:
    return bytes == 1 && op->n_matrices == 1 && find_scale(op, TRUE, numbers);
  case CC_SLIDING_FINISH_root:
    return bytes == 1 && find_root(op, numbers);
  case CC_SLIDING_FINISH_clamp:
    return bytes == 2 && find_clamp(op, numbers);
  default:
    return (finish == CC_SLIDING_FINISH_float) == (op->arith == CC_ARITH_F32);
  }
}
