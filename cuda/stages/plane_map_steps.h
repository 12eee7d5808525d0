/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Rewrites plans for other layouts of planes, and sets up the steps that deinterleave and
 * interleave. */

#include "cuda/step.h"
#include "engine/plan/plan.h"

G_BEGIN_DECLS

/* Rewrites a plan that works on deinterleaved planes into a plan that works on the frame's own
 * interleaved planes. The CUDA kernels that run `merged` must allow a different distance between
 * neighbours for each component. If the plane map has luma, they must compute luma themselves.
 * `merged` borrows the ops of `plan`. FALSE: interleaved components need different ops, R, G and B
 * have separate planes, or a row ends in half a macropixel. */
gboolean cc_plane_map_merge_plan(CcPlan *merged, const CcPlan *plan);

/* Combines a plan that works on deinterleaved planes with its merged plan. The result treats the
 * luma of the frame's pixels as a plane. The CUDA kernels that run `fused` must compute luma as
 * they read pixels, and must write whole pixels. Component 1 of the result's pass is the
 * passthrough component, which is neither red, green nor blue. FALSE: the plan does not filter the
 * luma of pixels, or filters the passthrough component. */
gboolean cc_plane_map_fuse_plan(CcPlan *fused, const CcPlan *merged, const CcPlan *plan);

/* Rewrites the plan of a frame with one plane of pixels into a plan with one plane per component.
 * `split` borrows the ops of `plan`. FALSE: the frame has several planes or only one component, or
 * the plan works on other planes than the frame's own. */
gboolean cc_plane_map_split_plan(CcPlan *split, const CcPlan *plan);

/* Sets up a step that deinterleaves a frame into the planes of its plan. */
void cc_plane_map_set_deinterleave(CcCudaStep *step);

/* Sets up a step that interleaves the planes of its plan into a frame, keeping every
 * `decimation`-th pixel and row. */
void cc_plane_map_set_interleave(CcCudaStep *step, guint decimation);

G_END_DECLS
