/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The output stage of an op (scale, bias, round, clamp), for the host: its constants, the range of
 * its input, its code values, and the proof that a cheaper variant gives the same results.
 * output_stage_shared.h defines the output stage.
 *
 * The input of the output stage is an integer n: t, or the square of t with magnitude. The code
 * value is a monotonic staircase: it rises with n, or falls if the scale is negative. The response
 * direction has no such n, so comments about n below do not apply to it. */

#include "output_stage_shared.h"
#include "op.h"
#include "engine/kernel/rational.h"

G_BEGIN_DECLS

/* Sets mul, add, mul_f, add_f and arith of an op whose taps, sum bounds, response, lo and hi are
 * set. `scale` multiplies the tap sums and is not 0. `offset` is the sum of all addends except
 * those for rounding, in code values of the samples' depth. scale_fraction is `scale` as a
 * fraction; den is 0 if the fraction is unknown. offset_den is the denominator of `offset` in
 * lowest terms; 0 if `offset` is not known as a fraction. */
void cc_op_set_output_stage(CcOp *op, gdouble scale, CcRational scale_fraction, gdouble offset,
                            gint64 offset_den);

gint cc_op_code_of_sums_i64(const CcOp *op, const CcSumsI64 *sums);

/* The largest |S_i| that samples can give. */
gint64 cc_op_largest_sum(const CcOp *op);

/* The integers from min to max, both included. */
typedef struct {
  gint64 min, max;
} CcRange;

/* A range that contains every n that samples can give, clamped to int64. */
CcRange cc_op_range(const CcOp *op);

/* The code value of n in the op's arithmetic. */
gint cc_op_code(const CcOp *op, gint64 n);

/* Returns the code value of n in a variant of the output stage. The code values must rise or fall
 * with n like the op's staircase. */
typedef gint (*CcCodeFunc)(gconstpointer variant, gint64 n);

/* Whether `code` is proved to give the op's code value for every n of `range`. Both are staircases,
 * so they agree everywhere if they agree around each of the op's steps and at both ends. Also FALSE
 * if a step is not near the n that the inverse of the output stage gives. */
gboolean cc_op_agrees(const CcOp *op, CcRange range, CcCodeFunc code, gconstpointer variant);

G_END_DECLS
