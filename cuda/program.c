/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program.h"

/* --- loading --- */

static gboolean
upload(const CcCudaDriver *cuda, CUdeviceptr to, const GByteArray *from, GError **error) {
  CUstream stream;
  if (!cc_cuda_check(cuda, cuda->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate",
                     error))
    return FALSE;
  const gboolean ok =
      cc_cuda_check(cuda, cuda->cuMemcpyHtoDAsync(to, from->data, from->len, stream),
                    "cuMemcpyHtoDAsync", error) &&
      cc_cuda_check(cuda, cuda->cuStreamSynchronize(stream), "cuStreamSynchronize", error);
  cuda->cuStreamDestroy(stream);
  return ok;
}

/* Turns offsets of taps into addresses. `base` is the address of the taps of all steps. */
static void
relocate_taps(CcCudaStep *step, CUdeviceptr base) {
  if (step->memory_taps)
    step->params.memory_taps += base;
  if (step->lines)
    step->params.lines += base;
}

static gboolean
load_taps(CcCudaProgram *self, GError **error) {
  const CcCudaDriver *cuda = self->device->cuda;
  CcCudaLowered *lowered = self->lowered;
  if (lowered->taps->len == 0)
    return TRUE;
  if (!cc_cuda_check(cuda, cuda->cuMemAlloc(&self->memory_taps, lowered->taps->len), "cuMemAlloc",
                     error))
    return FALSE;
  for (guint i = 0; i < lowered->n_steps; i++)
    relocate_taps(&lowered->step[i], self->memory_taps);
  const gboolean ok = upload(cuda, self->memory_taps, lowered->taps, error);
  g_clear_pointer(&lowered->taps, g_byte_array_unref);
  return ok;
}

CcCudaProgram *
cc_cuda_program_new(CcCudaDevice *device, const CcPlan *plan, GError **error) {
  CcCudaLowered *lowered = cc_cuda_lower(plan, &device->gpu, error);
  if (!lowered)
    return NULL;
  CcCudaProgram *self = g_new0(CcCudaProgram, 1);
  self->device = device;
  self->lowered = lowered;
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < lowered->n_steps; i++) {
    CcCudaStep *step = &lowered->step[i];
    step->function = cc_cuda_device_get_function(device, step->module, step->name, error);
    ok = step->function != NULL;
  }
  if (ok && load_taps(self, error))
    return self;
  cc_cuda_program_free(self);
  return NULL;
}

void
cc_cuda_program_free(CcCudaProgram *self) {
  if (!self)
    return;
  if (self->memory_taps) {
    const gboolean pushed = cc_cuda_device_push(self->device, NULL);
    self->device->cuda->cuMemFree(self->memory_taps);
    if (pushed)
      cc_cuda_device_pop(self->device);
  }
  cc_cuda_lowered_free(self->lowered);
  g_free(self);
}

/* --- launches --- */

static gboolean
launch_step(const CcCudaProgram *self, const CcCudaStep *step, CcLaunch *params, CUstream stream,
            GError **error) {
  const CcCudaDriver *cuda = self->device->cuda;
  const guint n_blocks = (guint)params->n_tiles;
  void *arguments[] = {params};
  if (!step->overlaps || !self->device->gpu.overlaps)
    return cc_cuda_check(cuda,
                         cuda->cuLaunchKernel(step->function, n_blocks, 1, 1, step->block[0],
                                              step->block[1], 1, step->shared_bytes, stream,
                                              arguments, NULL),
                         "cuLaunchKernel", error);
  CUlaunchAttribute overlap = {
      .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
      .value.programmaticStreamSerializationAllowed = 1,
  };
  const CUlaunchConfig config = {
      .gridDimX = n_blocks,
      .gridDimY = 1,
      .gridDimZ = 1,
      .blockDimX = step->block[0],
      .blockDimY = step->block[1],
      .blockDimZ = 1,
      .sharedMemBytes = step->shared_bytes,
      .hStream = stream,
      .attrs = &overlap,
      .numAttrs = 1,
  };
  return cc_cuda_check(cuda, cuda->cuLaunchKernelEx(&config, step->function, arguments, NULL),
                       "cuLaunchKernelEx", error);
}

gboolean
cc_cuda_program_launch(const CcCudaProgram *self, CcCudaAddresses *addresses, CUstream stream,
                       GError **error) {
  const CcCudaLowered *lowered = self->lowered;
  const gboolean is_whole = addresses->placement == &lowered->whole;
  CcCudaInner inner;
  const CUdeviceptr scratch = cc_cuda_place_scratch(lowered, addresses, &inner);
  for (guint i = 0; i < lowered->n_steps; i++) {
    const CcCudaStep *step = &lowered->step[i];
    const CcCudaAddresses *of_step = step->is_inner ? addresses->inner : addresses;
    CcLaunch params = step->params;
    params.scratch = scratch;
    if (!is_whole && !cc_cuda_step_set_sizes(step, &params, of_step->placement, error))
      return FALSE;
    if (params.n_tiles == 0) /* a field may have no rows */
      continue;
    step->set_addresses(&params, step, of_step);
    if (!launch_step(self, step, &params, stream, error))
      return FALSE;
  }
  return TRUE;
}

/* Turns offsets in the buffer at `address` into addresses. */
static void
place_planes(CcCudaPlane planes[CC_MAX_PLANES], const CcCudaPlane relative[CC_MAX_PLANES],
             CUdeviceptr address) {
  for (guint p = 0; p < CC_MAX_PLANES; p++)
    planes[p] = (CcCudaPlane){relative[p].offset + address, relative[p].pitch};
}

gsize
cc_cuda_program_whole_scratch_bytes(const CcCudaProgram *self) {
  return cc_cuda_align(self->lowered->scratch_bytes) + self->lowered->plan.result_bytes;
}

gboolean
cc_cuda_program_launch_whole(const CcCudaProgram *self, CUdeviceptr src, CUdeviceptr dst,
                             CUdeviceptr scratch, CUstream stream, GError **error) {
  CcCudaAddresses addresses = {.placement = &self->lowered->whole,
                               .scratch = scratch,
                               .results = scratch + cc_cuda_align(self->lowered->scratch_bytes)};
  place_planes(addresses.set[CC_CUDA_FRAME_SRC], self->lowered->src, src);
  place_planes(addresses.set[CC_CUDA_FRAME_DST], self->lowered->dst, dst);
  return cc_cuda_program_launch(self, &addresses, stream, error);
}
