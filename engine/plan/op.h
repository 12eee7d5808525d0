/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The op: the arithmetic for one kind of sample, as a plan defines it. */

#include "engine/kernel/kernel.h"

G_BEGIN_DECLS

/* How t becomes v, the value that is rounded down and clamped to a code value. CcOp defines t. The
 * sums are exact integers, in any order of addition.
 *   F32  v = fmaf(t, mul_f, add_f) in float. An op has F32 only if its results are proved to equal
 *        those of I64. Float then holds exactly every sum that can change a result.
 *   I64  v = fma((double)t, mul, add) */
typedef enum {
  CC_ARITH_F32,
  CC_ARITH_I64,
} CcArith;

/* A sample becomes
 *   S_i = sum of matrix i over its neighbourhood (a correlation: the matrix is not flipped)
 *   t   = the response's combination of the S_i (see CcResponse)
 *   out = clamp(floor(t * mul + add), lo, hi)
 * add holds bias, black or mid-grey, and the half that makes floor round half up. If mul and bias
 * are fractions with small denominators, add is also raised by less than the smallest step between
 * results. An exact half is then rounded up despite rounding errors. With direction, t is the
 * result of cc_direction, and the output stage is
 *   out = floor(fmaf(t, mul_f, add_f)) modulo hi + 1, in either arithmetic.
 * output_stage_shared.h defines t and out in code.
 *
 * With magnitude in F32: n = fmaf(S_i, S_i, n) from 0, t = sqrtf(n). In I64 the same in double.
 * magnitude-l1 adds the |S_i| in the order of i. direction converts each S_i to float first. */
typedef struct {
  gboolean is_of_chroma; /* the op is that of a kernel for chroma only */
  guint n_matrices;
  guint width, height; /* size of every matrix */
  CcResponse response; /* never AUTO */
  CcArith arith;
  gboolean separable; /* matrix i is column i times row i */
  /* the factors; undefined if not separable */
  gint32 row_i[CC_MAX_MATRICES][CC_MAX_KERNEL_SIZE], column_i[CC_MAX_MATRICES][CC_MAX_KERNEL_SIZE];
  /* tap_i[(i * height + r) * width + c] is the tap of matrix i, row r, column c. has_taps says
   * whether tap_i is set. It is always set if the op is not separable. Else it is set only if no
   * side is above CC_MAX_MATRIX_SIZE and all products fit in a gint32. */
  gboolean has_taps;
  gint32 tap_i[CC_MAX_TAPS];
  /* the smallest and largest S_i that samples of the plane's depth can give */
  gint64 sum_min[CC_MAX_MATRICES], sum_max[CC_MAX_MATRICES];
  /* The maximum error of a result before rounding, caused by the quantized taps, in code values.
   * With direction, the maximum error of a scaled sum. 0: the taps are exact. */
  gdouble error;
  gdouble mul, add;
  gfloat mul_f, add_f;
  /* the smallest and largest code value of a result; 0 and 2^depth - 1 with direction */
  gint lo, hi;
} CcOp;

/* Tap (r, c) of matrix m. The op may have taps, or only rows and columns. */
static inline gint64
cc_op_tap(const CcOp *op, guint m, guint r, guint c) {
  return op->separable ? (gint64)op->column_i[m][r] * op->row_i[m][c]
                       : op->tap_i[(m * op->height + r) * op->width + c];
}

/* Sets has_taps and tap_i of a separable op. */
void cc_op_set_taps_of_factors(CcOp *op);

/* Removes outer rows and columns that are zero in all matrices, the same number on both sides. */
void cc_op_trim(CcOp *op);

G_END_DECLS
