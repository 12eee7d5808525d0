/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A lowered plan, loaded on a device and launched there. */

#include "engine/run/backend.h"
#include "lower.h"

G_BEGIN_DECLS

/* What kernels ask of the address and the pitch of a plane: how many bytes divide them. */
#define CC_CUDA_PLANE_ALIGNMENT 16

typedef struct {
  CcProgram base;
  CcCudaDevice *device;    /* borrowed */
  CcCudaLowered *lowered;  /* owned; its steps have their functions and the addresses of taps */
  CUdeviceptr memory_taps; /* the taps of all steps in the device's memory; 0: there are none */
} CcCudaProgram;

/* Makes a plan ready to be launched on a device, which must be pushed. CC_ERROR_INVALID is as
 * cc_cuda_lower says. */
CcCudaProgram *cc_cuda_program_new(CcCudaDevice *device, const CcPlan *plan, GError **error);

/* Frees the program, of which no launch may be under way, or does nothing with NULL. Any thread;
 * the device need not be pushed. */
void cc_cuda_program_free(CcCudaProgram *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcCudaProgram, cc_cuda_program_free)

/* Queues the launches of a region. `places` has where it lies, the planes of both frames, scratch
 * and results; addresses and pitches are multiples of CC_CUDA_PLANE_ALIGNMENT. The other sets are
 * set here. The device must be pushed. */
gboolean cc_cuda_program_launch(const CcCudaProgram *self, CcCudaAddresses *addresses,
                                CUstream stream, GError **error);

/* Queues the launches of a whole frame, whose planes lie in buffers at these addresses as `src` and
 * `dst` of self->lowered say; the buffers are aligned to 256 bytes and have src_bytes and
 * dst_bytes. No stage has results. */
gboolean cc_cuda_program_launch_whole(const CcCudaProgram *self, CUdeviceptr src, CUdeviceptr dst,
                                      CUdeviceptr scratch, CUstream stream, GError **error);

G_END_DECLS
