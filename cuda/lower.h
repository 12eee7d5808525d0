/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The lowering: the launches of a plan on a GPU. They depend on the plan and on the description of
 * the GPU only, so the GPU need not be present. */

#include "algorithm.h"
#include "step.h"

G_BEGIN_DECLS

/* A set of planes of the plan in scratch. It is laid out anew for each region: plane after plane,
 * only the pixels of the region's rectangles. */
typedef struct {
  gboolean of_source; /* planes of the source; FALSE: of the target */
  /* the stage that reads them determines the sample size; NULL: as in the frame */
  const CcStage *reader;
} CcCudaSet;

typedef struct {
  /* The plan that runs: the lowered plan, but with another layout of planes if that is cheaper.
   * Steps point into it. Its ops and the data of its stages belong to the lowered plan. */
  CcPlan plan;
  const CcCudaGpu *gpu;
  /* 1; or the stride, if passes compute all pixels as with stride 1 and the interleave step keeps
   * one pixel in decimation x decimation */
  guint decimation;
  CcAlgorithm algorithm; /* of the plan's first op; never AUTO */
  CcRegion whole_region; /* the whole frame */
  CcPlacement whole;     /* placement of the whole frame */
  /* Offsets and pitches of the whole frame's planes in a source and a target buffer, plane after
   * plane, without the frame's own padding. They are multiples of 256. */
  CcCudaPlane src[CC_MAX_PLANES], dst[CC_MAX_PLANES];
  gsize src_bytes, dst_bytes;
  gsize scratch_bytes; /* for the whole frame, between two launches */
  guint n_sets;        /* the first CC_CUDA_N_FRAMES are the frames and have no CcCudaSet */
  CcCudaSet set[CC_CUDA_MAX_SETS];
  GByteArray *taps; /* taps of all steps in memory; NULL once they are on a device */
  GPtrArray *lines; /* CcProgram.steps, terminated by NULL; NULL once they are moved there */
  guint n_steps;
  CcCudaStep step[2 * CC_MAX_PASSES + CC_MAX_STAGES + 1];
} CcCudaLowered;

/* Works out the launches of a plan on a GPU. Both must outlive the result. CC_ERROR_INVALID: the
 * plan's algorithm cannot run it, or the frame has more tiles than a grid can have. */
CcCudaLowered *cc_cuda_lower(const CcPlan *plan, const CcCudaGpu *gpu, GError **error);

void cc_cuda_lowered_free(CcCudaLowered *lowered);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcCudaLowered, cc_cuda_lowered_free)

/* Returns where a region lies in the frame and in the planes that passes work on: self->whole for
 * the whole frame, else `placement`, which is filled in. */
const CcPlacement *cc_cuda_place_region(const CcCudaLowered *self, const CcRegion *region,
                                        CcPlacement *placement);

/* Sets where the planes of a region lie in scratch, starting at address `scratch`. Returns the
 * address behind them, where the scratch of algorithms begins. */
CUdeviceptr cc_cuda_place_scratch(const CcCudaLowered *self, const CcPlacement *placement,
                                  CUdeviceptr scratch,
                                  CcCudaPlane set[CC_CUDA_MAX_SETS][CC_MAX_PLANES]);

/* Bytes of scratch that the launches of a region need. */
gsize cc_cuda_scratch_bytes(const CcCudaLowered *self, const CcPlacement *placement);

G_END_DECLS
