/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The launch configuration of an algorithm: which of its CUDA kernels runs a pass, and how targets
 * are divided into tiles. Passes with the same CUDA kernel and equal taps become plane jobs of one
 * launch. */

#include "cuda/driver/device.h"
#include "engine/plan/plan.h"
#include "algorithm.h"
#include "launch.h"

G_BEGIN_DECLS

typedef struct {
  CcCudaModule module;
  gchar name[64];     /* name of the entry point */
  guint block[2];     /* threads of a block, across and down */
  guint shared_bytes; /* dynamic shared memory of a block */
  gboolean integer;   /* TRUE: taps are CcTap.i; FALSE: CcTap.f */
  gboolean overlaps;  /* the kernel itself waits for the end of the previous launch, so it may start
                         while the previous launch runs */
  /* the convolution kernel is padded with zero taps to side x side; 0: it keeps the size of the
   * op */
  guint side;
  guint cost; /* tensor-core products per 256 target bytes of filtered components; 0: the kernel
                 does not use tensor cores, and costs are not compared */
  guint grey_cost; /* cost of the conversion to grey, in the same unit; 0: no conversion, or its
                      cost is not counted */
  CcPrivate priv;
} CcCudaKernel;

typedef struct _CcCudaAlgorithm CcCudaAlgorithm;

struct _CcCudaAlgorithm {
  /* Chooses the CUDA kernel for a pass. If the pass has an op, the algorithm can run that op.
   * FALSE: the algorithm has no CUDA kernel for these samples, these sums or this stride. */
  gboolean (*choose)(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel);
  /* Sets tiles_across and n_tiles of all plane jobs, and the private data. If the algorithm needs
   * scratch, also sets scratch_bytes, which is 0 before the call. Addresses, pitches, first_tile
   * and launch->n_tiles are not set before the call. All other members of `launch` are. pass[i] is
   * the pass of plane job i, and kernel[i] the CUDA kernel chosen for it. The CUDA kernels differ
   * only in `priv` and in the costs. Values that an earlier call set for other sizes are
   * overwritten. */
  void (*set_tiles)(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaGpu *gpu,
                    const CcPass *const *pass);
  /* Makes the data that memory_taps of the launch will point to. Addresses and pitches are not set
   * before the call. All other members of the launch are. If the function or its result is NULL,
   * there is no such data. */
  GBytes *(*make_taps)(const CcLaunch *launch, const CcCudaKernel *kernel,
                       const CcPass *const *pass);
  /* Appends a text for people with details about a CUDA kernel. NULL: there are none. */
  void (*explain)(GString *line, const CcCudaKernel *kernel);
  /* the algorithm that is launched after this one, on the same passes and scratch; or NULL */
  const CcCudaAlgorithm *next;
};

static inline guint
cc_cuda_divide_up(guint a, guint b) {
  return a / b + (a % b != 0);
}

/* If `pass` only copies or fills, returns the first pass of the plan that filters, because `pass`
 * can use the same CUDA kernel. Otherwise, or if no pass filters, returns `pass`. */
static inline const CcPass *
cc_cuda_leading_pass(const CcPlan *plan, const CcPass *pass) {
  for (guint i = 0; !pass->op && i < plan->n_passes; i++)
    if (plan->pass[i].op)
      return &plan->pass[i];
  return pass;
}

/* Gives a plane job `across` by `down` tiles. Numbers above G_MAXINT32 are clamped to G_MAXINT32.
 * cc_cuda_step_set_sizes then refuses the launch. */
static inline void
cc_cuda_plane_job_set_tiles(CcPlaneJob *job, guint across, guint down) {
  job->tiles_across = (gint)MIN(across, G_MAXINT32);
  job->n_tiles = (gint)MIN((guint64)across * down, G_MAXINT32);
}

/* One CcCudaAlgorithm for each row of CC_ALGORITHMS. */
#define CC_CUDA_ALGORITHM(constant, name, text, runs, automatic, host_code)                        \
  extern const CcCudaAlgorithm cc_cuda_##host_code;
CC_ALGORITHMS(CC_CUDA_ALGORITHM)
#undef CC_CUDA_ALGORITHM

G_END_DECLS
