/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The host side of one algorithm: which of its kernels runs a pass, and how the targets are cut
 * into tiles. Passes that get the same kernel are parts of one launch. */

#include "cuda/driver/device.h"
#include "engine/plan/plan.h"
#include "algorithm.h"
#include "launch.h"

G_BEGIN_DECLS

typedef struct {
  CcCudaModule module;
  gchar name[64];     /* of the entry point */
  guint block[2];     /* threads each way */
  guint shared_bytes; /* that a launch asks for */
  gboolean integer;   /* the taps are CcTap.i */
  gboolean overlaps;  /* waits by itself for the launch before, so it may be started meanwhile */
  guint side; /* the window is padded with zero taps to side x side; 0: it is the op's own */
  guint cost; /* products of the tensor cores for 256 target bytes of what is filtered; 0: it has
                 none, and is not compared */
  guint grey_cost; /* the same of making them grey, wherever that is done */
  CcPrivate priv;  /* of the algorithm */
} CcCudaKernel;

typedef struct _CcCudaAlgorithm CcCudaAlgorithm;

struct _CcCudaAlgorithm {
  /* The kernel that runs a pass, whose op the algorithm can run (or which has none). FALSE: there
   * is none for samples that lie as these. */
  gboolean (*choose)(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel);
  /* Sets tiles_across and n_tiles of all parts, scratch_bytes where the algorithm needs scratch,
   * which is 0 before, and what only this algorithm reads. `launch` has everything else; pass[i] is
   * what part i was made from, and kernel[i] what was chosen for it, all the same but for `own`.
   * What an earlier call set for other sizes makes no difference. */
  void (*set_tiles)(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaGpu *gpu,
                    const CcPass *const *pass);
  /* What the launch, which has everything by now, is to find behind memory_taps. NULL, also as the
   * answer: nothing. */
  GBytes *(*make_taps)(const CcLaunch *launch, const CcCudaKernel *kernel,
                       const CcPass *const *pass);
  /* Appends what else there is to say of a kernel, for people. NULL: nothing. */
  void (*explain)(GString *line, const CcCudaKernel *kernel);
  const CcCudaAlgorithm *next; /* launched after it, on the same passes and scratch; or NULL */
};

static inline guint
cc_cuda_divide_up(guint a, guint b) {
  return a / b + (a % b != 0);
}

/* The pass itself, or for one that filters nothing the plan's first that does, whose kernel it
 * takes; without any, the pass again. */
static inline const CcPass *
cc_cuda_leading_pass(const CcPlan *plan, const CcPass *pass) {
  for (guint i = 0; !pass->op && i < plan->n_passes; i++)
    if (plan->pass[i].op)
      return &plan->pass[i];
  return pass;
}

/* Gives a part `across` by `down` tiles. More than a launch can have count as G_MAXINT32, which
 * cc_cuda_step_set_sizes refuses. */
static inline void
cc_cuda_plane_job_set_tiles(CcPlaneJob *job, guint across, guint down) {
  job->tiles_across = (gint)MIN(across, G_MAXINT32);
  job->n_tiles = (gint)MIN((guint64)across * down, G_MAXINT32);
}

/* One for each row of CC_ALGORITHMS. */
#define CC_CUDA_ALGORITHM(constant, name, text, runs, automatic, host_code)                        \
  extern const CcCudaAlgorithm cc_cuda_##host_code;
CC_ALGORITHMS(CC_CUDA_ALGORITHM)
#undef CC_CUDA_ALGORITHM

G_END_DECLS
