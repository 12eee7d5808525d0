/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How a program gets at the planes of packed frames. */

#include "cuda/step.h"
#include "engine/plan/plan.h"

G_BEGIN_DECLS

/* Makes the plan of a packed one that works on the planes of the frame as they are, for kernels to
 * which samples of one component need not be alike far apart, and which make luma themselves where
 * the packing of a plane says so. It borrows the ops. FALSE: there is none, since samples that lie
 * side by side differ in more than in that. */
gboolean cc_plane_map_merge_plan(CcPlan *merged, const CcPlan *plan);

/* Makes of a packed plan and its merged one that which works on the luma of the frame's pixels as
 * if that were a plane, for kernels that make luma where they read and pixels where they write.
 * Component 1 of its pass is what lies aside of red, green and blue in a pixel. FALSE: the plan is
 * not for the luma of pixels, or filters what lies aside. */
gboolean cc_plane_map_fuse_plan(CcPlan *fused, const CcPlan *merged, const CcPlan *plan);

/* Makes the plan of a frame of pixels that has a plane for each of their components. It borrows the
 * ops. FALSE: the frame has no such pixels, or other planes. */
gboolean cc_plane_map_split_plan(CcPlan *split, const CcPlan *plan);

/* Sets what a step needs to take the planes of its plan from a frame. */
void cc_plane_map_set_deinterleave(CcCudaStep *step);

/* The same to put them back, every `thin`-th pixel and row. */
void cc_plane_map_set_interleave(CcCudaStep *step, guint thin);

G_END_DECLS
