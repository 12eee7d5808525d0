/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* sliding: on the tensor cores what they can do, in registers the rest. */

#include "sliding.h"

static void
choose(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  if (!cc_tensor_core_choose(plan, pass, kernel))
    cc_register_window_choose(plan, pass, kernel);
}

static void
set_tiles(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaDevice *device,
          const CcPass *const *pass) {
  if (cc_tensor_core_is_chosen(kernel))
    cc_tensor_core_set_tiles(launch, kernel, device, pass);
  else
    cc_register_window_set_tiles(launch, device);
}

static GBytes *
make_taps(const CcLaunch *launch, const CcCudaKernel *kernel, const CcPass *const *pass) {
  return cc_tensor_core_is_chosen(kernel) ? cc_tensor_core_make_taps(launch, kernel, pass) : NULL;
}

const CcCudaAlgorithm cc_cuda_sliding = {
    .choose = choose, .set_tiles = set_tiles, .make_taps = make_taps};
