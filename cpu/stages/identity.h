/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Samples that the filter does not change, such as with the kernel `identity`. They are copied,
 * which is faster. */

#include "engine/plan/plan.h"
#include "cpu/kernels/row_kernels.h"

G_BEGIN_DECLS

/* Makes the plan `copying`, in which samples are copied if their op changes no bit. Macropixels are
 * copied directly in the frame. `plan` must outlive it. Returns FALSE if there is no such op, or
 * for other packed frames. */
gboolean cc_identity_find(const CcPlan *plan, const CcRows *kernels, CcPlan *copying);

G_END_DECLS
