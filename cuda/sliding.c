/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* sliding: on the tensor cores, in two stages or in one. */

#include "sliding.h"

/* What two stages cost beside their products for each matrix, in products. */
#define COST_OF_TWO_STAGES 14

static guint
cost_of_two(const CcCudaKernel *two, const CcOp *op) {
  return cc_tensor_separable_cost(two) + COST_OF_TWO_STAGES * op->n_matrices;
}

guint
cc_cuda_sliding_cost(const CcCudaKernel *kernel, const CcOp *op) {
  return cc_tensor_separable_is_chosen(kernel) ? cost_of_two(kernel, op)
                                               : cc_tensor_core_cost(kernel, op);
}

/* Plans that filter nothing, which no format leads to, are left to other algorithms. */
static gboolean
choose(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  CcCudaKernel one = {0}, two = {0};
  const CcOp *op = cc_cuda_leading_pass(plan, pass)->op;
  if (!op)
    return FALSE;
  const gboolean has_one = cc_tensor_core_choose(plan, pass, &one);
  const gboolean has_two = cc_tensor_separable_choose(plan, pass, &two);
  if (has_two && (!has_one || cost_of_two(&two, op) < cc_tensor_core_cost(&one, op)))
    *kernel = two;
  else if (has_one)
    *kernel = one;
  return has_one || has_two;
}

static void
set_tiles(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaDevice *device,
          const CcPass *const *pass) {
  if (cc_tensor_separable_is_chosen(kernel))
    cc_tensor_separable_set_tiles(launch, kernel, device, pass);
  else
    cc_tensor_core_set_tiles(launch, kernel, device, pass);
}

static GBytes *
make_taps(const CcLaunch *launch, const CcCudaKernel *kernel, const CcPass *const *pass) {
  return cc_tensor_separable_is_chosen(kernel) ? cc_tensor_separable_make_taps(launch, kernel, pass)
                                               : cc_tensor_core_make_taps(launch, kernel, pass);
}

const CcCudaAlgorithm cc_cuda_sliding = {
    .choose = choose, .set_tiles = set_tiles, .make_taps = make_taps};
