/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A lowered plan, loaded on a device and launched there. */

#include "engine/run/backend.h"
#include "lower.h"

G_BEGIN_DECLS

/* Kernels require that addresses and pitches of planes are multiples of this. */
#define CC_CUDA_PLANE_ALIGNMENT 16

typedef struct {
  CcProgram base;
  CcCudaDevice *device; /* borrowed */
  /* owned; its steps have their functions and the device addresses of their taps */
  CcCudaLowered *lowered;
  CUdeviceptr memory_taps; /* device address of the taps of all steps; 0: no step has taps there */
} CcCudaProgram;

/* Loads a plan on a device, which must be pushed. CC_ERROR_INVALID: see cc_cuda_lower. */
CcCudaProgram *cc_cuda_program_new(CcCudaDevice *device, const CcPlan *plan, GError **error);

/* None of the program's launches may be running. Does nothing with NULL. Any thread; the device
 * need not be pushed. */
void cc_cuda_program_free(CcCudaProgram *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcCudaProgram, cc_cuda_program_free)

/* Queues the launches of a region. `addresses` must have the placement, the planes of both frames,
 * scratch and results. This function sets the planes in scratch. Addresses and pitches must be
 * multiples of CC_CUDA_PLANE_ALIGNMENT. The device must be pushed. */
gboolean cc_cuda_program_launch(const CcCudaProgram *self, CcCudaAddresses *addresses,
                                CUstream stream, GError **error);

/* Bytes of scratch memory for a whole frame and for the results of its plan. */
gsize cc_cuda_program_whole_scratch_bytes(const CcCudaProgram *self);

/* Queues the launches of a whole frame. The planes lie in buffers at the addresses `src` and `dst`,
 * at the offsets in self->lowered. The buffers must be aligned to 256 bytes. Their sizes are
 * self->lowered->src_bytes and dst_bytes. Scratch has cc_cuda_program_whole_scratch_bytes. The
 * stages add to the results of the plan, which nobody reads. */
gboolean cc_cuda_program_launch_whole(const CcCudaProgram *self, CUdeviceptr src, CUdeviceptr dst,
                                      CUdeviceptr scratch, CUstream stream, GError **error);

G_END_DECLS
