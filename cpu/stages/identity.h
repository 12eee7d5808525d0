/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Finds samples that the filter does not change, for example because its kernel is `identity`. Such
 * samples are copied, because copying is faster than filtering. */

#include "engine/plan/plan.h"
#include "cpu/kernels/row_kernels.h"

G_BEGIN_DECLS

/* Initialises the plan `copying`, which copies samples instead of filtering them if their op
 * changes no bit. Macropixels are copied directly in the frame. `plan` must outlive `copying`.
 * Returns FALSE if every op changes bits. Also returns FALSE if the frame is packed and
 * cc_macropixel_find returns FALSE. */
gboolean cc_identity_find(const CcPlan *plan, const CcRows *kernels, CcPlan *copying);

G_END_DECLS
