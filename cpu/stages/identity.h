/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Samples that a filter leaves as they are, as identity does: copying them is faster. */

#include "engine/plan/plan.h"
#include "cpu/kernels/row_kernels.h"

G_BEGIN_DECLS

/* Makes `copying` of the plan, which has to outlive it: what an op leaves as it is, bit by bit, is
 * copied. Frames that are packed are copied as they lie. FALSE: there is no such op. */
gboolean cc_copies_find(const CcPlan *plan, const CcRows *kernels, CcPlan *copying);

G_END_DECLS
