/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The op: the arithmetic that makes one kind of sample, as a plan fixes it. */

#include "kernel.h"

G_BEGIN_DECLS

/* How sums are formed; either gives the same bytes on every backend.
 *   F32  float: s = fmaf(tap, sample, s) from 0 in raster order, or, when separable, rows left to
 *        right and then the column top to bottom; t in float; v = fmaf(t, mul_f, add_f). Where the
 *        op is exact no sum that matters can be rounded, so any order, int32 or packed lanes may
 *        be used instead.
 *   I64  64-bit integers, then v = fma((double)t, mul, add); for exact ops beyond float. */
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
 * last_step_shared.h is the definition of both in code.
 *
 * With magnitude in F32: n = fmaf(S_i, S_i, n) from 0, t = sqrtf(n). In I64 the same in double.
 * magnitude-l1 adds in order i. direction converts each S to float first. */
typedef struct {
  guint n_matrices;
  guint width, height; /* the window, common to all matrices */
  CcResponse response; /* never AUTO */
  CcArith arith;
  gboolean exact; /* the taps are integers; the result is the rational one, whatever the order */
  gboolean separable; /* matrix i is column i times row i */
  /* matrix i, row r, column c at [(i * height + r) * width + c]; tap_i only when exact */
  gint32 tap_i[CC_MAX_TAPS];
  gfloat tap_f[CC_MAX_TAPS];
  /* only when separable */
  gint32 row_i[CC_MAX_MATRICES][CC_MAX_KERNEL_SIZE], column_i[CC_MAX_MATRICES][CC_MAX_KERNEL_SIZE];
  gfloat row_f[CC_MAX_MATRICES][CC_MAX_KERNEL_SIZE], column_f[CC_MAX_MATRICES][CC_MAX_KERNEL_SIZE];
  /* the least and greatest S_i that samples of this depth can give; only when exact */
  gint64 sum_min[CC_MAX_MATRICES], sum_max[CC_MAX_MATRICES];
  gdouble mul, add;
  gfloat mul_f, add_f;
  gint lo, hi; /* code values; with direction 0 and 2^depth - 1 */
} CcOp;

G_END_DECLS
