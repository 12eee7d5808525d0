/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How programs run the stages of a plan that are no passes: each is a step. */

#include "cuda/step.h"

G_BEGIN_DECLS

typedef struct {
  /* Sets what a step needs to run step->stage, all that CcCudaStep has from `module` on but for
   * function, group and algorithm; params without sizes and places. It adds the taps that the step
   * reads from memory, and says in `what`, for people, what the stage does.
   *
   * With CC_READS_PLANES step->from and step->to have the planes of the plan, of a region's targets
   * only, or those of the frame where these are the plan's; only components that a pass makes are
   * there. Samples have the sizes that the stages ask for. Other stages read the frame's source in
   * step->from and write its target, or change it, in step->to. */
  void (*set_step)(CcCudaStep *step, GByteArray *taps, GString *what);
} CcCudaStageClass;

extern const CcCudaStageClass cc_cuda_direction_color;

/* The class of a kind; NULL: of CONVOLVE, which is passes. */
const CcCudaStageClass *cc_cuda_stage_class(CcStageKind kind);

/* The class of CC_STAGE_TEST, before any program is prepared. */
void cc_cuda_set_test_stage(const CcCudaStageClass *klass);

G_END_DECLS
