/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the classic algorithms have for others beside their rows in the list. */

#include "cuda/driver/device.h"
#include "engine/plan/plan.h"

G_BEGIN_DECLS

/* Whether a device, which must be pushed, runs this build's code: loads a kernel of the algorithm
 * that runs every plan. The error is as cc_cuda_device_get_function says. */
gboolean cc_cuda_load_check_kernel(CcCudaDevice *device, GError **error);

/* What the fastest of them takes for a plan with a stride, in products of the tensor cores for 256
 * target bytes. It was measured, of two-pass, in "Wide windows and last steps in two stages" of
 * bench/notes/experiments.md. */
guint cc_cuda_classic_cost(const CcPlan *plan);

G_END_DECLS
