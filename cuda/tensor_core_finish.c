/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tensor_core_finish.h"

#include <math.h>

#define MAX_TRIED (1 << 20) /* sums that are tried one by one */

/* Relative error of the device's approximate root and of what is made of it, twice what it is. */
#define ROOT_ERROR 0x1p-21

/* Sums of squares below this are formed behind a float's exponent. */
#define MAX_SQUARES (1 << 23)

/* A tap's lowest bits that can be left over in a signed byte. */
#define MAX_TAP_SHIFT 6

gint
cc_tensor_core_largest_tap(const CcOp *op) {
  gint largest = 0;
  for (guint i = 0; i < op->n_matrices * op->width * op->height; i++)
    largest = MAX(largest, ABS(op->tap_i[i]));
  return largest;
}

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

/* Makes the numbers those of a scale: (t * factor + addend) >> down. Copied samples are t. */
static void
set_scale(CcTensorCoreNumbering *n, gint factor, gint addend, gint down) {
  n->filtered.factor.i = factor;
  n->filtered.addend.i = addend;
  n->passed.factor.i = 1 << down;
  n->down = down;
}

/* --- bytes --- */

/* Whether no sum's code value has to be clamped. It is the smallest at an end, and the greatest. */
static gboolean
never_clamps(const CcOp *op) {
  const gdouble least = floor((gdouble)op->sum_min[0] * op->mul + op->add);
  const gdouble most = floor((gdouble)op->sum_max[0] * op->mul + op->add);
  return least >= op->lo && most <= op->hi;
}

/* (S + start) >> down is S * 2^-down + add rounded down, since S is whole. Taps are shifted left
 * until the code value, as the word in which it is stored, begins at a byte. */
static gboolean
find_bytes(const CcOp *op, guint shift, CcTensorCoreNumbering *n) {
  const gint down = shift_of_scale(op);
  if (!is_linear(op) || down < 1 || down > 16 || !never_clamps(op))
    return FALSE;
  const gint byte = down <= 8 ? 1 : 2, up = 8 * byte - down;
  const gdouble start = floor(ldexp(op->add, 8 * byte + (gint)shift));
  if (up > MAX_TAP_SHIFT || cc_tensor_core_largest_tap(op) << up > G_MAXINT8 || start > G_MAXINT32)
    return FALSE;
  n->tap_shift = (guint)up;
  n->start = (gint)start;
  n->filtered.factor.i = byte;
  return TRUE;
}

/* --- scales --- */

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
scale_agrees(const CcOp *op, const CcTensorCoreNumbering *n, gint64 least, gint64 most) {
  for (gint64 t = least; t <= most; t++) {
    const gint64 product = t * n->filtered.factor.i + n->filtered.addend.i;
    if (product != (gint32)product ||
        saturate((gdouble)(product >> n->down), 0, 255) != code_value(op, t))
      return FALSE;
  }
  return TRUE;
}

/* S + init, saturated. */
static gboolean
find_whole(const CcOp *op, CcTensorCoreNumbering *n) {
  gint64 least, most;
  if (op->mul != 1 || op->hi != 255 || fabs(op->add) > 255 || !find_range(op, FALSE, &least, &most))
    return FALSE;
  set_scale(n, 1, (gint)floor(op->add), 0);
  n->start = n->filtered.addend.i;
  return scale_agrees(op, n, least, most);
}

/* |S|, saturated. */
static gboolean
find_absolute(const CcOp *op, CcTensorCoreNumbering *n) {
  gint64 least, most;
  if (op->n_matrices != 1 || op->mul != 1 || op->hi != 255 || !find_range(op, TRUE, &least, &most))
    return FALSE;
  set_scale(n, 1, 0, 0);
  return scale_agrees(op, n, least, most);
}

static gboolean
find_scale(const CcOp *op, gboolean absolute, CcTensorCoreNumbering *n) {
  gint64 least, most;
  if (op->hi != 255 || !find_range(op, absolute, &least, &most))
    return FALSE;
  /* as many bits as a product of 31 leaves; copied bytes leave 23 */
  const gdouble largest = (gdouble)MAX(-least, most) * op->mul + fabs(op->add) + 1;
  for (gint down = MIN(23, (gint)floor(31 - log2(largest))); down >= 0; down--) {
    const gdouble factor = round(ldexp(op->mul, down)), addend = floor(ldexp(op->add, down));
    if (factor > G_MAXINT32 || fabs(addend) > G_MAXINT32)
      continue;
    set_scale(n, (gint)factor, (gint)addend, down);
    if (scale_agrees(op, n, least, most))
      return TRUE;
    if (down < 8)
      return FALSE;
  }
  return FALSE;
}

/* --- roots --- */

static gboolean
is_magnitude(const CcOp *op) {
  return op->response == CC_RESPONSE_MAGNITUDE && op->n_matrices == 2;
}

/* The greatest sum of squares. */
static gint64
most_squares(const CcOp *op) {
  gint64 most = 0;
  for (guint m = 0; m < 2; m++) {
    const gint64 largest = MAX(-op->sum_min[m], op->sum_max[m]);
    most += largest * largest;
  }
  return most;
}

/* The code value of the root of n as the plan says. */
static gint
code_of_root(const CcOp *op, gint64 n) {
  if (op->arith == CC_ARITH_F32)
    return saturate(floorf(fmaf(sqrtf((gfloat)n), op->mul_f, op->add_f)), op->lo, op->hi);
  return saturate(floor(fma(sqrt((gdouble)n), op->mul, op->add)), op->lo, op->hi);
}

/* The byte that the device makes of the root of n when that is wrong by a factor. */
static gint
byte_of_root(const CcTensorCoreNumbering *numbering, gint64 n, gdouble factor) {
  const gdouble root = sqrt((gdouble)n * (gdouble)numbering->filtered.factor.f) * factor;
  return (gint)rintf(MIN((gfloat)root + numbering->filtered.addend.f, 255));
}

/* The word, which is exact. n is whole, so that a half is never hit. */
static gint
word_of_root(const CcOp *op, const CcTensorCoreNumbering *numbering, gint64 n) {
  return MIN((gint)rint(sqrt((gdouble)n)) + numbering->filtered.addend.i, op->hi);
}

/* The plan's code values and the device's are staircases that rise with n, so they agree everywhere
 * when they do around each of the plan's steps. */
static gboolean
root_agrees(const CcOp *op, guint bytes, const CcTensorCoreNumbering *numbering) {
  const gint64 most = most_squares(op);
  for (gint level = op->lo; level <= op->hi + 1; level++) {
    const gdouble t = (level - op->add) / op->mul;
    const gint64 step = t > 0 ? (gint64)(t * t) : 0;
    for (gint64 n = MAX(0, step - 3); n <= MIN(most, step + 4); n++) {
      const gint want = code_of_root(op, n);
      if (bytes == 2 ? word_of_root(op, numbering, n) != want
                     : byte_of_root(numbering, n, 1 - ROOT_ERROR) != want ||
                           byte_of_root(numbering, n, 1 + ROOT_ERROR) != want)
        return FALSE;
    }
  }
  return TRUE;
}

static gboolean
find_root_byte(const CcOp *op, gint lift, CcTensorCoreNumbering *n) {
  if (!is_magnitude(op) || op->lo > lift || op->hi != 255 || op->arith != CC_ARITH_F32 ||
      most_squares(op) >= MAX_SQUARES)
    return FALSE;
  n->filtered.factor.f = (gfloat)(op->mul * op->mul);
  n->filtered.addend.f = (gfloat)lift;
  n->passed.factor.f = 1;
  return root_agrees(op, 1, n);
}

static gboolean
find_root_word(const CcOp *op, CcTensorCoreNumbering *n) {
  const gdouble offset = floor(op->add);
  if (!is_magnitude(op) || op->mul != 1 || offset < 0 || offset > op->hi ||
      most_squares(op) >= (gint64)MAX_SQUARES * MAX_SQUARES)
    return FALSE;
  n->filtered.addend.i = (gint)offset;
  return root_agrees(op, 2, n);
}

/* --- clamp --- */

static gboolean
find_clamp(const CcOp *op, CcTensorCoreNumbering *n) {
  const gint down = shift_of_scale(op);
  if (!is_linear(op) || down < 0)
    return FALSE;
  const gdouble start = floor(ldexp(op->add, down));
  if (MAX((gdouble)-op->sum_min[0], (gdouble)op->sum_max[0]) + fabs(start) > G_MAXINT32)
    return FALSE;
  n->filtered.addend.i = (gint)start;
  n->down = down;
  return TRUE;
}

gboolean
cc_tensor_core_find_finish(CcTensorCoreFinish finish, const CcOp *op, guint bytes, guint shift,
                           CcTensorCoreNumbering *numbering) {
  *numbering = (CcTensorCoreNumbering){0};
  switch (finish) {
  case CC_TENSOR_CORE_FINISH_bytes:
    return find_bytes(op, shift, numbering);
  case CC_TENSOR_CORE_FINISH_whole:
    return bytes == 1 && find_whole(op, numbering);
  case CC_TENSOR_CORE_FINISH_absolute:
    return bytes == 1 && find_absolute(op, numbering);
  case CC_TENSOR_CORE_FINISH_scale:
    return bytes == 1 && find_scale(op, op->n_matrices == 2, numbering);
  case CC_TENSOR_CORE_FINISH_scaleabs:
    return bytes == 1 && op->n_matrices == 1 && find_scale(op, TRUE, numbering);
  case CC_TENSOR_CORE_FINISH_root:
    return bytes == 1 ? find_root_byte(op, 0, numbering) : !shift && find_root_word(op, numbering);
  case CC_TENSOR_CORE_FINISH_lifted:
    return bytes == 1 && find_root_byte(op, (gint)floor(op->add), numbering);
  case CC_TENSOR_CORE_FINISH_clamp:
    return bytes == 2 && find_clamp(op, numbering);
  default:
    return (finish == CC_TENSOR_CORE_FINISH_float) == (op->arith == CC_ARITH_F32);
  }
}
