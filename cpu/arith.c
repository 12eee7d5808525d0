/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/arith.h"

#include <math.h>
#include <string.h>

/* The bounds that decide. */
typedef struct {
  gint64 sum_abs_max;  /* the largest |S_i| */
  gint64 t_min, t_max; /* of t, where it is an integer */
} Bounds;

static Bounds
get_bounds(const CcOp *op) {
  Bounds b = {0, G_MAXINT64, G_MININT64};
  gint64 total = 0;
  for (guint i = 0; i < op->n_matrices; i++) {
    const gint64 abs_max = MAX(-op->sum_min[i], op->sum_max[i]);
    b.sum_abs_max = MAX(b.sum_abs_max, abs_max);
    b.t_min = MIN(b.t_min, op->sum_min[i]);
    b.t_max = MAX(b.t_max, op->sum_max[i]);
    total += abs_max;
  }
  if (op->response == CC_RESPONSE_ABSOLUTE || op->response == CC_RESPONSE_MAGNITUDE_L1) {
    b.t_min = 0;
    b.t_max = op->response == CC_RESPONSE_ABSOLUTE ? b.sum_abs_max : total;
  }
  return b;
}

/* --- the last step in integers --- */

/* Whether an integer form gives what the plan's own last step gives, tried on every t. */
static gboolean
agrees_with_plan(const CcArithChoice *choice, const CcFinish *finish, const CcOp *op,
                 const Bounds *b, const CcRows *rows) {
  enum { N = 1024 };
  const CcFinishForm plan_form = op->arith == CC_ARITH_F32 ? CC_FINISH_F32 : CC_FINISH_F64;
  const CcFinishFunc(*finishes)[CC_N_NUMBERS] = rows->finish[CC_SAMPLE_U16];
  guint16 t_16[N], found[N], wanted[N];
  gint32 t_32[N];
  for (gint64 t = b->t_min; t <= b->t_max; t += N) {
    const guint n = (guint)MIN(N, b->t_max - t + 1);
    for (guint i = 0; i < n; i++) {
      t_32[i] = (gint32)(t + i);
      t_16[i] = (guint16)((guint32)t_32[i] << choice->left);
    }
    finishes[choice->form][CC_NUMBER_16](found, t_16, n, finish);
    finishes[plan_form][CC_NUMBER_32](wanted, t_32, n, finish);
    if (memcmp(found, wanted, n * sizeof *found) != 0)
      return FALSE;
  }
  return TRUE;
}

/* t * mul + add at the least t, as an integer and the rest. */
static gdouble
split_start(const CcOp *op, const Bounds *b, gdouble *fraction) {
  const gdouble start = op->add + (gdouble)b->t_min * op->mul;
  *fraction = start - floor(start);
  return floor(start);
}

/* Takes away the limits of the 16-bit form where no t reaches them. */
static void
lift_limits(const CcArithChoice *choice, CcFinish *finish, const CcOp *op, const Bounds *b,
            const CcRows *rows) {
  const CcFinish16 limited = finish->in_16;
  finish->in_16.least = 0;
  finish->in_16.most = G_MAXUINT16;
  if (!agrees_with_plan(choice, finish, op, b, rows))
    finish->in_16 = limited;
}

/* The 16-bit form. Sums are made as large as 16 bits hold, for the factor to have many bits. A
 * power of two is exact; for others the factor and offset next to the ideal ones are tried. */
static gboolean
choose_form_16(CcArithChoice *choice, const CcOp *op, const Bounds *b, const CcRows *rows,
               CcFinish *finish) {
  gdouble fraction;
  const gdouble base = split_start(op, b, &fraction);
  if (!(fabs(base) < 0x1p30) || base > op->hi || op->lo - base > G_MAXUINT16)
    return FALSE;
  const gdouble span = (gdouble)(b->t_max - b->t_min) + fraction / op->mul + 1;
  const gdouble sum_limit = choice->reduces ? G_MAXINT16 : G_MAXUINT16;
  choice->left = 0;
  while (ldexp(span, (gint)choice->left + 1) <= G_MAXUINT16 &&
         ldexp((gdouble)b->sum_abs_max, (gint)choice->left + 1) <= sum_limit)
    choice->left++;
  const gdouble step = ldexp(op->mul, -(gint)choice->left);
  if (span > G_MAXUINT16 || step >= 1)
    return FALSE;
  choice->form = CC_FINISH_16;
  CcFinish16 *form = &finish->in_16;
  form->base = (guint16)(gint)base;
  form->least = (guint16)MAX(op->lo - (gint)base, 0);
  form->most = (guint16)MIN(op->hi - (gint)base, G_MAXUINT16);
  const gdouble factor = floor(ldexp(step, 16)), offset = floor(fraction / step);
  for (gint up = 0; up <= 1; up++) {
    for (gint nudge = -1; nudge <= 1; nudge++) {
      form->factor = (guint16)((gint)factor + up);
      form->offset = (guint16)((gint64)offset + nudge - b->t_min * (1 << choice->left));
      if (agrees_with_plan(choice, finish, op, b, rows)) {
        lift_limits(choice, finish, op, b, rows);
        return TRUE;
      }
    }
  }
  return FALSE;
}

/* The 32-bit form, with as many bits of fraction as products leave. */
static gboolean
choose_form_32(CcArithChoice *choice, const CcOp *op, const Bounds *b, const CcRows *rows,
               CcFinish *finish) {
  gdouble fraction;
  const gdouble base = split_start(op, b, &fraction);
  const gdouble span = (gdouble)(b->t_max - b->t_min);
  const gdouble most = span * op->mul + 2;
  if (!(most < 0x1p24) || !(fabs(base) < 0x1p24))
    return FALSE;
  choice->left = 0;
  choice->form = CC_FINISH_32;
  CcFinish32 *form = &finish->in_32;
  form->base = (gint)base;
  form->least = op->lo - form->base;
  form->most = op->hi - form->base;
  form->right = MIN((guint)floor(log2(0x1p32 / most)), 31);
  form->offset = (guint16)-b->t_min;
  const gdouble factor = ldexp(op->mul, (gint)form->right);
  if (factor > G_MAXUINT32) /* t has one value and mul is large */
    return FALSE;
  form->factor = (guint32)ceil(factor);
  const gdouble excess = (form->factor - factor) * span; /* at the greatest t */
  for (gint quarters = 0; quarters < 4; quarters++) {
    const gdouble addend = ldexp(fraction, (gint)form->right) - excess * quarters / 4;
    form->addend = (guint32)MAX(floor(addend), 0);
    if (agrees_with_plan(choice, finish, op, b, rows))
      return TRUE;
  }
  return FALSE;
}

/* --- the choice --- */

/* Whether 16-bit sums do, and with which last step. Sums are only known modulo 2^16, so all that
 * comes next must be told from that. */
static gboolean
choose_16(CcArithChoice *choice, const CcOp *op, const Bounds *b, const CcRows *rows,
          CcFinish *finish) {
  const gboolean fits_signed = b->sum_abs_max <= G_MAXINT16;
  if (choice->reduces && !fits_signed)
    return FALSE;
  if (choice->number == CC_NUMBER_FLOAT) /* magnitude and direction */
    return TRUE;
  if (choice->number == CC_NUMBER_DOUBLE || b->t_max - b->t_min > G_MAXUINT16)
    return FALSE;
  choice->number = CC_NUMBER_16;
  if (choose_form_16(choice, op, b, rows, finish) || choose_form_32(choice, op, b, rows, finish))
    return TRUE;
  choice->left = 0;
  choice->form = CC_FINISH_F32;
  return op->arith == CC_ARITH_F32 && fits_signed && b->t_max <= G_MAXINT16;
}

static CcLane
choose_wide_lane(const CcOp *op, const Bounds *b) {
  if (b->sum_abs_max <= G_MAXINT32 && b->t_max <= G_MAXINT32)
    return CC_LANE_32;
  return op->arith == CC_ARITH_I64 ? CC_LANE_64 : CC_LANE_FLOAT;
}

/* How the plan says that sums become t; number is left where t is a lane. */
static void
set_reduction(CcArithChoice *choice, const CcOp *op) {
  switch (op->response) {
  case CC_RESPONSE_ABSOLUTE:
    choice->reduces = TRUE;
    choice->reduce = CC_REDUCE_MAX_ABS;
    break;
  case CC_RESPONSE_MAGNITUDE_L1:
    choice->reduces = TRUE;
    choice->reduce = CC_REDUCE_SUM_ABS;
    break;
  case CC_RESPONSE_MAGNITUDE:
    choice->reduces = TRUE;
    choice->reduce = op->arith == CC_ARITH_F32 ? CC_REDUCE_NORM : CC_REDUCE_NORM_DOUBLE;
    choice->number = op->arith == CC_ARITH_F32 ? CC_NUMBER_FLOAT : CC_NUMBER_DOUBLE;
    break;
  case CC_RESPONSE_DIRECTION:
    choice->reduces = TRUE;
    choice->reduce = CC_REDUCE_TURNS;
    choice->number = CC_NUMBER_FLOAT;
    break;
  default:
    choice->reduces = op->n_matrices > 1;
    choice->reduce = CC_REDUCE_MAX;
  }
}

CcArithChoice
cc_choose_arith(const CcOp *op, const CcPlaneLayout *plane, const CcRows *rows, CcFinish *finish) {
  gint exponent;
  *finish = (CcFinish){
      .lo = op->lo,
      .hi = op->hi,
      .shift = 0, /* while forms are tried */
      .mul_f = op->mul_f,
      .add_f = op->add_f,
      .mul = op->mul,
      .add = op->add,
      .exact_product = frexp(op->mul, &exponent) == 0.5,
  };
  CcArithChoice plan_choice = {.lane = CC_LANE_FLOAT, .number = CC_NUMBER_FLOAT};
  plan_choice.form = op->response == CC_RESPONSE_DIRECTION ? CC_FINISH_TURNS
                     : op->arith == CC_ARITH_F32           ? CC_FINISH_F32
                                                           : CC_FINISH_F64;
  if (op->exact) {
    const Bounds b = get_bounds(op);
    plan_choice.lane = choose_wide_lane(op, &b);
    plan_choice.number = (CcNumber)plan_choice.lane;
  }
  set_reduction(&plan_choice, op);
  CcArithChoice choice = plan_choice;
  if (op->exact) {
    const Bounds b = get_bounds(op);
    choice.lane = CC_LANE_16;
    if (!choose_16(&choice, op, &b, rows, finish))
      choice = plan_choice;
  }
  finish->shift = plane->shift;
  return choice;
}
