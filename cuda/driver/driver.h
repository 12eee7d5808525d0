/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The CUDA driver, opened at run time. Nothing links against libcuda, so the plugin loads on
 * machines without it. */

#include <cuda.h>
#include <glib.h>

G_BEGIN_DECLS

/* Functions that a driver must have. */
#define CC_CUDA_FUNCTIONS(F)                                                                       \
  F(cuInit)                                                                                        \
  F(cuDriverGetVersion)                                                                            \
  F(cuGetErrorName)                                                                                \
  F(cuGetErrorString)                                                                              \
  F(cuDeviceGetCount)                                                                              \
  F(cuDeviceGet)                                                                                   \
  F(cuDeviceGetName)                                                                               \
  F(cuDeviceGetAttribute)                                                                          \
  F(cuDevicePrimaryCtxRetain)                                                                      \
  F(cuDevicePrimaryCtxRelease)                                                                     \
  F(cuCtxPushCurrent)                                                                              \
  F(cuCtxPopCurrent)                                                                               \
  F(cuModuleLoadData)                                                                              \
  F(cuModuleUnload)                                                                                \
  F(cuModuleGetFunction)                                                                           \
  F(cuStreamCreate)                                                                                \
  F(cuStreamDestroy)                                                                               \
  F(cuStreamSynchronize)                                                                           \
  F(cuStreamWaitEvent)                                                                             \
  F(cuEventCreate)                                                                                 \
  F(cuEventDestroy)                                                                                \
  F(cuEventRecord)                                                                                 \
  F(cuEventQuery)                                                                                  \
  F(cuEventSynchronize)                                                                            \
  F(cuEventElapsedTime)                                                                            \
  F(cuMemAlloc)                                                                                    \
  F(cuMemFree)                                                                                     \
  F(cuMemHostAlloc)                                                                                \
  F(cuMemFreeHost)                                                                                 \
  F(cuMemHostRegister)                                                                             \
  F(cuMemHostUnregister)                                                                           \
  F(cuMemcpyHtoDAsync)                                                                             \
  F(cuMemcpyDtoHAsync)                                                                             \
  F(cuMemcpyDtoDAsync)                                                                             \
  F(cuMemcpy2DAsync)                                                                               \
  F(cuMemsetD8Async)                                                                               \
  F(cuLaunchKernel)

/* Functions that a driver may lack. */
#define CC_CUDA_OPTIONAL_FUNCTIONS(F)                                                              \
  F(cuDeviceGetPCIBusId)                                                                           \
  F(cuLaunchKernelEx)                                                                              \
  F(cuMemGetInfo)

/* One pointer per function, under the function's name: cuda->cuInit(0). */
typedef struct {
#define CC_CUDA_MEMBER(name) __typeof__(name) *name;
  CC_CUDA_FUNCTIONS(CC_CUDA_MEMBER)
  CC_CUDA_OPTIONAL_FUNCTIONS(CC_CUDA_MEMBER) /* NULL: the driver lacks it */
#undef CC_CUDA_MEMBER
} CcCudaDriver;

/* The first call that succeeds opens and initialises the driver, which is never closed. The message
 * of CC_ERROR_UNAVAILABLE names the failure: no libcuda.so.1, a missing function, a failed cuInit,
 * or a driver older than the toolkit of this build. Any thread. */
const CcCudaDriver *cc_cuda_driver(GError **error);

/* TRUE for CUDA_SUCCESS. Otherwise sets `error` to CC_ERROR_NO_MEMORY or CC_ERROR_DEVICE, with the
 * name of the call and the driver's description of the result. */
gboolean cc_cuda_check(const CcCudaDriver *cuda, CUresult result, const gchar *call,
                       GError **error);

G_END_DECLS
