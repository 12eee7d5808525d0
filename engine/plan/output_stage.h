/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The last step of an op, for the host: its numbers, its range, its code values, and the proof that
 * a cheaper form gives the same. output_stage_shared.h defines it.
 *
 * The last step starts from an integer n: t, or with magnitude the square of
 * t. The code value of n is a staircase that rises with n, or falls where the scale is negative.
 * Direction has no such n; what is said of n below is not for that response. */

#include "output_stage_shared.h"
#include "op.h"
#include "engine/kernel/rational.h"

G_BEGIN_DECLS

/* Sets mul, add, mul_f, add_f and arith of an op whose taps, sum bounds, response, lo and hi are
 * set. `scale` multiplies the tap sums and is not 0; `offset` is everything added, in code values
 * of the samples' depth, rounding aside. scale_fraction is scale as a fraction, or has den 0;
 * offset_den is the denominator of offset in lowest terms, or 0: it is no such fraction. */
void cc_op_set_last_step(CcOp *op, gdouble scale, CcRational scale_fraction, gdouble offset,
                         gint64 offset_den);

/* The code value that the sums of all matrices have in integers. */
gint cc_op_code_of_sums_i64(const CcOp *op, const CcSumsI64 *sums);

/* The largest |S_i| that samples can give. */
gint64 cc_op_largest_sum(const CcOp *op);

/* Integers from least to most. */
typedef struct {
  gint64 min, max;
} CcRange;

/* The range of n: the least and the greatest that samples can give. What an int64 cannot hold is
 * the nearest that it can. */
CcRange cc_op_range(const CcOp *op);

/* The code value of n in the op's arithmetic. */
gint cc_op_code(const CcOp *op, gint64 n);

/* Another form of the last step: the code value that it gives n, which rises or falls as the op's.
 */
typedef gint (*CcCodeFunc)(gconstpointer form, gint64 n);

/* Whether `code` is known to give the op's code value for every n of `range`. Both are staircases,
 * so they agree everywhere when they do around each of the op's steps and at both ends. FALSE also
 * where a step is not where the inverse of the last step says. */
gboolean cc_op_agrees(const CcOp *op, CcRange range, CcCodeFunc code, gconstpointer form);

G_END_DECLS
