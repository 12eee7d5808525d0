/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "requantize.h"

#include <math.h>
#include <string.h>

#define FLOAT_BITS 24 /* of an integer that a float holds */
#define MOST_RIGHT                                                                                 \
  8 /* bits that quantized kernels can lose: see MULTIPLE of engine/plan/quantize.c */

/* An op, and the code values of every t that it can give. */
typedef struct {
  const CcOp *op;
  CcRange t;
  guint16 *codes;
} FormSearch;

/* Whether the form gives the code value of every t, which comes 2^left times as large. Stored words
 * are tried without their shift. The kernels of all instruction sets give the same, so those of
 * plain C are tried, and a program can be prepared for any processor. */
static gboolean
gives_all_codes(const FormSearch *search, guint left, const CcFinish *finish) {
  enum { N = 1024 };
  const CcFinishFunc run = cc_rows_c.finish[CC_SAMPLE_U16][CC_FINISH_16][CC_NUMBER_16];
  const guint16 *wanted = search->codes;
  CcFinish unshifted = *finish;
  unshifted.shift = 0;
  guint16 t_16[N], found[N];
  for (gint64 t = search->t.least; t <= search->t.most; t += N) {
    const guint n = (guint)MIN(N, search->t.most - t + 1);
    for (guint i = 0; i < n; i++)
      t_16[i] = (guint16)((guint32)(t + i) << left);
    run(found, t_16, n, &unshifted);
    if (memcmp(found, wanted, n * sizeof *found) != 0)
      return FALSE;
    wanted += n;
  }
  return TRUE;
}

/* t * mul + add at the least t, as an integer and the rest. */
static gdouble
split_start(const FormSearch *search, gdouble *fraction) {
  const gdouble start = search->op->add + (gdouble)search->t.least * search->op->mul;
  *fraction = start - floor(start);
  return floor(start);
}

/* Takes away the limits of the 16-bit form where no t reaches them. */
static void
lift_limits(const FormSearch *search, guint left, CcFinish *finish) {
  const CcFinish16 limited = finish->in_16;
  finish->in_16.least = 0;
  finish->in_16.most = G_MAXUINT16;
  if (!gives_all_codes(search, left, finish))
    finish->in_16 = limited;
}

/* The factor is a positive number, so codes that fall have no such form. Sums are made as large as
 * 16 bits hold, so that what is cut off matters least. A power of two is exact; for others the
 * factor and offset next to the ideal ones are tried. */
static gboolean
find_form_16(const FormSearch *search, gboolean reduces, CcFinish *finish, guint *left) {
  const CcOp *op = search->op;
  gdouble fraction;
  const gdouble base = split_start(search, &fraction);
  if (op->mul < 0 || !(fabs(base) < 0x1p30) || base > op->hi || op->lo - base > G_MAXUINT16)
    return FALSE;
  const gdouble span = (gdouble)(search->t.most - search->t.least) + fraction / op->mul + 1;
  const gdouble largest = (gdouble)cc_op_largest_sum(op);
  const gdouble sum_limit = reduces ? G_MAXINT16 : G_MAXUINT16;
  guint up = 0;
  while (ldexp(span, (gint)up + 1) <= G_MAXUINT16 && ldexp(largest, (gint)up + 1) <= sum_limit)
    up++;
  const gdouble step = ldexp(op->mul, -(gint)up);
  if (span > G_MAXUINT16 || step >= 1)
    return FALSE;
  CcFinish16 *form = &finish->in_16;
  form->base = (guint16)(gint)base;
  form->least = (guint16)MAX(op->lo - (gint)base, 0);
  form->most = (guint16)MIN(op->hi - (gint)base, G_MAXUINT16);
  gint exponent;
  frexp(step, &exponent); /* the factor has all of its 16 bits */
  form->right = (guint)CLAMP(-exponent, 0, 15);
  const gdouble factor = floor(ldexp(step, 16 + (gint)form->right));
  const gdouble offset = floor(fraction / step);
  for (gint more = 0; more <= 1; more++) {
    for (gint nudge = -1; nudge <= 1; nudge++) {
      form->factor = (guint16)MIN((gint)factor + more, G_MAXUINT16);
      form->offset = (guint16)((gint64)offset + nudge - search->t.least * (1 << up));
      if (gives_all_codes(search, up, finish)) {
        lift_limits(search, up, finish);
        *left = up;
        return TRUE;
      }
    }
  }
  return FALSE;
}

gboolean
cc_find_form_16(const CcOp *op, gboolean reduces, CcFinish *finish, guint *left) {
  FormSearch search = {.op = op, .t = cc_op_range(op)};
  const gsize n = (gsize)(search.t.most - search.t.least + 1);
  search.codes = g_new(guint16, n);
  for (gsize i = 0; i < n; i++)
    search.codes[i] = (guint16)cc_op_code(op, search.t.least + (gint64)i);
  const gboolean found = find_form_16(&search, reduces, finish, left);
  g_free(search.codes);
  return found;
}

#define MOST_CODE 0x1p30 /* that floats become integers of 32 bits from, with some room */

/* The code value that the form gives t. Product and sum are rounded each. */
static gint
code_of_shifted(gconstpointer finish, gint64 t) {
  const CcFinish *f = finish;
  const gfloat product = (gfloat)(t >> f->shifted.right) * f->shifted.mul;
  return cc_clamp_code(cc_floor_f32(product + f->shifted.add), f->lo, f->hi);
}

/* What the lowest bits could add is half made up for, so that a float's rounding matters least. */
gboolean
cc_find_form_shifted(const CcOp *op, guint least_right, CcFinish *finish) {
  const CcRange range = cc_op_range(op);
  const gint beyond = (gint)g_bit_storage((gulong)MAX(-range.least, range.most)) - FLOAT_BITS;
  const gint right = MAX(beyond, (gint)least_right);
  const gdouble least = (gdouble)range.least * op->mul + op->add;
  const gdouble most = (gdouble)range.most * op->mul + op->add;
  if (op->response == CC_RESPONSE_MAGNITUDE || op->response == CC_RESPONSE_DIRECTION ||
      fabs(least) > MOST_CODE || fabs(most) > MOST_CODE)
    return FALSE;
  for (finish->shifted.right = (guint)right; finish->shifted.right <= MOST_RIGHT;
       finish->shifted.right++) {
    const gdouble mul = ldexp(op->mul, (gint)finish->shifted.right);
    finish->shifted.mul = (gfloat)mul;
    finish->shifted.add = (gfloat)(op->add + (mul - op->mul) / 2);
    if (cc_op_agrees(op, range, code_of_shifted, finish))
      return TRUE;
  }
  return FALSE;
}

static gint
code_of_centred(gconstpointer finish, gint64 t) {
  const CcFinish *f = finish;
  const gfloat v = fmaf((gfloat)(t - f->centred.middle), f->centred.mul, f->centred.add);
  return cc_clamp_code((gint)rintf(v) + f->centred.base, f->lo, f->hi);
}

/* Results are moved by less than the smallest step, so that rounding moves none. */
gboolean
cc_find_form_centred(const CcOp *op, CcFinish *finish) {
  const CcRange range = cc_op_range(op);
  const gint64 middle = (range.least + range.most) / 2;
  const gdouble at_middle = (gdouble)middle * op->mul + op->add;
  const gdouble span = (gdouble)(range.most - range.least);
  if (op->response == CC_RESPONSE_MAGNITUDE || op->response == CC_RESPONSE_DIRECTION ||
      span > (1 << FLOAT_BITS) || fabs(span * op->mul) + fabs(at_middle) > MOST_CODE)
    return FALSE;
  const gdouble add = at_middle - floor(at_middle) - 0.5;
  for (gint quarters = -1; quarters <= 1; quarters++) {
    finish->centred = (CcFinishCentred){(gint32)middle, (gint32)floor(at_middle), (gfloat)op->mul,
                                        (gfloat)(add + op->mul * quarters / 4)};
    if (cc_op_agrees(op, range, code_of_centred, finish))
      return TRUE;
  }
  return FALSE;
}

gboolean
cc_find_form_bits(const CcOp *op, guint dropped, CcFinish *finish) {
  gint exponent;
  if (op->response == CC_RESPONSE_MAGNITUDE || op->response == CC_RESPONSE_DIRECTION ||
      frexp(op->mul, &exponent) != 0.5)
    return FALSE;
  const gint right = 1 - exponent;
  const CcRange range = cc_op_range(op);
  if (right < (gint)dropped || right > 62)
    return FALSE;
  const gdouble addend = floor(ldexp(op->add, right)), unit = ldexp(1, (gint)dropped);
  const gdouble least = floor(((gdouble)range.least + addend) / unit);
  const gdouble most = floor(((gdouble)range.most + addend) / unit);
  if (fmod(addend, unit) != 0 || least < G_MININT32 || most > G_MAXINT32 ||
      fabs(addend / unit) > G_MAXINT32 || right - (gint)dropped > 31)
    return FALSE;
  finish->bits = (CcFinishBits){(guint)right - dropped, (gint32)(addend / unit)};
  return TRUE;
}

static gdouble
value_of_parts(const CcFinish *f, gint64 t) {
  const gdouble product = (gdouble)t * f->parts.mul;
  return product + f->parts.add;
}

static gint
code_of_parts(gconstpointer finish, gint64 t) {
  const CcFinish *f = finish;
  return cc_clamp_code(cc_floor_f64(value_of_parts(f, t)), f->lo, f->hi);
}

/* Results are raised by less than the smallest step, so that rounding twice moves none. */
gboolean
cc_find_form_parts(const CcOp *op, CcFinish *finish) {
  const CcRange range = cc_op_range(op);
  if (op->response == CC_RESPONSE_MAGNITUDE || op->response == CC_RESPONSE_DIRECTION)
    return FALSE;
  for (gint quarters = 0; quarters < 4; quarters++) {
    finish->parts = (CcFinishParts){op->mul, op->add + fabs(op->mul) * quarters / 4};
    if (fabs(value_of_parts(finish, range.least)) < G_MAXINT32 &&
        fabs(value_of_parts(finish, range.most)) < G_MAXINT32 &&
        cc_op_agrees(op, range, code_of_parts, finish))
      return TRUE;
  }
  return FALSE;
}
