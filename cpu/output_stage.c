/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "output_stage.h"

#include "engine/ablation.h"

#include <math.h>

#define FLOAT_BITS 24 /* bits of an integer that a float holds exactly */
/* limit for numbers that are converted to 32-bit integers, with a margin */
#define MAX_CODE 0x1p30
/* maximum low bits that sums can lack if taps are quantized; see MULTIPLE in
 * engine/plan/quantize.c */
#define MAX_RIGHT 8
#define LARGEST_IN_DOUBLE (G_GINT64_CONSTANT(1) << 53)

/* --- the variants and their check --- */

/* A requantization variant that is checked. The functions below compute, for one t, the same code
 * value as the row kernels of a variant. */
typedef struct {
  const CcFinish *numbers; /* constants of the row kernels */
  guint left;              /* sums are multiplied by 2^left; only for CC_REQUANTIZE_16 */
  /* number of low bits that sums lack; only for CC_REQUANTIZE_BITS and CC_REQUANTIZE_SHIFTED */
  guint dropped;
} Trial;

static gint
code_of_16(gconstpointer data, gint64 t) {
  const Trial *trial = data;
  const CcFinish16 *f = &trial->numbers->in_16;
  const guint16 u = (guint16)(((guint64)t << trial->left) + f->offset);
  const guint q = u * (guint)f->factor >> (16 + f->right);
  return (guint16)(CLAMP(q, f->min, f->max) + f->base);
}

static gint
code_of_bits(gconstpointer data, gint64 t) {
  const Trial *trial = data;
  const CcFinish *f = trial->numbers;
  const gint64 raised = (t >> trial->dropped) + f->bits.addend;
  return cc_clamp_code((gint)(raised >> f->bits.right), f->lo, f->hi);
}

/* The product is rounded, then the sum. */
static gint
code_of_shifted(gconstpointer data, gint64 t) {
  const Trial *trial = data;
  const CcFinish *f = trial->numbers;
  const gfloat product = (gfloat)(t >> trial->dropped >> f->shifted.right) * f->shifted.mul;
  return cc_clamp_code(cc_floor_f32(product + f->shifted.add), f->lo, f->hi);
}

/* Only the sum is rounded, as by a fused multiply-add. */
static gint
code_of_shifted_fused(gconstpointer data, gint64 t) {
  const Trial *trial = data;
  const CcFinish *f = trial->numbers;
  const gfloat number = (gfloat)(t >> trial->dropped >> f->shifted.right);
  return cc_clamp_code(cc_floor_f32(fmaf(number, f->shifted.mul, f->shifted.add)), f->lo, f->hi);
}

static gint
code_of_centred(gconstpointer data, gint64 t) {
  const CcFinish *f = ((const Trial *)data)->numbers;
  const gfloat v = fmaf((gfloat)(t - f->centred.middle), f->centred.mul, f->centred.add);
  return cc_clamp_code((gint)rintf(v) + f->centred.base, f->lo, f->hi);
}

static gint
code_of_parts(gconstpointer data, gint64 t) {
  const CcFinish *f = ((const Trial *)data)->numbers;
  const gdouble product = (gdouble)t * f->parts.mul;
  return cc_clamp_code(cc_floor_f64(product + f->parts.add), f->lo, f->hi);
}

/* The functions of all variants other than the definition. If there are two functions, the second
 * one is for instruction sets that round differently. Each function must be monotonic in t, in the
 * same direction as the definition (see CcCodeFunc). A function is monotonic if no intermediate
 * number exceeds its type. The find_ functions ensure this. */
static const CcCodeFunc variants[CC_N_FINISHES][2] = {
    [CC_REQUANTIZE_16] = {code_of_16},
    [CC_REQUANTIZE_BITS] = {code_of_bits},
    [CC_REQUANTIZE_SHIFTED] = {code_of_shifted, code_of_shifted_fused},
    [CC_REQUANTIZE_CENTRED] = {code_of_centred},
    [CC_REQUANTIZE_PARTS] = {code_of_parts},
};

/* Selects a variant if it gives the op's code value for each t. Returns whether it does. */
static gboolean
take_proved(CcOutput *self, const CcOp *op, CcRequantizationVariant requantization,
            const CcFinish *numbers, guint left, guint dropped) {
  const Trial trial = {numbers, left, dropped};
  for (guint i = 0; i < 2 && variants[requantization][i]; i++)
    if (!cc_op_agrees(op, cc_op_range(op), variants[requantization][i], &trial))
      return FALSE;
  self->requantization = requantization;
  self->to_sample = *numbers;
  self->left = left;
  return TRUE;
}

/* Returns whether t is a sum, or is computed from sums only by comparisons and additions. */
static gboolean
is_integer(const CcOp *op) {
  return op->response != CC_RESPONSE_MAGNITUDE && op->response != CC_RESPONSE_DIRECTION;
}

/* Tries CC_REQUANTIZE_16, for an op whose t spans less than 2^16. The factor is positive, so code
 * values must not decrease with t. Sums are scaled up to use all 16 bits, which minimises the
 * truncation error. Factors and offsets next to the ideal values are tried too. If mul is a power
 * of two, the ideal values are exact. */
static gboolean
find_16(CcOutput *self, const CcOp *op) {
  const CcRange t = cc_op_range(op);
  const gdouble start = op->add + (gdouble)t.min * op->mul, base = floor(start);
  if (cc_is_left_out("output-16") || op->mul < 0 || !(fabs(base) < MAX_CODE) || base > op->hi ||
      op->lo - base > G_MAXUINT16)
    return FALSE;
  const gdouble fraction = start - base;
  const gdouble span = (gdouble)(t.max - t.min) + fraction / op->mul + 1;
  const gdouble largest = (gdouble)cc_op_largest_sum(op);
  const gdouble sum_limit = self->reduces ? G_MAXINT16 : G_MAXUINT16;
  guint left = 0;
  while (ldexp(span, (gint)left + 1) <= G_MAXUINT16 && ldexp(largest, (gint)left + 1) <= sum_limit)
    left++;
  const gdouble step = ldexp(op->mul, -(gint)left);
  if (span > G_MAXUINT16 || step >= 1)
    return FALSE;
  gint exponent;
  frexp(step, &exponent); /* the exponent is chosen so that the factor uses all of its 16 bits */
  CcFinish numbers = self->to_sample;
  numbers.in_16.right = (guint)CLAMP(-exponent, 0, 15);
  numbers.in_16.base = (guint16)(gint)base;
  const gdouble factor = floor(ldexp(step, 16 + (gint)numbers.in_16.right));
  const gint64 offset = (gint64)floor(fraction / step), min = t.min * (1 << left);
  for (gint i = 0; i < 6; i++) {
    const gint64 first = offset + i % 3 - 1; /* the smallest t + offset */
    if (first < 0 || first + ((t.max - t.min) << left) > G_MAXUINT16)
      continue; /* t + offset would wrap around */
    numbers.in_16.factor = (guint16)MIN((gint)factor + i / 3, G_MAXUINT16);
    numbers.in_16.offset = (guint16)(first - min);
    numbers.in_16.min = (guint16)MAX(op->lo - (gint)base, 0);
    numbers.in_16.max = (guint16)MIN(op->hi - (gint)base, G_MAXUINT16);
    if (!take_proved(self, op, CC_REQUANTIZE_16, &numbers, left, 0))
      continue;
    numbers.in_16.min = 0; /* if no t reaches a limit, clamping is disabled */
    numbers.in_16.max = G_MAXUINT16;
    take_proved(self, op, CC_REQUANTIZE_16, &numbers, left, 0);
    return TRUE;
  }
  return FALSE;
}

/* Tries CC_REQUANTIZE_BITS, for an op whose mul is a power of two. */
static gboolean
find_bits(CcOutput *self, const CcOp *op, guint dropped) {
  gint exponent;
  if (cc_is_left_out("output-shift") || !is_integer(op) || frexp(op->mul, &exponent) != 0.5)
    return FALSE;
  const gint right = 1 - exponent;
  const CcRange t = cc_op_range(op);
  if (right < (gint)dropped || right - (gint)dropped > 31)
    return FALSE;
  const gdouble unit = ldexp(1, (gint)dropped), addend = floor(ldexp(op->add, right)) / unit;
  if (floor((gdouble)t.min / unit) + addend < G_MININT32 ||
      floor((gdouble)t.max / unit) + addend > G_MAXINT32 || fabs(addend) > G_MAXINT32)
    return FALSE;
  CcFinish numbers = self->to_sample;
  numbers.bits = (CcFinishBits){(guint)right - dropped, (gint32)floor(addend)};
  return take_proved(self, op, CC_REQUANTIZE_BITS, &numbers, 0, dropped);
}

/* Tries CC_REQUANTIZE_SHIFTED. Adds half of the maximum that the lost low bits can contribute,
 * because results are then farthest from values where the rounding of float would matter. */
static gboolean
find_shifted(CcOutput *self, const CcOp *op, guint dropped) {
  const CcRange t = cc_op_range(op);
  const gint beyond = (gint)g_bit_storage((gulong)MAX(-t.min, t.max)) - FLOAT_BITS;
  const gdouble min = (gdouble)t.min * op->mul + op->add;
  const gdouble max = (gdouble)t.max * op->mul + op->add;
  if (cc_is_left_out("output-float") || !is_integer(op) || fabs(min) > MAX_CODE ||
      fabs(max) > MAX_CODE)
    return FALSE;
  CcFinish numbers = self->to_sample;
  for (gint right = MAX(beyond, (gint)dropped); right <= MAX_RIGHT; right++) {
    const gdouble mul = ldexp(op->mul, right);
    numbers.shifted = (CcFinishShifted){(guint)right - dropped, (gfloat)mul,
                                        (gfloat)(op->add + (mul - op->mul) / 2)};
    if (take_proved(self, op, CC_REQUANTIZE_SHIFTED, &numbers, 0, dropped))
      return TRUE;
  }
  return FALSE;
}

/* Tries CC_REQUANTIZE_CENTRED. The result is moved by less than the smallest step of results, so
 * that rounding changes no code value. */
static gboolean
find_centred(CcOutput *self, const CcOp *op) {
  const CcRange t = cc_op_range(op);
  const gint64 middle = (t.min + t.max) / 2;
  const gdouble at_middle = (gdouble)middle * op->mul + op->add, base = floor(at_middle);
  const gdouble span = (gdouble)(t.max - t.min);
  if (!is_integer(op) || span > (1 << FLOAT_BITS) ||
      fabs(span * op->mul) + fabs(at_middle) > MAX_CODE)
    return FALSE;
  CcFinish numbers = self->to_sample;
  for (gint quarters = -1; quarters <= 1; quarters++) {
    const gdouble add = at_middle - base - 0.5 + op->mul * quarters / 4;
    numbers.centred = (CcFinishCentred){(gint32)middle, (gint32)base, (gfloat)op->mul, (gfloat)add};
    if (take_proved(self, op, CC_REQUANTIZE_CENTRED, &numbers, 0, 0))
      return TRUE;
  }
  return FALSE;
}

/* Tries CC_REQUANTIZE_PARTS. The result is raised by less than the smallest step of results, so
 * that rounding twice changes no code value. */
static gboolean
find_parts(CcOutput *self, const CcOp *op) {
  const CcRange t = cc_op_range(op);
  if (!is_integer(op))
    return FALSE;
  CcFinish numbers = self->to_sample;
  for (gint quarters = 0; quarters < 4; quarters++) {
    numbers.parts = (CcRequantizeParts){op->mul, op->add + fabs(op->mul) * quarters / 4};
    const CcRequantizeParts *f = &numbers.parts;
    if (fabs((gdouble)t.min * f->mul + f->add) < G_MAXINT32 &&
        fabs((gdouble)t.max * f->mul + f->add) < G_MAXINT32 &&
        take_proved(self, op, CC_REQUANTIZE_PARTS, &numbers, 0, 0))
      return TRUE;
  }
  return FALSE;
}

/* --- the lane of the sums --- */

/* Selects the output stage of the definition, for sums in `lane`. */
static void
take_definition(CcOutput *self, const CcOp *op, CcLane lane) {
  const gboolean in_float = op->arith == CC_ARITH_F32;
  self->lane = lane;
  self->left = 0;
  self->reduces = TRUE;
  self->number = (CcNumber)lane;
  self->requantization = in_float ? CC_REQUANTIZE_F32 : CC_REQUANTIZE_F64;
  switch (op->response) {
  case CC_RESPONSE_CLAMP:
  case CC_RESPONSE_OFFSET:
    self->reduces = op->n_matrices > 1;
    self->reduce = CC_REDUCE_MAX;
    break;
  case CC_RESPONSE_ABSOLUTE:
    self->reduce = CC_REDUCE_MAX_ABS;
    break;
  case CC_RESPONSE_MAGNITUDE_L1:
    self->reduce = CC_REDUCE_SUM_ABS;
    break;
  case CC_RESPONSE_MAGNITUDE:
    self->reduce = in_float ? CC_REDUCE_NORM : CC_REDUCE_NORM_DOUBLE;
    self->number = in_float ? CC_NUMBER_FLOAT : CC_NUMBER_DOUBLE;
    break;
  case CC_RESPONSE_DIRECTION:
    self->reduce = CC_REDUCE_TURNS;
    self->number = CC_NUMBER_FLOAT;
    self->requantization = CC_REQUANTIZE_TURNS;
    break;
  case CC_RESPONSE_AUTO: /* an op never has these values */
  case CC_RESPONSE_CANNY:
  case CC_RESPONSE_CANNY_L1:
    break;
  }
}

/* Selects 16-bit sums. Returns NULL, or the reason why 16-bit sums are not possible. Sums may wrap
 * around if the output stage needs them only modulo 2^16. */
static const gchar *
take_16(CcOutput *self, const CcOp *op) {
  const gboolean sums_fit = cc_op_largest_sum(op) <= G_MAXINT16;
  take_definition(self, op, CC_LANE_16);
  if (cc_is_left_out("sums-16"))
    return "left out";
  if (self->reduces && !sums_fit)
    return "sums pass 16 bits";
  if (op->response == CC_RESPONSE_DIRECTION)
    return NULL;
  /* there is no 16-bit kernel for CC_REDUCE_NORM_DOUBLE */
  if (op->response == CC_RESPONSE_MAGNITUDE)
    return self->reduce == CC_REDUCE_NORM ? NULL : "the root is in double";
  const CcRange t = cc_op_range(op);
  if (t.max - t.min > G_MAXUINT16)
    return "sums pass 16 bits";
  const gboolean is_exact = find_16(self, op) || (self->requantization == CC_REQUANTIZE_F32 &&
                                                  sums_fit && t.max <= G_MAXINT16);
  return is_exact ? NULL : "no output stage in 16 bits or float is exact";
}

gboolean
cc_output_fits_32(const CcOp *op) {
  return cc_op_largest_sum(op) <= G_MAXINT32 &&
         (op->response != CC_RESPONSE_MAGNITUDE_L1 || cc_op_range(op).max <= G_MAXINT32);
}

void
cc_output_take_32(CcOutput *self, const CcOp *op) {
  take_definition(self, op, CC_LANE_32);
  if (self->number == CC_NUMBER_32 && !find_bits(self, op, 0))
    find_shifted(self, op, 0);
}

gboolean
cc_output_take_32_without(CcOutput *self, const CcOp *op, guint dropped) {
  take_definition(self, op, CC_LANE_32);
  return !self->reduces && (find_bits(self, op, dropped) || find_shifted(self, op, dropped));
}

gboolean
cc_output_take_parts(CcOutput *self, const CcOp *op) {
  take_definition(self, op, CC_LANE_32);
  return !self->reduces && find_parts(self, op);
}

gboolean
cc_output_take_centred(CcOutput *self, const CcOp *op) {
  take_definition(self, op, CC_LANE_32);
  return !self->reduces && find_centred(self, op);
}

/* If an op's arithmetic is float, its sums fit 32 bits. For larger sums, lanes of double are
 * preferred to 64-bit integers, because most instruction sets cannot multiply vectors of 64-bit
 * integers. */
const gchar *
cc_output_init(CcOutput *self, const CcOp *op, const CcPlaneLayout *plane) {
  gint exponent;
  *self = (CcOutput){.to_sample = {
                         .lo = op->lo,
                         .hi = op->hi,
                         .shift = plane->shift,
                         .mul_f = op->mul_f,
                         .add_f = op->add_f,
                         .mul = op->mul,
                         .add = op->add,
                         .exact_product = frexp(op->mul, &exponent) == 0.5,
                     }};
  const gchar *why_not_16 = take_16(self, op);
  if (!why_not_16)
    return NULL;
  if (cc_output_fits_32(op))
    cc_output_take_32(self, op);
  else
    take_definition(self, op,
                    cc_op_largest_sum(op) <= LARGEST_IN_DOUBLE && !cc_is_left_out("sums-double")
                        ? CC_LANE_DOUBLE
                        : CC_LANE_64);
  return why_not_16;
}

CcRequantizationVariant
cc_output_requantization_of_sums(const CcOutput *self) {
  switch (self->requantization) {
  case CC_REQUANTIZE_16:
  case CC_REQUANTIZE_BITS:
  case CC_REQUANTIZE_SHIFTED:
  case CC_REQUANTIZE_PARTS:
    return self->reduces ? CC_REQUANTIZE_NONE : self->requantization;
  default:
    return CC_REQUANTIZE_NONE;
  }
}
