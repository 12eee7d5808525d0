/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The lowering: what a GPU launches for a plan. It follows from the plan and the description of the
 * GPU, which need not be here. */

#include "algorithm.h"
#include "step.h"

G_BEGIN_DECLS

/* Planes of the plan in scratch, laid out anew for each region: plane after plane, without what
 * surrounds its rectangle. */
typedef struct {
  gboolean of_source;    /* that is the source's, else the target's */
  const CcStage *reader; /* which says how large their samples are; NULL: as in the frame */
} CcCudaSet;

typedef struct {
  /* What runs: the plan that was lowered, but with other planes where those are cheaper. Steps
   * point into it, and its ops and the data of its stages are those of that plan. */
  CcPlan plan;
  const CcCudaGpu *gpu;
  guint thin; /* 1, or the stride, where passes make all pixels as if there were none; of the
                 planes of those one pixel in thin x thin gets into the frame */
  CcAlgorithm algorithm; /* that runs the plan's first op; never AUTO */
  CcRegion whole_region; /* all of a frame */
  CcPlacement whole;     /* and where that lies */
  /* The same in buffers of their own, plane after plane, without what surrounds it; offsets and
   * pitches are multiples of 256. */
  CcCudaPlane src[CC_MAX_PLANES], dst[CC_MAX_PLANES];
  gsize src_bytes, dst_bytes;
  gsize scratch_bytes; /* between two launches of such a frame */
  guint n_sets;        /* the first CC_CUDA_N_FRAMES of them are no such sets */
  CcCudaSet set[CC_CUDA_MAX_SETS];
  GByteArray *taps; /* of all steps that have such; NULL once they are on a device */
  GPtrArray *lines; /* CcProgram.steps, with NULL behind them; NULL once they are taken away */
  guint n_steps;
  CcCudaStep step[2 * CC_MAX_PASSES + CC_MAX_STAGES + 1];
} CcCudaLowered;

/* Works out the launches of a plan on a GPU; both have to outlive them. CC_ERROR_INVALID when the
 * plan's algorithm cannot run it, or when the frame has more tiles than a grid can have. */
CcCudaLowered *cc_cuda_lower(const CcPlan *plan, const CcCudaGpu *gpu, GError **error);

void cc_cuda_lowered_free(CcCudaLowered *lowered);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcCudaLowered, cc_cuda_lowered_free)

/* Where a region lies in the frame and in the planes that passes work on: self->whole, or `own`,
 * which is set. */
const CcPlacement *cc_cuda_place_region(const CcCudaLowered *self, const CcRegion *region,
                                        CcPlacement *priv);

/* Sets where a region's planes in scratch lie, from its address on. Returns the address behind
 * them, where what algorithms have there begins. */
CUdeviceptr cc_cuda_place_scratch(const CcCudaLowered *self, const CcPlacement *placement,
                                  CUdeviceptr scratch,
                                  CcCudaPlane set[CC_CUDA_MAX_SETS][CC_MAX_PLANES]);

/* What the launches of a region need of scratch. */
gsize cc_cuda_scratch_bytes(const CcCudaLowered *self, const CcPlacement *placement);

G_END_DECLS
