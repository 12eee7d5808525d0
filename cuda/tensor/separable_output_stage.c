/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "separable_output_stage.h"

#include <math.h>
#include "engine/plan/output_stage.h"
#include "output_stage.h"

/* Sums below this fit 32 bits above their lowest four bytes, with room for what they begin with. */
#define MOST_DOUBLE (G_GINT64_CONSTANT(1) << 61)

/* A scale as the device applies it: to sums that begin with `begin`, without their lowest bits. */
typedef struct {
  gint64 begin, least;
  guint drop, down;
  guint32 multiplier;
  gint lo, hi;
} Scale;

static gint
code_of_scale(gconstpointer form, gint64 n) {
  const Scale *self = form;
  const gint64 kept = MAX((n + self->begin) >> self->drop, self->least);
  const guint64 product = (guint64)kept * self->multiplier >> self->down;
  return cc_clamp_code((gint)MIN(product, G_MAXINT32), self->lo, self->hi);
}

/* Whether the device can multiply all sums: at most so many, and not negative or clamped to 0. */
static gboolean
sums_fit(const Scale *scale, CcRange range, gint64 largest) {
  const gint64 least = (range.least + scale->begin) >> scale->drop;
  const gint64 most = (range.most + scale->begin) >> scale->drop;
  return least >= (scale->least == 0 ? G_MININT32 : 0) && most <= largest;
}

/* Finds the multiplier for a scale and how far down products are shifted, and the beginning. */
static gboolean
find_multiplier(const CcOp *op, guint down, gint64 largest, Scale *scale) {
  const CcRange range = cc_op_range(op);
  const gdouble exact = ldexp(op->mul, (gint)(down + scale->drop));
  const gdouble begin = floor(op->add / op->mul);
  if (exact < 1 || exact >= 0x1p32 || fabs(begin) > 0x1p50)
    return FALSE;
  scale->down = down;
  for (gint i = 0; i < 4; i++) {
    const gdouble multiplier = i % 2 == 0 ? ceil(exact) : floor(exact);
    if (multiplier > G_MAXUINT32)
      continue;
    scale->multiplier = (guint32)multiplier;
    scale->begin = (gint64)begin + i / 2;
    if (sums_fit(scale, range, largest) && cc_op_agrees(op, range, code_of_scale, scale))
      return TRUE;
  }
  return FALSE;
}

/* Code values are byte `at` and, of two bytes, the next of a product. */
static gboolean
find_picked(const CcOp *op, guint bytes, gboolean high, CcTensorSeparableTable *table,
            gint64 *begin) {
  if (!cc_tensor_core_is_linear(op) || op->mul <= 0 || !cc_tensor_core_never_clamps(op))
    return FALSE;
  for (gint at = 4 - (gint)bytes; at >= 0; at -= (gint)bytes) {
    Scale scale = {.least = G_MININT64, .lo = op->lo, .hi = op->hi};
    const guint down = 8 * (guint)at + (high ? 32 : 0);
    /* a product fits 32 bits */
    const gdouble most = high ? G_MAXUINT32 : floor(G_MAXUINT32 / ldexp(op->mul, (gint)down));
    if (!find_multiplier(op, down, (gint64)most, &scale))
      continue;
    const guint first = bytes == 1 ? (guint)at : (guint)at | ((guint)at + 1) << 4;
    table->pick = first | (first + (bytes == 1 ? 4 : 0x44)) << 4 * bytes;
    table->multiplier = scale.multiplier;
    *begin = scale.begin;
    return TRUE;
  }
  return FALSE;
}

/* A scale that is positive and, of products of 64 bits, below 2, or below 1 where bytes are
 * dropped: other sums are doubled on the device, so that their multiplier has 32 bits as well. */
static gboolean
find_scale(const CcOp *op, Scale *scale, CcTensorSeparableTable *table) {
  const gint doubled = scale->drop == 0;
  gint exponent;
  frexp(ldexp(op->mul, (gint)scale->drop), &exponent); /* mul is from half of 2^exponent on */
  const gint64 largest = exponent > 0 ? G_MAXINT32 / 2 : G_MAXINT32;
  if (op->mul <= 0 || exponent > doubled || exponent < doubled - 31 ||
      !find_multiplier(op, (guint)(32 - exponent), largest, scale))
    return FALSE;
  table->multiplier = scale->multiplier;
  table->down = doubled - exponent;
  return TRUE;
}

static gboolean
find_linear(const CcOp *op, guint bytes, guint drop, CcTensorSeparableTable *table, gint64 *begin) {
  Scale scale = {
      .drop = drop, .lo = bytes == 1 ? 0 : op->lo, .hi = bytes == 1 ? G_MAXUINT8 : op->hi};
  if (!cc_tensor_core_is_linear(op) || !find_scale(op, &scale, table))
    return FALSE;
  *begin = scale.begin;
  return TRUE;
}

static gboolean
find_absolute(const CcOp *op, CcTensorSeparableTable *table) {
  Scale scale = {.lo = op->lo, .hi = op->hi};
  if (op->n_matrices != 1 || op->response != CC_RESPONSE_ABSOLUTE ||
      !find_scale(op, &scale, table) || scale.begin > G_MAXINT32 || scale.begin < 0)
    return FALSE;
  table->addend = (guint32)scale.begin * 2;
  table->absolute = TRUE;
  return TRUE;
}

static gint
code_of_root(gconstpointer form, gint64 n) {
  const CcTensorCoreRoot *self = form;
  const CcTensorSeparableTable *table = self->numbers;
  const gfloat root = (gfloat)(sqrt((gdouble)n) * self->error);
  return cc_clamp_code(cc_floor_f32(fmaf(root, table->scale, table->lift)), self->op->lo,
                       self->op->hi);
}

static gboolean
find_root(const CcOp *op, CcTensorSeparableTable *table, gint64 *begin) {
  if (!cc_tensor_core_is_magnitude_of_two(op) || op->mul <= 0 ||
      cc_op_largest_sum(op) >= CC_TENSOR_CORE_MOST_FLOAT)
    return FALSE;
  table->scale = (gfloat)op->mul;
  table->lift = (gfloat)op->add;
  *begin = CC_TENSOR_CORE_FLOAT_BITS;
  return cc_tensor_core_root_agrees(op, code_of_root, table);
}

static gboolean
find_word(const CcOp *op, CcTensorSeparableTable *table) {
  CcTensorCoreNumbering numbering;
  if (!cc_tensor_core_find_finish(CC_TENSOR_CORE_FINISH_root, op, 2, 0, &numbering))
    return FALSE;
  table->addend = (guint32)numbering.filtered.addend.i;
  return TRUE;
}

/* Sums of 2^51 and more are no whole numbers behind a double's exponent, and v of 2^31 and more no
 * integer. */
static gboolean
find_wide(const CcOp *op, CcTensorSeparableTable *table) {
  const gint64 largest = cc_op_largest_sum(op);
  const gdouble most = (gdouble)largest * fabs(op->mul) + fabs(op->add);
  table->absolute = op->response == CC_RESPONSE_ABSOLUTE;
  return op->arith == CC_ARITH_I64 && op->n_matrices == 1 &&
         (cc_tensor_core_is_linear(op) || table->absolute) &&
         largest < G_GINT64_CONSTANT(1) << 51 && most < G_MAXINT32;
}

gboolean
cc_tensor_separable_find_finish(CcTensorSeparableSums sums, const CcOp *op, guint bytes,
                                CcTensorSeparableTable *table, gint64 *begin) {
  const gboolean fits_int32 = cc_op_largest_sum(op) <= G_MAXINT32;
  *begin = 0;
  switch (sums) {
  case CC_TENSOR_SEPARABLE_SUMS_low:
  case CC_TENSOR_SEPARABLE_SUMS_high:
    return find_picked(op, bytes, sums == CC_TENSOR_SEPARABLE_SUMS_high, table, begin);
  case CC_TENSOR_SEPARABLE_SUMS_scale:
    return fits_int32 && (find_linear(op, bytes, 0, table, begin) || find_absolute(op, table));
  case CC_TENSOR_SEPARABLE_SUMS_dropped:
    return find_linear(op, bytes, 8, table, begin);
  case CC_TENSOR_SEPARABLE_SUMS_root:
    return find_root(op, table, begin);
  case CC_TENSOR_SEPARABLE_SUMS_word:
    return fits_int32 && find_word(op, table);
  case CC_TENSOR_SEPARABLE_SUMS_wide:
    return find_wide(op, table);
  case CC_TENSOR_SEPARABLE_SUMS_double:
    return op->arith == CC_ARITH_I64 && cc_op_largest_sum(op) < MOST_DOUBLE;
  }
  g_return_val_if_reached(FALSE);
}
