/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "algorithm.h"

#include "engine/error.h"
#include "engine/plan/output_stage.h"

#define TINY_SIDE 7 /* largest kernel side that register-tile is compiled for */

/* Limits of the tensor-core algorithm, which sums all taps in one stage, or rows and then columns
 * in two stages. In one stage, the absolute value of a sum is at most ONE_STAGE_SUM. In two stages,
 * it is at most TWO_STAGE_SUM, and there are at most TWO_STAGE_MATRICES matrices. */
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

/* --- which ops an algorithm runs, by the `runs` column of its row --- */

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
runs_exact_sums(const CcOp *op) {
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

/* --- plans --- */

/* The first op of the plan that the algorithm cannot run, or NULL. */
static const CcOp *
find_unable(CcAlgorithm algorithm, const CcPlan *plan) {
  for (guint i = 0; i < plan->n_ops; i++)
    if (!cc_algorithm_runs(algorithm, &plan->op[i]))
      return &plan->op[i];
  return NULL;
}

/* Lists the algorithms that run the plan: "direct, constant and scatter". Without a plan, lists
 * all. */
static gchar *
list_algorithms(const CcPlan *plan) {
  const gchar *names[CC_N_ALGORITHMS + 1] = {NULL};
  guint n = 0;
  for (CcAlgorithm a = CC_ALGORITHM_DIRECT; a < CC_N_ALGORITHMS; a++)
    if (!plan || !find_unable(a, plan))
      names[n++] = cc_algorithm_name(a);
  const gchar *last = names[--n];
  names[n] = NULL;
  g_autofree gchar *others = g_strjoinv(", ", (gchar **)names);
  return n ? g_strdup_printf("%s and %s", others, last) : g_strdup(last);
}

/* Describes the size of the kernel. If outer taps are zero, also describes the size of the op,
 * which does not contain them. */
static gchar *
describe_size(const CcPlan *plan, const CcOp *op) {
  if (op->is_of_chroma || (op->width == plan->kernel_width && op->height == plan->kernel_height))
    return g_strdup_printf("%ux%u", op->width, op->height);
  return g_strdup_printf("%ux%u, all zero outside %ux%u", plan->kernel_width, plan->kernel_height,
                         op->width, op->height);
}

gboolean
cc_algorithm_check_plan(const CcPlan *plan, GError **error) {
  if (plan->algorithm >= CC_N_ALGORITHMS) {
    g_autofree gchar *all = list_algorithms(NULL);
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "algorithm=%d: there is no such one; there are %s, and auto", (gint)plan->algorithm,
                all);
    return FALSE;
  }
  const CcOp *op = find_unable(plan->algorithm, plan);
  const CcPlan *inner = cc_plan_get_inner(plan);
  if (!op)
    return !inner || cc_algorithm_check_plan(inner, error);
  g_autofree gchar *able = list_algorithms(plan);
  g_autofree gchar *size = describe_size(plan, op);
  g_autofree gchar *matrices =
      op->n_matrices > 1 ? g_strdup_printf(", %u matrices", op->n_matrices) : g_strdup("");
  g_set_error(
      error, CC_ERROR, CC_ERROR_INVALID, "algorithm=%s cannot run %s (%s%s, %s%s): %s can, or auto",
      cc_algorithm_name(plan->algorithm), op->is_of_chroma ? "the kernel of chroma" : "this kernel",
      size, matrices, op->separable ? "separable" : "not separable",
      !cc_op_fits_int32(op) ? ", sums beyond 32 bits" : "", able);
  return FALSE;
}
