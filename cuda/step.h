/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A step of a program: one launch and its parameters. */

#include "launch_config.h"

G_BEGIN_DECLS

/* Where a plane's rectangle lies in device memory. `offset` is a device address, or an offset in a
 * buffer. */
typedef struct {
  gsize offset, pitch; /* bytes */
} CcCudaPlane;

/* Numbers of the sets of planes that steps read and write. The first numbers are the frames. The
 * numbers after them are sets in scratch, which CcCudaLowered.set describes. */
enum {
  CC_CUDA_FRAME_SRC,
  CC_CUDA_FRAME_DST,
  CC_CUDA_N_FRAMES,
  /* sets in scratch: the deinterleaved source, the output of passes, and the output of each stage
   * that reads planes */
  CC_CUDA_MAX_SETS = CC_CUDA_N_FRAMES + 1 + CC_MAX_STAGES,
};

/* Addresses of all memory that the launches of a region use. */
typedef struct _CcCudaAddresses CcCudaAddresses;

struct _CcCudaAddresses {
  const CcPlacement *placement; /* from cc_cuda_place_region */
  CcCudaPlane set[CC_CUDA_MAX_SETS][CC_MAX_PLANES];
  CUdeviceptr scratch; /* has cc_cuda_scratch_bytes */
  CUdeviceptr results; /* results of all stages; a stage's results begin at its result_at */
  const CcCudaAddresses *inner; /* those of the inner plan; set only if there is one */
};

/* Passes of a plan that share a launch. */
typedef struct {
  CcAlgorithm name;
  guint n;
  const CcPass *pass[CC_LAUNCH_JOBS];
  CcCudaKernel kernel[CC_LAUNCH_JOBS]; /* of each pass; they differ only in `priv` and costs */
  const CcOp *op;                      /* the passes that filter use its taps; NULL: none filters */
} CcCudaGroup;

typedef struct _CcCudaStep CcCudaStep;

struct _CcCudaStep {
  /* lower.c sets the members up to `to` when it adds the step. The objects that they point to
   * outlive the step. */
  const CcPlan *plan; /* CcCudaLowered.plan */
  const CcCudaGpu *gpu;
  /* The stage that the step runs. NULL for the passes of CONVOLVE, deinterleaving and
   * interleaving. */
  const CcStage *stage;
  guint from, to;    /* numbers of the sets of planes that the step reads and writes */
  gboolean is_inner; /* the step is one of CcCudaLowered.inner */

  CcCudaModule module;
  gchar name[64];       /* name of the kernel in the module */
  CUfunction function;  /* set when the program is loaded */
  guint block[2];       /* threads of a block, across and down; the grid has one block per tile */
  guint shared_bytes;   /* dynamic shared memory of a block */
  gboolean memory_taps; /* the kernel reads params.memory_taps */
  gboolean lines;       /* the kernel reads params.lines */
  gboolean overlaps;    /* the launch may be prepared while the previous launch runs */
  /* Sets the sizes, tiles_across and n_tiles of all plane jobs for a region. If the step needs
   * scratch, also sets scratch_bytes, which is 0 before the call. `launch` may have values of
   * another region before the call. */
  void (*set_sizes)(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement);
  /* Sets the addresses and pitches of the planes of all plane jobs for a region. */
  void (*set_addresses)(CcLaunch *launch, const CcCudaStep *step, const CcCudaAddresses *addresses);
  /* The passes of a step that filters, and their algorithm. Other steps do not set them. */
  CcCudaGroup group;
  const CcCudaAlgorithm *algorithm;
  CcLaunch params; /* has the sizes of the whole frame; each launch sets the addresses of planes in
                      a copy */
};

/* Alignment of rows, planes and taps, in bytes. It is larger than the widest access of a kernel. */
#define CC_CUDA_ALIGNMENT 256

static inline gsize
cc_cuda_align(gsize bytes) {
  return (bytes + CC_CUDA_ALIGNMENT - 1) / CC_CUDA_ALIGNMENT * CC_CUDA_ALIGNMENT;
}

/* Places `rows` rows in a buffer, starting at *end. Moves *end past the rows. */
static inline CcCudaPlane
cc_cuda_place_rows(gsize row_bytes, guint rows, gsize *end) {
  const CcCudaPlane plane = {*end, cc_cuda_align(row_bytes)};
  *end += plane.pitch * rows;
  return plane;
}

/* Sets up a step that runs a group of passes by an algorithm. The kernels compute every `stride`-th
 * pixel. Sets the sizes for the region of `placement`. Appends to `taps` the taps that kernels read
 * from memory. FALSE: see cc_cuda_step_set_sizes. */
gboolean cc_cuda_step_set_filter(CcCudaStep *step, GByteArray *taps, const CcCudaGroup *group,
                                 const CcCudaAlgorithm *algorithm, guint stride,
                                 const CcPlacement *placement, GError **error);

/* Appends `data`, the taps of a step, to `taps`, which has the taps of all steps. Sets
 * params.memory_taps to the offset of `data` in `taps`. */
void cc_cuda_step_add_taps(CcCudaStep *step, GByteArray *taps, gconstpointer data, gsize size);

/* Sets the sizes of a step's launch for a region, and numbers the tiles. FALSE: there are more
 * tiles than a launch can have. */
gboolean cc_cuda_step_set_sizes(const CcCudaStep *step, CcLaunch *launch,
                                const CcPlacement *placement, GError **error);

G_END_DECLS
