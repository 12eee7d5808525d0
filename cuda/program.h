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
  /* owned; has the functions of its steps and the device addresses of taps */
  CcCudaLowered *lowered;
  CUdeviceptr memory_taps; /* the taps of all steps in device memory; 0: there are none */
} CcCudaProgram;

/* Loads a plan on a device, which must be pushed. CC_ERROR_INVALID: see cc_cuda_lower. */
CcCudaProgram *cc_cuda_program_new(CcCudaDevice *device, const CcPlan *plan, GError **error);

/* Frees the program. None of its launches may be running. Does nothing with NULL. Any thread; the
 * device need not be pushed. */
void cc_cuda_program_free(CcCudaProgram *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcCudaProgram, cc_cuda_program_free)

/* Queues the launches of a region. `addresses` has the placement, the planes of both frames,
 * scratch and results; this function sets the other sets of planes. Addresses and pitches are
 * multiples of CC_CUDA_PLANE_ALIGNMENT. The device must be pushed. */
gboolean cc_cuda_program_launch(const CcCudaProgram *self, CcCudaAddresses *addresses,
                                CUstream stream, GError **error);

/* Queues the launches of a whole frame. Its planes lie in buffers at `src` and `dst`, with the
 * offsets in self->lowered. The buffers are aligned to 256 bytes and have src_bytes and dst_bytes.
 * No stage of the plan has results. */
gboolean cc_cuda_program_launch_whole(const CcCudaProgram *self, CUdeviceptr src, CUdeviceptr dst,
                                      CUdeviceptr scratch, CUstream stream, GError **error);

G_END_DECLS
