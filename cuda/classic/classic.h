/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Functions of the classic algorithms beside their rows in the list. */

#include "cuda/driver/device.h"
#include "engine/plan/plan.h"

G_BEGIN_DECLS

/* Checks that a device, which must be pushed, can run this build's code. Loads a kernel of the
 * fallback algorithm. The error is that of cc_cuda_device_get_function. */
gboolean cc_cuda_load_check_kernel(CcCudaDevice *device, GError **error);

/* The cost of the fastest classic algorithm for a plan with a stride, in tensor-core products per
 * 256 target bytes. It was measured with two-pass, in "Wide windows and output stages in two
 * stages" of bench/notes/experiments.md. */
guint cc_cuda_classic_cost(const CcPlan *plan);

G_END_DECLS
