/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How a program paints direction as hue. */

#include "cuda/step.h"
#include "engine/plan/plan.h"

G_BEGIN_DECLS

/* Sets what the step that paints the hues of a plan needs, but for its table, which is given. */
GBytes *cc_hue_set_step(CcCudaStep *step, const CcPlan *plan, GError **error);

/* Sets where the frames of a launch of such a step lie. */
void cc_hue_place_parts(CcLaunch *launch, const CcCudaPlane *src, const CcCudaPlane *dst);

G_END_DECLS
