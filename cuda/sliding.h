/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The host halves of `sliding`: CcCudaAlgorithm of host_half.h has what each function does. */

#include "host_half.h"

G_BEGIN_DECLS

/* What the kernel that cc_cuda_sliding chose costs, in products for 256 target bytes. */
guint cc_cuda_sliding_cost(const CcCudaKernel *kernel, const CcOp *op);

/* On the tensor cores. FALSE: these have no kernel that runs the pass. */
gboolean cc_tensor_core_choose(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel);
void cc_tensor_core_set_tiles(CcLaunch *launch, const CcCudaKernel *chosen,
                              const CcCudaDevice *device, const CcPass *const *pass);
GBytes *cc_tensor_core_make_taps(const CcLaunch *launch, const CcCudaKernel *chosen,
                                 const CcPass *const *pass);

/* Products for 256 target bytes. */
guint cc_tensor_core_cost(const CcCudaKernel *kernel, const CcOp *op);

/* On the tensor cores, of separable windows rows first and then columns. FALSE: as above. */
gboolean cc_tensor_separable_choose(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel);
void cc_tensor_separable_set_tiles(CcLaunch *launch, const CcCudaKernel *chosen,
                                   const CcCudaDevice *device, const CcPass *const *pass);
GBytes *cc_tensor_separable_make_taps(const CcLaunch *launch, const CcCudaKernel *chosen,
                                      const CcPass *const *pass);
gboolean cc_tensor_separable_is_chosen(const CcCudaKernel *kernel);
guint cc_tensor_separable_cost(const CcCudaKernel *kernel);

G_END_DECLS
