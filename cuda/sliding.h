/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The host halves of `sliding`: CcCudaAlgorithm of host_half.h has what each function does. */

#include "host_half.h"

G_BEGIN_DECLS

/* On the tensor cores. FALSE: these have no kernel that runs the pass. */
gboolean cc_tensor_core_choose(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel);
void cc_tensor_core_set_tiles(CcLaunch *launch, const CcCudaKernel *chosen,
                              const CcCudaDevice *device, const CcPass *const *pass);
GBytes *cc_tensor_core_make_taps(const CcLaunch *launch, const CcCudaKernel *chosen,
                                 const CcPass *const *pass);
gboolean cc_tensor_core_is_chosen(const CcCudaKernel *kernel);

/* In registers, which can run every pass. */
void cc_register_window_choose(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel);
void cc_register_window_set_tiles(CcLaunch *launch, const CcCudaDevice *device);

G_END_DECLS
