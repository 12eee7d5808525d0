/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "algorithm.h"
#include "op.h"

#define REGISTER_SIDE 7      /* taps that two-pass and register-tile have kernels for */
#define SLIDING_MATRICES 2   /* that sliding keeps the sums of in registers */
#define SLIDING_WHOLE_SIDE 5 /* of a matrix that is no column times a row */

const gchar *
cc_algorithm_name(CcAlgorithm algorithm) {
  static const gchar *const names[CC_N_ALGORITHMS] = {
      [CC_ALGORITHM_AUTO] = "auto",
      [CC_ALGORITHM_DIRECT] = "direct",
      [CC_ALGORITHM_CONSTANT] = "constant",
      [CC_ALGORITHM_TILE_HALO] = "tile-halo",
      [CC_ALGORITHM_TILE_CACHED] = "tile-cached",
      [CC_ALGORITHM_SCATTER] = "scatter",
      [CC_ALGORITHM_TWO_PASS] = "two-pass",
      [CC_ALGORITHM_REGISTER_TILE] = "register-tile",
      [CC_ALGORITHM_SLIDING] = "sliding",
  };
  return names[algorithm];
}

static gboolean
has_sides_up_to(const CcOp *op, guint side) {
  return op->width <= side && op->height <= side;
}

gboolean
cc_op_fits_int32(const CcOp *op) {
  if (!op->exact)
    return FALSE;
  for (guint m = 0; m < op->n_matrices; m++)
    if (op->sum_min[m] < -G_MAXINT32 || op->sum_max[m] > G_MAXINT32)
      return FALSE;
  return TRUE;
}

static gboolean
sliding_runs(const CcOp *op) {
  if (op->arith == CC_ARITH_I64 && !cc_op_fits_int32(op))
    return FALSE;
  if (op->separable)
    return op->n_matrices <= SLIDING_MATRICES;
  return op->n_matrices == 1 && has_sides_up_to(op, SLIDING_WHOLE_SIDE);
}

gboolean
cc_algorithm_runs(CcAlgorithm algorithm, const CcOp *op) {
  switch (algorithm) {
  case CC_ALGORITHM_TWO_PASS:
  case CC_ALGORITHM_REGISTER_TILE:
    return op->separable && has_sides_up_to(op, REGISTER_SIDE);
  case CC_ALGORITHM_SLIDING:
    return sliding_runs(op);
  default:
    return TRUE;
  }
}
