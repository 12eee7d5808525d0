/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The op: the arithmetic that makes one kind of sample, as a plan fixes it. */

#include "engine/kernel/kernel.h"

G_BEGIN_DECLS

/* How t becomes a code value; sums are exact integers before, whatever their order.
 *   F32  v = fmaf(t, mul_f, add_f) in float, which is proved to give what I64 gives: floats hold
 *        every sum that matters
 *   I64  v = fma((double)t, mul, add) */
typedef enum {
  CC_ARITH_F32,
  CC_ARITH_I64,
} CcArith;

/* The arithmetic of one kind of sample. A sample becomes
 *   S_i = sum of matrix i over its neighbourhood (a correlation: the matrix is not flipped)
 *   t   = the response's combination of the S_i (see CcResponse)
 *   out = clamp(floor(t * mul + add), lo, hi)
 * add holds bias, black or mid-grey, and the half that makes floor round half up; when mul and bias
 * are rational it is raised by less than the smallest step, so that no rounding error can move a
 * result across a half. For direction, t is cc_direction and the last step is
 *   out = floor(fmaf(t, mul_f, add_f)) modulo hi + 1, in either arithmetic.
 * output_stage_shared.h is the definition of both in code.
 *
 * With magnitude in F32: n = fmaf(S_i, S_i, n) from 0, t = sqrtf(n). In I64 the same in double.
 * magnitude-l1 adds in order i. direction converts each S to float first. */
typedef struct {
  guint n_matrices;
  guint width, height; /* the window, common to all matrices */
  CcResponse response; /* never AUTO */
  CcArith arith;
  gboolean separable; /* matrix i is column i times row i */
  /* only when separable */
  gint32 row_i[CC_MAX_MATRICES][CC_MAX_KERNEL_SIZE], column_i[CC_MAX_MATRICES][CC_MAX_KERNEL_SIZE];
  /* matrix i, row r, column c at [(i * height + r) * width + c]; always when not separable, else
   * where the products fit */
  gboolean has_taps;
  gint32 tap_i[CC_MAX_TAPS];
  /* the least and greatest S_i that samples of this depth can give */
  gint64 sum_min[CC_MAX_MATRICES], sum_max[CC_MAX_MATRICES];
  gdouble error; /* how far, in code values, the taps may move a result from that of the real
                    coefficients, before it is rounded; 0: they are the coefficients */
  gdouble mul, add;
  gfloat mul_f, add_f;
  gint lo, hi; /* code values; with direction 0 and 2^depth - 1 */
} CcOp;

/* Tap (r, c) of matrix m, whether the op has taps or only rows and columns. */
static inline gint64
cc_op_tap(const CcOp *op, guint m, guint r, guint c) {
  return op->separable ? (gint64)op->column_i[m][r] * op->row_i[m][c]
                       : op->tap_i[(m * op->height + r) * op->width + c];
}

/* Sets has_taps and tap_i of a separable op. */
void cc_op_set_taps_of_factors(CcOp *op);

/* Takes away outer rows and columns, on both sides alike, that are zero in all matrices. */
void cc_op_trim(CcOp *op);

G_END_DECLS
