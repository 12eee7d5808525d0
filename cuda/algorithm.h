/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The convolution algorithms of the GPU. docs/algorithms.md explains each. All produce the same
 * bytes. Builds without CUDA have the list too, so names and messages do not depend on the
 * build. */

#include "cuda/classic/algorithms.h"
#include "cuda/tensor/algorithms.h"
#include "engine/plan/plan.h"

G_BEGIN_DECLS

/* The list of algorithms, with the columns of CC_CLASSIC_ALGORITHMS. A new algorithm needs a row, a
 * .cu file and host code. */
#define CC_ALGORITHMS(F)                                                                           \
  CC_CLASSIC_ALGORITHMS(F)                                                                         \
  CC_TENSOR_ALGORITHMS(F)

/* The same list with AUTO in front. With AUTO, the fastest algorithm that can run the plan is
 * chosen. Every plan can be run by at least one algorithm. */
#define CC_ALGORITHMS_AND_AUTO(F)                                                                  \
  F(CC_ALGORITHM_AUTO, "auto", "The fastest for the kernel", all, FALSE, none)                     \
  CC_ALGORITHMS(F)

/* The values of CcFilter.algorithm. */
typedef enum { CC_ALGORITHMS_AND_AUTO(CC_LIST_CONSTANT) } CcAlgorithm;
#define CC_N_ALGORITHMS (0 CC_ALGORITHMS_AND_AUTO(CC_LIST_PLUS_ONE))

/* The name of the algorithm as users write it: "tile-halo". */
const gchar *cc_algorithm_name(CcAlgorithm algorithm);

/* Whether the algorithm can run the op. */
gboolean cc_algorithm_runs(CcAlgorithm algorithm, const CcOp *op);

/* Whether the plan's algorithm can run the plan. If not, sets CC_ERROR_INVALID, whose message names
 * the algorithms that can run the plan. */
gboolean cc_algorithm_check_plan(const CcPlan *plan, GError **error);

/* Whether all sums and partial sums of the op fit 32-bit integers, in any order of summation. */
gboolean cc_op_fits_int32(const CcOp *op);

G_END_DECLS
