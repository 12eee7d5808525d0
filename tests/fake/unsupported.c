/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions that GStreamer's library looks up when it opens the driver but that no test uses:
 * graphics, textures and memory shared between processes. The names are those in the library. */

#include "fake.h"

#define UNSUPPORTED_FUNCTIONS(F)                                                                   \
  F(cuGraphicsMapResources)                                                                        \
  F(cuGraphicsUnmapResources)                                                                      \
  F(cuGraphicsUnregisterResource)                                                                  \
  F(cuGraphicsResourceSetMapFlags_v2)                                                              \
  F(cuGraphicsSubResourceGetMappedArray)                                                           \
  F(cuGraphicsResourceGetMappedPointer_v2)                                                         \
  F(cuGraphicsGLRegisterImage)                                                                     \
  F(cuGraphicsGLRegisterBuffer)                                                                    \
  F(cuGLGetDevices_v2)                                                                             \
  F(cuTexObjectCreate)                                                                             \
  F(cuTexObjectDestroy)                                                                            \
  F(cuIpcGetEventHandle)                                                                           \
  F(cuIpcOpenEventHandle)                                                                          \
  F(cuIpcGetMemHandle)                                                                             \
  F(cuIpcOpenMemHandle)                                                                            \
  F(cuIpcCloseMemHandle)                                                                           \
  F(cuCtxGetLimit)                                                                                 \
  F(cuCtxSetLimit)                                                                                 \
  F(cuMemsetD2D8_v2)                                                                               \
  F(cuMemsetD2D8Async)                                                                             \
  F(cuMemsetD2D16_v2)                                                                              \
  F(cuMemsetD2D16Async)                                                                            \
  F(cuMemsetD2D32_v2)                                                                              \
  F(cuMemsetD2D32Async)

/* The functions ignore their arguments, so they need not declare them. */
#define DEFINE(name)                                                                               \
  EXPORT CUresult unsupported_##name(void) __asm__(#name);                                         \
  CUresult unsupported_##name(void) {                                                              \
    ENTER(#name);                                                                                  \
    return CUDA_ERROR_NOT_SUPPORTED;                                                               \
  }
UNSUPPORTED_FUNCTIONS(DEFINE)
