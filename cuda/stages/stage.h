/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Runs the stages of a plan that are not passes. Each of these stages has one or more steps of the
 * program. */

#include "cuda/step.h"

G_BEGIN_DECLS

typedef struct _CcCudaStageClass {
  /* Sets up a step that runs step->stage: all members from `module` on, except `function`, `group`
   * and `algorithm`. cc_cuda_stage_set_planes sets most of these members. Appends to `taps` the
   * taps that the step reads from memory. Appends to `text` a description of the stage for people.
   *
   * With CC_READS_PLANES, step->from and step->to have the planes of the plan. In scratch, they
   * contain only the targets of a region. step->to is the target frame if no later step reads the
   * planes. Samples in scratch have the size that the reading stage requires. Stages that do not
   * read planes read the source frame, step->from, and write or modify the target frame, step->to.
   * With CC_READS_SAMPLES, step->plan may have other planes than the plan that was lowered, but the
   * planes of the frame are the same. */
  void (*set_step)(CcCudaStep *step, GByteArray *taps, GString *text);
  /* sets up the next step of the stage; NULL: there is none */
  const struct _CcCudaStageClass *next;
} CcCudaStageClass;

/* Sets up a step whose kernel has one thread per sample. The kernel finds its tile with find_tile
 * of cuda/tile.cuh. Samples have the same size as in a frame.
 *
 * With CC_READS_PLANES, the plane jobs are the planes of the plan. src is the target of the
 * previous stage. dst is the target of this stage. border_code and filter_mask are those of the
 * passes. copy_mask has the other components that passes write, for store_unfiltered.
 *
 * With CC_READS_SAMPLES, the plane jobs are the planes of the frame. Pixels are groups of job.step
 * samples. dst is the target. src is the source, or the target again if the stage does not need the
 * source. The stride is the stride of the plan, or 1 if src is the target. */
void cc_cuda_stage_set_planes(CcCudaStep *step, CcCudaModule module, const gchar *name);

#define CC_CUDA_STAGE(constant, name) extern const CcCudaStageClass cc_cuda_##name;
CC_STAGES(CC_CUDA_STAGE)
#undef CC_CUDA_STAGE

/* The class of each kind of stage. NULL for CONVOLVE and REPEAT, which consist of passes. Tests set
 * the class of CC_STAGE_TEST before any program is prepared. */
extern const CcCudaStageClass *cc_cuda_stage_classes[CC_N_STAGE_KINDS];

G_END_DECLS
