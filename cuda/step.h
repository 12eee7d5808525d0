/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A step of a program, which is one launch: what it is told. */

#include "launch_config.h"

G_BEGIN_DECLS

typedef enum {
  CC_CUDA_FILTER, /* from planes to planes */
  CC_CUDA_UNPACK, /* from a frame to planes in scratch */
  CC_CUDA_PACK,   /* and back */
  CC_CUDA_HUE,    /* from a frame to a frame */
} CcCudaStepKind;

typedef struct {
  CcCudaStepKind kind;
  CcCudaModule module;
  gchar name[64];                /* of the kernel in it */
  CUfunction function;           /* once the program is loaded */
  guint n_blocks, block[2];      /* blocks, and threads of a block each way */
  guint shared_bytes;            /* that a block has beside what the kernel declares */
  gboolean memory_taps;          /* needs params.memory_taps */
  gboolean lines;                /* needs params.lines */
  gboolean overlaps;             /* may be prepared while the launch before it runs */
  guint8 plane[CC_LAUNCH_PARTS]; /* of each part; only with FILTER */
  CcLaunch params; /* without what each launch sets: places and pitches of planes, and scratch */
} CcCudaStep;

/* Where a plane's rectangle lies in device memory, or in a buffer when its address is 0. */
typedef struct {
  gsize offset, pitch; /* bytes */
} CcCudaPlane;

/* Passes of a plan that share a launch. */
typedef struct {
  CcAlgorithm name;
  guint n;
  const CcPass *pass[CC_LAUNCH_PARTS];
  CcCudaKernel kernel[CC_LAUNCH_PARTS]; /* of each pass: the same but for what is its own */
  const CcOp *op;                       /* whose taps they use; NULL when none is filtered */
} CcCudaGroup;

/* Bytes that rows, planes and taps are aligned to; more than the widest access of a kernel. */
#define CC_CUDA_ALIGNMENT 256

static inline gsize
cc_cuda_align(gsize bytes) {
  return (bytes + CC_CUDA_ALIGNMENT - 1) / CC_CUDA_ALIGNMENT * CC_CUDA_ALIGNMENT;
}

/* Sets what a step needs to filter passes of a plan by an algorithm, and adds the taps that it
 * reads from memory. FALSE: it has more tiles than a launch can have. */
gboolean cc_cuda_step_set_filter(CcCudaStep *step, GByteArray *taps, const CcPlan *plan,
                                 const CcCudaGroup *group, const CcCudaAlgorithm *algorithm,
                                 const CcCudaGpu *gpu, GError **error);

/* Adds a step's own taps to those of all steps. */
void cc_cuda_step_add_taps(CcCudaStep *step, GByteArray *taps, GBytes *own);

/* Numbers the tiles of all parts. */
gboolean cc_cuda_set_first_tiles(CcLaunch *launch, GError **error);

G_END_DECLS
