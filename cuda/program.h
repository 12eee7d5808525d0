/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A plan as launches: which kernels run it, with which parameters and grids. */

#include "algorithm.h"
#include "cuda/driver/device.h"
#include "engine/run/backend.h"
#include "step.h"

G_BEGIN_DECLS

/* What kernels ask of the address and the pitch of a plane: how many bytes divide them. */
#define CC_CUDA_PLANE_ALIGNMENT 16

typedef struct {
  CcProgram base;
  const CcCudaGpu *gpu;  /* borrowed; that it is planned for */
  CcCudaDevice *device;  /* borrowed; NULL: the program is planned, and not loaded */
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
  GPtrArray *lines;        /* CcProgram.steps, until the backend takes them */
  GByteArray *taps;        /* of all steps that have such, until it is loaded */
  CUdeviceptr memory_taps; /* the same in the device's memory; 0 when there are none */
  guint n_steps;
  CcCudaStep step[2 * CC_MAX_PASSES + 3];
} CcCudaProgram;

/* Works out the launches of a plan on a GPU, which need not be here. CC_ERROR_INVALID when the
 * plan's algorithm cannot run it, or when the frame has more tiles than a grid can have. */
CcCudaProgram *cc_cuda_program_plan(const CcCudaGpu *gpu, const CcPlan *plan, GError **error);

/* The same, ready to be launched on a device. The device must be pushed. CC_ERROR_INVALID when the
 * plan's algorithm cannot run it, or when the frame has more tiles than a grid can have. */
CcCudaProgram *cc_cuda_program_new(CcCudaDevice *device, const CcPlan *plan, GError **error);

/* Frees the program, of which no launch may be under way, or does nothing with NULL. Any thread;
 * the device need not be pushed. */
void cc_cuda_program_free(CcCudaProgram *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcCudaProgram, cc_cuda_program_free)

/* Queues a frame's launches. `src` and `dst` hold device addresses; those and the pitches are
 * multiples of CC_CUDA_PLANE_ALIGNMENT. scratch has scratch_bytes. The device must be pushed. */
gboolean cc_cuda_program_launch_planes(const CcCudaProgram *self, const CcCudaDriver *cuda,
                                       const CcCudaPlane *src, const CcCudaPlane *dst,
                                       CUdeviceptr scratch, CUstream stream, GError **error);

/* Queues the launches for planes that lie in buffers at these addresses as self->src and self->dst
 * say; the buffers are aligned to 256 bytes and have src_bytes and dst_bytes. */
gboolean cc_cuda_program_launch(const CcCudaProgram *self, const CcCudaDriver *cuda,
                                CUdeviceptr src, CUdeviceptr dst, CUdeviceptr scratch,
                                CUstream stream, GError **error);

/* Sets `planes` to where those of `relative` lie in a buffer at `address`. */
void cc_cuda_place_planes(CcCudaPlane planes[CC_MAX_PLANES],
                          const CcCudaPlane relative[CC_MAX_PLANES], CUdeviceptr address);

G_END_DECLS
