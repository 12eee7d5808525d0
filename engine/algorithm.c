/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "algorithm.h"

#define TINY_SIDE 7          /* taps that two-pass and register-tile have kernels for */
#define SLIDING_MATRICES 2   /* that sliding keeps the sums of in registers */
#define SLIDING_WHOLE_SIDE 5 /* of a matrix that is no column times a row */

const gchar *
cc_algorithm_name(CcAlgorithm algorithm) {
#define NAME(constant, name, ...) [constant] = name,
  static const gchar *const names[] = {CC_ALGORITHMS_AND_AUTO(NAME)};
#undef NAME
  return names[algorithm];
}

gboolean
cc_op_fits_int32(const CcOp *op) {
  for (guint m = 0; m < op->n_matrices; m++)
    if (op->sum_min[m] < -G_MAXINT32 || op->sum_max[m] > G_MAXINT32)
      return FALSE;
  return TRUE;
}

/* --- which ops an algorithm runs, by the word in its row --- */

static gboolean
has_sides_up_to(const CcOp *op, guint side) {
  return op->width <= side && op->height <= side;
}

static gboolean
runs_all(const CcOp *op) {
  return TRUE;
}

static gboolean
runs_small(const CcOp *op) {
  return has_sides_up_to(op, CC_MAX_MATRIX_SIZE);
}

static gboolean
runs_taps(const CcOp *op) {
  return op->has_taps;
}

static gboolean
runs_tiny_separable(const CcOp *op) {
  return op->separable && has_sides_up_to(op, TINY_SIDE);
}

static gboolean
runs_sliding(const CcOp *op) {
  if (op->arith == CC_ARITH_I64 && !cc_op_fits_int32(op))
    return FALSE;
  if (op->separable)
    return op->n_matrices <= SLIDING_MATRICES;
  return op->n_matrices == 1 && has_sides_up_to(op, SLIDING_WHOLE_SIDE);
}

gboolean
cc_algorithm_runs(CcAlgorithm algorithm, const CcOp *op) {
#define RUNS(constant, name, text, runs, ...) [constant] = runs_##runs,
  static gboolean (*const runs[])(const CcOp *op) = {CC_ALGORITHMS_AND_AUTO(RUNS)};
#undef RUNS
  return runs[algorithm](op);
}
