/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A stand-in for libnvcuvid.so.1 that decodes nothing. GStreamer 1.22 offers cudaupload and
 * cudadownload only if there is a decoder or an encoder library. */

#include <cuda.h>

#define FUNCTIONS(F)                                                                               \
  F(cuvidCtxLockCreate)                                                                            \
  F(cuvidCtxLockDestroy)                                                                           \
  F(cuvidCtxLock)                                                                                  \
  F(cuvidCtxUnlock)                                                                                \
  F(cuvidCreateDecoder)                                                                            \
  F(cuvidDestroyDecoder)                                                                           \
  F(cuvidDecodePicture)                                                                            \
  F(cuvidCreateVideoParser)                                                                        \
  F(cuvidParseVideoData)                                                                           \
  F(cuvidDestroyVideoParser)                                                                       \
  F(cuvidMapVideoFrame64)                                                                          \
  F(cuvidUnmapVideoFrame64)                                                                        \
  F(cuvidGetDecoderCaps)

/* The functions ignore their arguments, so they need not declare them. */
#define DEFINE(name)                                                                               \
  __attribute__((visibility("default"))) CUresult name(void);                                      \
  CUresult name(void) {                                                                            \
    return CUDA_ERROR_NOT_SUPPORTED;                                                               \
  }
FUNCTIONS(DEFINE)
