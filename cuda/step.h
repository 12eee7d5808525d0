/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A step of a program: one launch and its parameters. */

#include "launch_config.h"

G_BEGIN_DECLS

/* Where a plane's rectangle lies in device memory. `offset` is an address, or relative to a
 * buffer. */
typedef struct {
  gsize offset, pitch; /* bytes */
} CcCudaPlane;

/* Sets of planes that steps read and write. The enum has the frames. The program's sets in scratch
 * follow; CcCudaLowered.set describes them. */
enum {
  CC_CUDA_FRAME_SRC,
  CC_CUDA_FRAME_DST,
  CC_CUDA_N_FRAMES,
  /* the deinterleaved source, the output of passes, and the output of each stage that reads
   * planes */
  CC_CUDA_MAX_SETS = CC_CUDA_N_FRAMES + 1 + CC_MAX_STAGES,
};

/* Addresses of all memory that the launches of a region use. */
typedef struct {
  const CcPlacement *placement; /* from cc_cuda_place_region */
  CcCudaPlane set[CC_CUDA_MAX_SETS][CC_MAX_PLANES];
  CUdeviceptr scratch; /* cc_cuda_scratch_bytes; the planes in scratch come first */
  CUdeviceptr results; /* of all stages; those of one stage begin at its result_at */
} CcCudaAddresses;

/* Passes of a plan that share a launch. */
typedef struct {
  CcAlgorithm name;
  guint n;
  const CcPass *pass[CC_LAUNCH_JOBS];
  CcCudaKernel kernel[CC_LAUNCH_JOBS]; /* of each pass; they differ in their private data only */
  const CcOp *op;                      /* whose taps the passes use; NULL: no pass filters */
} CcCudaGroup;

typedef struct _CcCudaStep CcCudaStep;

struct _CcCudaStep {
  /* The function that adds the step sets these. All outlive the step. */
  const CcPlan *plan; /* CcCudaLowered.plan */
  const CcCudaGpu *gpu;
  const CcStage *stage; /* the stage that the step runs, or NULL */
  guint from, to;       /* the sets of planes that it reads and writes */

  CcCudaModule module;
  gchar name[64];       /* of the kernel in the module */
  CUfunction function;  /* set once the program is loaded */
  guint block[2];       /* threads of a block, across and down; the grid has one block per tile */
  guint shared_bytes;   /* dynamic shared memory of a block */
  gboolean memory_taps; /* needs params.memory_taps */
  gboolean lines;       /* needs params.lines */
  gboolean overlaps;    /* may be prepared while the launch before it runs */
  /* Sets for a region the sizes of all plane jobs, their tiles_across and n_tiles, and
   * scratch_bytes, which is 0 before. Values of another region may be set already. */
  void (*set_sizes)(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement);
  /* Sets for a region the addresses of the planes of all plane jobs. */
  void (*set_addresses)(CcLaunch *launch, const CcCudaStep *step, const CcCudaAddresses *addresses);
  CcCudaGroup group; /* the passes, and their algorithm, of a step that filters */
  const CcCudaAlgorithm *algorithm;
  CcLaunch params; /* with the sizes of the whole frame; each launch sets the addresses */
};

/* Alignment of rows, planes and taps, in bytes. It is larger than the widest access of a kernel. */
#define CC_CUDA_ALIGNMENT 256

static inline gsize
cc_cuda_align(gsize bytes) {
  return (bytes + CC_CUDA_ALIGNMENT - 1) / CC_CUDA_ALIGNMENT * CC_CUDA_ALIGNMENT;
}

/* Places `rows` rows in a buffer, starting at *end, and moves *end behind them. */
static inline CcCudaPlane
cc_cuda_place_rows(gsize row_bytes, guint rows, gsize *end) {
  const CcCudaPlane plane = {*end, cc_cuda_align(row_bytes)};
  *end += plane.pitch * rows;
  return plane;
}

/* Sets up a step that filters passes of its plan by an algorithm whose kernels keep every
 * `stride`-th pixel. Sets the sizes of a region and appends the taps that the kernels read from
 * memory. FALSE: see cc_cuda_step_set_sizes. */
gboolean cc_cuda_step_set_filter(CcCudaStep *step, GByteArray *taps, const CcCudaGroup *group,
                                 const CcCudaAlgorithm *algorithm, guint stride,
                                 const CcPlacement *placement, GError **error);

/* Appends the taps of a step to the taps of all steps. */
void cc_cuda_step_add_taps(CcCudaStep *step, GByteArray *taps, gconstpointer data, gsize size);

/* Sets the sizes of a step's launch for a region, and numbers the tiles. FALSE: there are more
 * tiles than a launch can have. */
gboolean cc_cuda_step_set_sizes(const CcCudaStep *step, CcLaunch *launch,
                                const CcPlacement *placement, GError **error);

G_END_DECLS
