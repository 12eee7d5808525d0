/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How programs run the stages of a plan that are no passes: each is a step. */

#include "cuda/step.h"

G_BEGIN_DECLS

typedef struct {
  /* Sets what a step needs to run step->stage, all that CcCudaStep has from `module` on but for
   * function, group and algorithm; cc_cuda_stage_set_planes does most of it. It adds the taps that
   * the step reads from memory, and says in `what`, for people, what the stage does.
   *
   * With CC_READS_PLANES step->from and step->to have the planes of the plan, of a region's targets
   * only, or those of the frame where these are the plan's. Samples have the sizes that the stages
   * ask for. Other stages read the frame's source in step->from and write its target, or change it,
   * in step->to. With CC_READS_SAMPLES step->plan may have other planes than the one that was
   * lowered; those of the frame are the same. */
  void (*set_step)(CcCudaStep *step, GByteArray *taps, GString *what);
} CcCudaStageClass;

/* Sets up a step whose kernel has a thread for each sample, in tiles that find_tile of
 * cuda/tile.cuh finds. The size of a sample is that in a frame.
 * With CC_READS_PLANES the parts are the planes of the plan. src and dst are the targets of the
 * stage before and of this one, and border_code and filter_mask are those of passes. copy_mask has
 * what else passes make, for store_unfiltered.
 * With CC_READS_SAMPLES the parts are the planes of the frame, whose pixels are groups. dst is the
 * target, and src the source, or, where the stage does not need that, the target again. The stride
 * is that from src to dst. */
void cc_cuda_stage_set_planes(CcCudaStep *step, CcCudaModule module, const gchar *name);

#define CC_CUDA_STAGE(constant, name) extern const CcCudaStageClass cc_cuda_##name;
CC_STAGES(CC_CUDA_STAGE)
#undef CC_CUDA_STAGE

/* The class of each kind; of CONVOLVE, which is passes, NULL. Tests set that of CC_STAGE_TEST
 * before any program is prepared. */
extern const CcCudaStageClass *cc_cuda_stage_classes[CC_N_STAGE_KINDS];

G_END_DECLS
