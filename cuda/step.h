/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A step of a program, which is one launch: what it is told. */

#include "launch_config.h"

G_BEGIN_DECLS

/* Where a plane's rectangle lies in device memory, or in a buffer when its address is 0. */
typedef struct {
  gsize offset, pitch; /* bytes */
} CcCudaPlane;

/* Sets of planes that steps read and write. Those of a program in scratch follow; CcCudaLowered has
 * what they are. */
enum {
  CC_CUDA_FRAME_SRC,
  CC_CUDA_FRAME_DST,
  CC_CUDA_N_FRAMES,
  /* the source deinterleaved, what passes make, and what each stage makes that reads planes */
  CC_CUDA_MAX_SETS = CC_CUDA_N_FRAMES + 1 + CC_MAX_STAGES,
};

/* Where all lies that the launches of a region work on. */
typedef struct {
  const CcPlacement *placement; /* of cc_cuda_place_region */
  CcCudaPlane set[CC_CUDA_MAX_SETS][CC_MAX_PLANES];
  CUdeviceptr scratch; /* of cc_cuda_scratch_bytes, which has the planes in scratch first */
  CUdeviceptr results; /* of all stages; those of a step's stage begin at its result_at */
} CcCudaAddresses;

/* Passes of a plan that share a launch. */
typedef struct {
  CcAlgorithm name;
  guint n;
  const CcPass *pass[CC_LAUNCH_JOBS];
  CcCudaKernel kernel[CC_LAUNCH_JOBS]; /* of each pass: the same but for what is its own */
  const CcOp *op;                      /* whose taps they use; NULL when none is filtered */
} CcCudaGroup;

typedef struct _CcCudaStep CcCudaStep;

struct _CcCudaStep {
  /* set by whoever adds the step; all of them live as long as it */
  const CcPlan *plan; /* CcCudaLowered.plan */
  const CcCudaGpu *gpu;
  const CcStage *stage; /* of a step that runs one; else NULL */
  guint from, to;       /* the sets of planes that it reads and writes */

  CcCudaModule module;
  gchar name[64];       /* of the kernel in it */
  CUfunction function;  /* once the program is loaded */
  guint block[2];       /* threads of a block each way; there is a block for each tile */
  guint shared_bytes;   /* that a block has beside what the kernel declares */
  gboolean memory_taps; /* needs params.memory_taps */
  gboolean lines;       /* needs params.lines */
  gboolean overlaps;    /* may be prepared while the launch before it runs */
  /* Sets for a region the sizes of all parts, their tiles_across and n_tiles, and scratch_bytes,
   * which is 0 before. It may have set those of another region before. */
  void (*set_sizes)(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement);
  /* Sets for a region where the planes of all parts lie. */
  void (*set_addresses)(CcLaunch *launch, const CcCudaStep *step, const CcCudaAddresses *addresses);
  CcCudaGroup group; /* of a step that filters passes, with their algorithm */
  const CcCudaAlgorithm *algorithm;
  CcLaunch params; /* with the sizes of the whole frame, and without what each launch sets */
};

/* Bytes that rows, planes and taps are aligned to; more than the widest access of a kernel. */
#define CC_CUDA_ALIGNMENT 256

static inline gsize
cc_cuda_align(gsize bytes) {
  return (bytes + CC_CUDA_ALIGNMENT - 1) / CC_CUDA_ALIGNMENT * CC_CUDA_ALIGNMENT;
}

/* Places rows of so many bytes in a buffer, behind *end, which moves behind them. */
static inline CcCudaPlane
cc_cuda_place_rows(gsize row_bytes, guint rows, gsize *end) {
  const CcCudaPlane offset = {*end, cc_cuda_align(row_bytes)};
  *end += offset.pitch * rows;
  return offset;
}

/* Sets what a step needs to filter passes of its plan by an algorithm, whose kernels keep every
 * `stride`-th pixel, with the sizes of a region, and adds the taps that it reads from memory. FALSE
 * is as cc_cuda_step_set_sizes says. */
gboolean cc_cuda_step_set_filter(CcCudaStep *step, GByteArray *taps, const CcCudaGroup *group,
                                 const CcCudaAlgorithm *algorithm, guint stride,
                                 const CcPlacement *placement, GError **error);

/* Adds a step's own taps to those of all steps. */
void cc_cuda_step_add_taps(CcCudaStep *step, GByteArray *taps, gconstpointer priv, gsize size);

/* Sets the sizes of a launch of a step for a region, and numbers the tiles. FALSE: it has more of
 * them than a launch can have. */
gboolean cc_cuda_step_set_sizes(const CcCudaStep *step, CcLaunch *launch,
                                const CcPlacement *placement, GError **error);

G_END_DECLS
