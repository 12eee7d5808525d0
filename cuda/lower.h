/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The lowering: what a GPU launches for a plan. It follows from the plan and the description of the
 * GPU, which need not be here. */

#include "algorithm.h"
#include "step.h"

G_BEGIN_DECLS

typedef struct {
  CcAlgorithm algorithm; /* that runs the plan's first op; never AUTO */
  /* the plan's source and target rectangles in buffers of their own, plane after plane, without
   * what surrounds them; offsets and pitches are multiples of 256 */
  CcCudaPlane src[CC_MAX_PLANES], dst[CC_MAX_PLANES];
  gsize src_bytes, dst_bytes;
  gsize scratch_bytes; /* between two launches of a frame */
  /* Planes that kernels read, or write, lie in scratch where they cannot work on frames as they
   * are; what algorithms have there begins after plane_bytes. */
  gboolean unpacks, packs;
  CcCudaPlane unpacked_src[CC_MAX_PLANES], unpacked_dst[CC_MAX_PLANES];
  gsize plane_bytes;
  GByteArray *taps; /* of all steps that have such; NULL once they are on a device */
  GPtrArray *lines; /* CcProgram.steps, with NULL behind them; NULL once they are taken away */
  guint n_steps;
  CcCudaStep step[2 * CC_MAX_PASSES + 3];
} CcCudaLowered;

/* Works out the launches of a plan on a GPU. CC_ERROR_INVALID when the plan's algorithm cannot run
 * it, or when the frame has more tiles than a grid can have. */
CcCudaLowered *cc_cuda_lower(const CcPlan *plan, const CcCudaGpu *gpu, GError **error);

void cc_cuda_lowered_free(CcCudaLowered *lowered);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcCudaLowered, cc_cuda_lowered_free)

G_END_DECLS
