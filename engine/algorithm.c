/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "algorithm.h"

#include "last_step.h"

#define TINY_SIDE 7 /* taps that register-tile has kernels for */

/* What sliding takes: sums up to this in one stage, and in two of so many matrices of rows and
 * columns up to that. */
#define ONE_STAGE_SUM (G_GINT64_CONSTANT(1) << 52)
#define TWO_STAGE_SUM ((G_GINT64_CONSTANT(1) << 61) - 1)
#define TWO_STAGE_MATRICES 2

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
runs_separable(const CcOp *op) {
  return op->separable;
}

static gboolean
runs_tiny_separable(const CcOp *op) {
  return op->separable && has_sides_up_to(op, TINY_SIDE);
}

static gboolean
runs_sliding(const CcOp *op) {
  const gboolean in_two = op->separable && op->n_matrices <= TWO_STAGE_MATRICES;
  const gint64 largest = cc_op_largest_sum(op);
  return (op->has_taps && largest <= ONE_STAGE_SUM) || (in_two && largest <= TWO_STAGE_SUM);
}

gboolean
cc_algorithm_runs(CcAlgorithm algorithm, const CcOp *op) {
#define RUNS(constant, name, text, runs, ...) [constant] = runs_##runs,
  static gboolean (*const runs[])(const CcOp *op) = {CC_ALGORITHMS_AND_AUTO(RUNS)};
#undef RUNS
  return runs[algorithm](op);
}
