/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Runs the stages of a plan that are not passes. Each is a step of the program. */

#include "cuda/step.h"

G_BEGIN_DECLS

typedef struct {
  /* Sets all members of a step that runs step->stage, from `module` on, except function, group and
   * algorithm. cc_cuda_stage_set_planes sets most of them. Appends the taps that the step reads
   * from memory, and describes the stage in `text`, for people.
   *
   * With CC_READS_PLANES, step->from and step->to have the planes of the plan, only the targets of
   * a region, or the planes of the frame if the plan works on these. Samples have the sizes that
   * the stages require. Other stages read the frame's source in step->from, and write or modify its
   * target in step->to. With CC_READS_SAMPLES, step->plan may have other planes than the plan that
   * was lowered, but the planes of the frame are the same. */
  void (*set_step)(CcCudaStep *step, GByteArray *taps, GString *text);
} CcCudaStageClass;

/* Sets up a step whose kernel has one thread per sample, in tiles for find_tile of cuda/tile.cuh.
 * Samples have the size that they have in a frame.
 *
 * With CC_READS_PLANES, the plane jobs are the planes of the plan. src and dst are the targets of
 * the stage before and of this one. border_code and filter_mask are those of passes. copy_mask has
 * the other components that passes write, for store_unfiltered.
 *
 * With CC_READS_SAMPLES, the plane jobs are the planes of the frame, and pixels are groups. dst is
 * the target. src is the source, or the target again if the stage does not need the source. The
 * stride is that from src to dst. */
void cc_cuda_stage_set_planes(CcCudaStep *step, CcCudaModule module, const gchar *name);

#define CC_CUDA_STAGE(constant, name) extern const CcCudaStageClass cc_cuda_##name;
CC_STAGES(CC_CUDA_STAGE)
#undef CC_CUDA_STAGE

/* The class of each kind. NULL for CONVOLVE, which consists of passes. Tests set the class of
 * CC_STAGE_TEST before any program is prepared. */
extern const CcCudaStageClass *cc_cuda_stage_classes[CC_N_STAGE_KINDS];

G_END_DECLS
