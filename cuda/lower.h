/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The lowering: finds the launches that run a plan on a GPU. The launches depend only on the plan
 * and on the description of the GPU, so the GPU need not be present. */

#include "algorithm.h"
#include "step.h"

G_BEGIN_DECLS

/* A set of planes of the plan in scratch. For each region, the set contains only the pixels of the
 * region's rectangles, plane after plane. */
typedef struct {
  gboolean of_source; /* TRUE: planes of the source; FALSE: planes of the target */
  /* the stage that reads the planes, which determines their sample size; NULL: samples have the
   * same size as in the frame */
  const CcStage *reader;
} CcCudaSet;

typedef struct _CcCudaLowered CcCudaLowered;

struct _CcCudaLowered {
  /* The plan that runs. It is a copy of the plan that was lowered, with another layout of planes if
   * that is cheaper. Steps point into this copy. The ops and the data of the stages belong to the
   * plan that was lowered. */
  CcPlan plan;
  const CcCudaGpu *gpu;
  /* If passes compute all pixels although the plan has a stride, `decimation` is the stride, and
   * the interleave step keeps one pixel in decimation x decimation. Otherwise it is 1. */
  guint decimation;
  CcAlgorithm algorithm; /* algorithm of the plan's first op; never AUTO */
  CcRegion whole_region;
  CcPlacement whole; /* placement of whole_region */
  /* Offsets and pitches of the whole frame's planes in a source buffer and in a target buffer,
   * which have src_bytes and dst_bytes. Planes follow each other without the frame's own padding.
   * Offsets and pitches are multiples of 256. */
  CcCudaPlane src[CC_MAX_PLANES], dst[CC_MAX_PLANES];
  gsize src_bytes, dst_bytes;
  gsize scratch_bytes; /* scratch for the whole frame: planes, then scratch of algorithms */
  guint n_sets;        /* counts the frames too; their elements of `set` are unused */
  CcCudaSet set[CC_CUDA_MAX_SETS];
  GByteArray *taps; /* taps of all steps, for device memory; NULL after they were copied there */
  GPtrArray *lines; /* texts for CcProgram.steps, with a final NULL; NULL after the move there */
  /* the inner plan, lowered; or NULL; `step` has copies of its steps, and `taps` has its taps */
  CcCudaLowered *inner;
  guint n_steps;
  /* a pass and SUPPRESS have up to two steps */
  CcCudaStep step[2 * (2 * CC_MAX_PASSES * CC_MAX_REPEATS + CC_MAX_STAGES + 2)];
};

/* Works out the launches of a plan on a GPU. Plan and GPU must outlive the result.
 * CC_ERROR_INVALID: the plan's algorithm cannot run the plan, the frame has more tiles than a grid
 * can have, or a row in scratch is too long. */
CcCudaLowered *cc_cuda_lower(const CcPlan *plan, const CcCudaGpu *gpu, GError **error);

void cc_cuda_lowered_free(CcCudaLowered *lowered);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcCudaLowered, cc_cuda_lowered_free)

/* Returns where a region lies in the frame and in the planes that passes work on. For the whole
 * frame, returns self->whole. For other regions, fills in and returns `placement`. */
const CcPlacement *cc_cuda_place_region(const CcCudaLowered *self, const CcRegion *region,
                                        CcPlacement *placement);

/* The addresses of an inner plan. */
typedef struct {
  CcCudaAddresses addresses;
  CcPlacement placement;
} CcCudaInner;

/* Sets where the planes of a region lie in scratch. `addresses` has the placement and scratch. If
 * there is an inner plan, its addresses are then in `inner`. Returns the address after the planes,
 * where the scratch of algorithms begins. */
CUdeviceptr cc_cuda_place_scratch(const CcCudaLowered *self, CcCudaAddresses *addresses,
                                  CcCudaInner *inner);

/* Bytes of scratch that the launches of a region need. */
gsize cc_cuda_scratch_bytes(const CcCudaLowered *self, const CcPlacement *placement);

G_END_DECLS
