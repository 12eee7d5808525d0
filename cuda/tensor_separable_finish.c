/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tensor_separable_finish.h"

#include <math.h>
#include "engine/last_step.h"

/* Relative error of the device's approximate root of a float and of what is made of it, twice what
 * it is. */
#define ROOT_ERROR 0x1p-20

#define DROPPED_BITS 8

/* A scale as the device applies it, to sums that begin with `begin`. */
typedef struct {
  const CcTensorSeparableTable *table;
  gint64 begin;
  gint lo, hi;
} Scale;

static gboolean
is_linear(const CcOp *op) {
  return op->n_matrices == 1 &&
         (op->response == CC_RESPONSE_CLAMP || op->response == CC_RESPONSE_OFFSET ||
          (op->response == CC_RESPONSE_ABSOLUTE && op->sum_min[0] >= 0));
}

static gint
code_of_scale(gconstpointer form, gint64 n) {
  const Scale *self = form;
  const gint64 kept = MAX((n + self->begin) >> self->table->drop, self->table->least);
  const guint64 product = (guint64)kept * self->table->multiplier;
  return cc_clamp_code((gint)MIN(product >> 32 >> self->table->down, G_MAXINT32), self->lo,
                       self->hi);
}

/* Whether (n + begin) >> drop fits 32 bits, and a result less. */
static gboolean
scale_fits(const Scale *self, CcRange range) {
  const gint64 least = (range.least + self->begin) >> self->table->drop;
  const gint64 most = (range.most + self->begin) >> self->table->drop;
  return least >= G_MININT32 && most <= G_MAXINT32;
}

/* Finds multiplier and down for a scale that is positive and below 1. */
static gboolean
find_multiplier(const CcOp *op, CcRange range, CcTensorSeparableTable *table, Scale *scale) {
  gint exponent;
  const gdouble mul = ldexp(op->mul, table->drop);
  const gdouble fraction = frexp(mul, &exponent); /* mul = fraction * 2^exponent */
  if (mul <= 0 || exponent > 0 || exponent < -31)
    return FALSE;
  table->down = -exponent;
  const gdouble exact = ldexp(fraction, 32);
  const gdouble begin = floor(op->add / op->mul);
  if (fabs(begin) > 0x1p50)
    return FALSE;
  for (gint i = 0; i < 4; i++) {
    const gdouble multiplier = i % 2 == 0 ? ceil(exact) : floor(exact);
    if (multiplier > G_MAXUINT32)
      continue;
    table->multiplier = (guint32)multiplier;
    scale->begin = (gint64)begin + i / 2;
    if (scale_fits(scale, range) && cc_op_agrees(op, range, code_of_scale, scale))
      return TRUE;
  }
  return FALSE;
}

/* A power of two, of which the multiplier is at most 2^31. */
static gboolean
find_scale(const CcOp *op, CcRange range, CcTensorSeparableTable *table, Scale *scale) {
  table->lift = 256;
  table->drop = 0;
  if (find_multiplier(op, range, table, scale))
    return TRUE;
  table->lift = 1;
  table->drop = DROPPED_BITS;
  return find_multiplier(op, range, table, scale);
}

static gboolean
find_linear(const CcOp *op, guint bytes, CcTensorSeparableTable *table, gint64 *begin) {
  Scale scale = {table, 0, bytes == 1 ? 0 : op->lo, bytes == 1 ? G_MAXUINT8 : op->hi};
  table->least = 0;
  if (!is_linear(op) || !find_scale(op, cc_op_range(op), table, &scale))
    return FALSE;
  *begin = scale.begin;
  return TRUE;
}

static gboolean
find_absolute(const CcOp *op, CcTensorSeparableTable *table) {
  Scale scale = {table, 0, op->lo, op->hi};
  table->drop = 0;
  if (op->n_matrices != 1 || op->response != CC_RESPONSE_ABSOLUTE ||
      !find_multiplier(op, cc_op_range(op), table, &scale) || scale.begin > G_MAXINT32 ||
      scale.begin < 0)
    return FALSE;
  table->addend = (gint32)scale.begin;
  table->finish = CC_TENSOR_SEPARABLE_FINISH_absolute;
  return TRUE;
}

/* A last step whose root is wrong by a factor. */
typedef struct {
  const CcTensorSeparableTable *table;
  gdouble error;
  gint lo, hi;
} Root;

static gint
code_of_root(gconstpointer form, gint64 n) {
  const Root *self = form;
  const gfloat root = (gfloat)(sqrt((gdouble)n) * self->error);
  return cc_clamp_code(cc_floor_f32(fmaf(root, self->table->scale, self->table->lift_f)), self->lo,
                       self->hi);
}

static gboolean
find_root(const CcOp *op, CcTensorSeparableTable *table) {
  if (op->n_matrices != 2 || op->response != CC_RESPONSE_MAGNITUDE || op->mul <= 0)
    return FALSE;
  table->scale = (gfloat)op->mul;
  table->lift_f = (gfloat)op->add;
  table->finish = CC_TENSOR_SEPARABLE_FINISH_root;
  const Root least = {table, 1 - ROOT_ERROR, op->lo, op->hi};
  const Root most = {table, 1 + ROOT_ERROR, op->lo, op->hi};
  const CcRange range = cc_op_range(op);
  return cc_op_agrees(op, range, code_of_root, &least) &&
         cc_op_agrees(op, range, code_of_root, &most);
}

static gboolean
find_general(const CcOp *op, CcTensorSeparableTable *table) {
  if (cc_op_largest_sum(op) > G_MAXINT32)
    return FALSE;
  if (find_absolute(op, table) || find_root(op, table))
    return TRUE;
  table->finish = op->arith == CC_ARITH_F32 ? CC_TENSOR_SEPARABLE_FINISH_float
                                            : CC_TENSOR_SEPARABLE_FINISH_double;
  return TRUE;
}

/* Sums of 2^51 and more are no part of a double's fraction, and v of 2^31 and more no integer. */
static gboolean
find_wide(const CcOp *op, CcTensorSeparableTable *table) {
  const CcRange range = cc_op_range(op);
  const gint64 largest = cc_op_largest_sum(op);
  table->finish = CC_TENSOR_SEPARABLE_FINISH_double;
  if (largest >= G_GINT64_CONSTANT(1) << 54)
    return FALSE;
  if (op->arith != CC_ARITH_I64)
    return FALSE;
  table->absolute = op->response == CC_RESPONSE_ABSOLUTE;
  const gdouble most = (gdouble)MAX(-range.least, range.most) * fabs(op->mul) + fabs(op->add);
  if (op->n_matrices == 1 && (is_linear(op) || table->absolute) &&
      largest < G_GINT64_CONSTANT(1) << 51 && most < G_MAXINT32)
    table->finish = CC_TENSOR_SEPARABLE_FINISH_real;
  return TRUE;
}

gboolean
cc_tensor_separable_find_finish(CcTensorSeparableSums sums, const CcOp *op, guint bytes,
                                CcTensorSeparableTable *table, gint64 *begin) {
  *begin = 0;
  switch (sums) {
  case CC_TENSOR_SEPARABLE_SUMS_linear:
    return find_linear(op, bytes, table, begin);
  case CC_TENSOR_SEPARABLE_SUMS_general:
    return find_general(op, table);
  case CC_TENSOR_SEPARABLE_SUMS_wide:
    return find_wide(op, table);
  }
  g_return_val_if_reached(FALSE);
}
