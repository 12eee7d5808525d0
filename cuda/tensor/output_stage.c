/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "output_stage.h"

#include <math.h>
#include "engine/plan/output_stage.h"

/* Relative error of the device's approximate root and of what is made of it, twice what it is. */
#define ROOT_ERROR 0x1p-21

#define MAX_SCALED (1 << 30) /* sums that scales are tried for */

/* Sums of squares below this are formed behind a float's exponent. */
#define MAX_SQUARES (1 << 23)

/* Sums of squares from here on leave 32 bits behind it. */
#define MAX_FAR_SQUARES (G_MAXINT32 - 0x4B000000)

/* A tap's lowest bits that can be left over in a signed byte. */
#define MAX_TAP_SHIFT 6

/* The largest of an op's taps without their signs. */
static gint
largest_tap(const CcOp *op) {
  gint largest = 0;
  for (guint i = 0; i < op->n_matrices * op->width * op->height; i++)
    largest = MAX(largest, ABS(op->tap_i[i]));
  return largest;
}

gboolean
cc_tensor_core_is_linear(const CcOp *op) {
  return op->n_matrices == 1 &&
         (op->response == CC_RESPONSE_CLAMP || op->response == CC_RESPONSE_OFFSET ||
          (op->response == CC_RESPONSE_ABSOLUTE && op->sum_min[0] >= 0));
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

gboolean
cc_tensor_core_never_clamps(const CcOp *op) {
  const gdouble least = floor((gdouble)op->sum_min[0] * op->mul + op->add);
  const gdouble most = floor((gdouble)op->sum_max[0] * op->mul + op->add);
  return least >= op->lo && most <= op->hi;
}

/* (S + start) >> down is S * 2^-down + add rounded down, since S is whole. Taps are shifted left
 * until the code value, as the word in which it is stored, begins at a byte. */
static gboolean
find_bytes(const CcOp *op, guint shift, CcTensorCoreNumbering *n) {
  const gint down = shift_of_scale(op);
  if (!cc_tensor_core_is_linear(op) || down < 1 || down > 16 || !cc_tensor_core_never_clamps(op))
    return FALSE;
  const gint byte = down <= 8 ? 1 : 2, up = 8 * byte - down;
  const gdouble start = floor(ldexp(op->add, 8 * byte + (gint)shift));
  if (up > MAX_TAP_SHIFT || largest_tap(op) << up > G_MAXINT8 || start > G_MAXINT32)
    return FALSE;
  n->tap_shift = (guint)up;
  n->start = (gint)start;
  n->filtered.factor.i = byte;
  return TRUE;
}

/* --- scales --- */

/* Whether t is a sum or, with `absolute`, its absolute value or those of two; and its range. */
static gboolean
find_scaled(const CcOp *op, gboolean absolute, CcRange *range) {
  const gboolean is_absolute = op->response == CC_RESPONSE_MAGNITUDE_L1 ||
                               (op->response == CC_RESPONSE_ABSOLUTE && op->n_matrices == 1);
  if (absolute ? !is_absolute : !cc_tensor_core_is_linear(op))
    return FALSE;
  *range = cc_op_range(op);
  return range->most - range->least < MAX_SCALED;
}

static gint64
scaled_product(const CcTensorCoreNumbering *n, gint64 t) {
  return t * n->filtered.factor.i + n->filtered.addend.i;
}

/* The byte that the device makes of t. */
static gint
byte_of_scale(gconstpointer numbering, gint64 t) {
  const CcTensorCoreNumbering *n = numbering;
  return cc_clamp_code((gint)(scaled_product(n, t) >> n->down), 0, G_MAXUINT8) - (gint)n->excess;
}

/* No product leaves 32 bits when those at the ends do not. */
static gboolean
scale_agrees(const CcOp *op, const CcTensorCoreNumbering *n, CcRange range) {
  const gint64 least = scaled_product(n, range.least), most = scaled_product(n, range.most);
  return least == (gint32)least && most == (gint32)most &&
         cc_op_agrees(op, range, byte_of_scale, n);
}

/* S + init, saturated. */
static gboolean
find_whole(const CcOp *op, CcTensorCoreNumbering *n) {
  CcRange range;
  if (op->mul != 1 || op->hi != 255 || fabs(op->add) > 255 || !find_scaled(op, FALSE, &range))
    return FALSE;
  set_scale(n, 1, (gint)floor(op->add), 0);
  n->start = n->filtered.addend.i;
  return scale_agrees(op, n, range);
}

/* |S|, saturated. */
static gboolean
find_absolute(const CcOp *op, CcTensorCoreNumbering *n) {
  CcRange range;
  if (op->n_matrices != 1 || op->mul != 1 || op->hi != 255 || !find_scaled(op, TRUE, &range))
    return FALSE;
  set_scale(n, 1, 0, 0);
  return scale_agrees(op, n, range);
}

static gboolean
find_scale(const CcOp *op, gboolean absolute, CcTensorCoreNumbering *n) {
  CcRange range;
  if ((op->hi != G_MAXUINT8 && !absolute) || op->hi > G_MAXUINT8 ||
      !find_scaled(op, absolute, &range))
    return FALSE;
  n->excess = (guint)(G_MAXUINT8 - op->hi);
  const gdouble add = op->add + n->excess;
  /* as many bits as a product of 31 leaves; copied bytes leave 23 */
  const gdouble largest = (gdouble)MAX(-range.least, range.most) * fabs(op->mul) + fabs(add) + 1;
  for (gint down = MIN(23, (gint)floor(31 - log2(largest))); down >= 0; down--) {
    const gdouble factor = round(ldexp(op->mul, down)), addend = floor(ldexp(add, down));
    if (fabs(factor) > G_MAXINT32 || fabs(addend) > G_MAXINT32)
      continue;
    set_scale(n, (gint)factor, (gint)addend, down);
    if (scale_agrees(op, n, range))
      return TRUE;
    if (down < 8)
      return FALSE;
  }
  return FALSE;
}

/* --- roots --- */

gboolean
cc_tensor_core_is_magnitude_of_two(const CcOp *op) {
  return op->response == CC_RESPONSE_MAGNITUDE && op->n_matrices == 2;
}

gboolean
cc_tensor_core_root_agrees(const CcOp *op, CcCodeFunc code, gconstpointer numbers) {
  const CcTensorCoreRoot least = {numbers, op, 1 - ROOT_ERROR},
                         most = {numbers, op, 1 + ROOT_ERROR};
  const CcRange range = cc_op_range(op);
  return cc_op_agrees(op, range, code, &least) && cc_op_agrees(op, range, code, &most);
}

/* The byte that the device makes of the root of n. */
static gint
byte_of_root(gconstpointer form, gint64 n) {
  const CcTensorCoreRoot *self = form;
  const CcTensorCoreNumbering *numbering = self->numbers;
  const CcTensorCoreNumbers *numbers = &numbering->filtered;
  const gint64 squares = MIN(n, MAX_SQUARES - 1);
  const gdouble root = sqrt((gdouble)squares * (gdouble)numbers->factor.f) * self->error;
  return (gint)rintf(MIN((gfloat)root + numbers->addend.f, G_MAXUINT8)) - (gint)numbering->excess;
}

/* The word, which is exact. n is whole, so that a half is never hit. */
static gint
word_of_root(gconstpointer form, gint64 n) {
  const CcTensorCoreRoot *self = form;
  const CcTensorCoreNumbering *numbering = self->numbers;
  const gdouble root = rint(sqrt((gdouble)n)); /* may not be an int */
  return (gint)MIN(root + numbering->filtered.addend.i, self->op->hi);
}

static gboolean
find_root_byte(const CcOp *op, gint lift, gint64 most, CcTensorCoreNumbering *n) {
  if (!cc_tensor_core_is_magnitude_of_two(op) || op->mul < 0 || op->lo > lift || op->hi < lift ||
      op->hi > G_MAXUINT8 || op->arith != CC_ARITH_F32 || cc_op_range(op).most >= most)
    return FALSE;
  n->excess = (guint)(G_MAXUINT8 - op->hi);
  n->filtered.factor.f = (gfloat)(op->mul * op->mul);
  n->filtered.addend.f = (gfloat)(lift + (gint)n->excess);
  n->passed.factor.f = 1;
  return cc_tensor_core_root_agrees(op, byte_of_root, n);
}

static gboolean
find_root_word(const CcOp *op, CcTensorCoreNumbering *n) {
  const gdouble offset = floor(op->add);
  if (!cc_tensor_core_is_magnitude_of_two(op) || op->mul != 1 || offset < 0 || offset > op->hi ||
      cc_op_range(op).most >= CC_TENSOR_CORE_MOST_SQUARES)
    return FALSE;
  n->filtered.addend.i = (gint)offset;
  const CcTensorCoreRoot root = {n, op, 1};
  return cc_op_agrees(op, cc_op_range(op), word_of_root, &root);
}

/* --- clamp --- */

static gboolean
find_clamp(const CcOp *op, CcTensorCoreNumbering *n) {
  const gint down = shift_of_scale(op);
  if (!cc_tensor_core_is_linear(op) || down < 0)
    return FALSE;
  const gdouble start = floor(ldexp(op->add, down));
  if ((gdouble)cc_op_largest_sum(op) + fabs(start) > G_MAXINT32)
    return FALSE;
  n->filtered.addend.i = (gint)start;
  n->down = down;
  return TRUE;
}

/* --- products --- */

typedef struct {
  const CcTensorCoreNumbering *numbering;
  const CcOp *op;
} Product;

static gint
code_of_product(gconstpointer form, gint64 t) {
  const Product *self = form;
  const CcTensorCoreNumbering *n = self->numbering;
  const gint code = (gint)((t * n->filtered.factor.i + n->low) >> n->down);
  return cc_clamp_code(code, self->op->lo, self->op->hi);
}

gboolean
cc_tensor_core_find_product(const CcOp *op, gint room, gint most_down, CcTensorCoreNumbering *n) {
  if (op->response == CC_RESPONSE_MAGNITUDE || op->response == CC_RESPONSE_DIRECTION)
    return FALSE;
  const CcRange range = cc_op_range(op);
  const gdouble largest = (gdouble)MAX(-range.least, range.most) + 1;
  const gdouble most = largest * fabs(op->mul) + fabs(op->add) + 2;
  if (most > (1 << 30))
    return FALSE;
  gint exponent;
  frexp(op->mul, &exponent);
  const gint down = MIN(31 - exponent, MIN(most_down, (gint)floor(room - log2(most))));
  if (down < 0)
    return FALSE;
  const gdouble factor = round(ldexp(op->mul, down)), low = floor(ldexp(op->add, down));
  if (fabs(factor) > G_MAXINT32 || fabs(factor) * largest + fabs(low) >= ldexp(1, room))
    return FALSE;
  n->filtered.factor.i = (gint)factor;
  n->low = (gint64)low;
  n->down = down;
  n->passed.factor.i = down <= CC_TENSOR_CORE_PASSED_DOWN ? 1 << down : 0; /* of bytes */
  const Product product = {n, op};
  return cc_op_agrees(op, range, code_of_product, &product);
}

/* Divides the numbers of a product by 2 while its factor stays whole. No code value changes. */
static void
reduce_product(CcTensorCoreNumbering *n) {
  for (; n->filtered.factor.i % 2 == 0 && n->down > 0; n->down--) {
    n->filtered.factor.i /= 2;
    n->low = (n->low - (n->low & 1)) / 2;
  }
}

/* The products are of sums of stored words: as those of code values, but further up. The sums of
 * low bytes and of high ones each fit 32 bits. */
static gboolean
find_wide(const CcOp *op, guint shift, CcTensorCoreNumbering *n) {
  const gint room = 62 - (gint)shift;
  if (!cc_tensor_core_is_linear(op) || !cc_tensor_core_find_product(op, room, room, n) ||
      cc_op_largest_sum(op) >> 8 > G_MAXINT32 >> shift)
    return FALSE;
  reduce_product(n);
  n->low *= G_GINT64_CONSTANT(1) << shift;
  n->down += (gint)shift;
  return ABS(n->filtered.factor.i) <= G_MAXINT32 / 256;
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
    return bytes == 1 ? op->hi == G_MAXUINT8 && find_root_byte(op, 0, MAX_SQUARES, numbering)
                      : !shift && find_root_word(op, numbering);
  case CC_TENSOR_CORE_FINISH_lifted:
    return bytes == 1 && find_root_byte(op, (gint)floor(op->add), MAX_SQUARES, numbering);
  case CC_TENSOR_CORE_FINISH_far:
    return bytes == 1 && find_root_byte(op, (gint)floor(op->add), MAX_FAR_SQUARES, numbering);
  case CC_TENSOR_CORE_FINISH_clamp:
    return bytes == 2 && find_clamp(op, numbering);
  case CC_TENSOR_CORE_FINISH_high:
    return bytes == 2 && op->n_matrices == 1 && op->response != CC_RESPONSE_MAGNITUDE_L1 &&
           cc_tensor_core_find_product(op, 62, 62, numbering);
  case CC_TENSOR_CORE_FINISH_wide:
    return bytes == 2 && find_wide(op, shift, numbering);
  case CC_TENSOR_CORE_N_FINISHES:
    break;
  }
  g_return_val_if_reached(FALSE);
}
