/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Functions of the classic algorithms that are not in the list of algorithms. */

#include "cuda/driver/device.h"
#include "engine/plan/plan.h"

G_BEGIN_DECLS

/* Checks that a device can run this build's code: loads a kernel of the fallback algorithm. The
 * device must be pushed. The error is that of cc_cuda_device_get_function. */
gboolean cc_cuda_load_check_kernel(CcCudaDevice *device, GError **error);

/* The cost of the fastest classic algorithm for a plan with a stride, in tensor-core products per
 * 256 target bytes. The cost was measured with two-pass, in "Wide windows and output stages in two
 * stages" of bench/notes/experiments.md. */
guint cc_cuda_classic_cost(const CcPlan *plan);

G_END_DECLS
