/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The video formats of the element, for its caps, the tests and the benches. */

/* Which frames of a format GstCudaMemory can hold, depending on the version of GStreamer. GStreamer
 * aborts the process if GstCudaMemory does not support a format. */
typedef enum {
  CC_IN_CUDA_NEVER,
  CC_IN_CUDA_ANY,
  CC_IN_CUDA_ANY_1_24,   /* every frame since 1.24.0, no frame before */
  CC_IN_CUDA_ANY_1_24_4, /* every frame since 1.24.4, no frame before */
  /* Every frame since 1.24.4. Before 1.24.4, the last plane may begin in the middle of a row. If
   * GStreamer then maps the frame as system memory, data of this plane is lost. This affects odd
   * heights in 1.22, and even heights in 1.24.0 to 1.24.3. In 1.24.0 to 1.24.3 no frame is held,
   * because a domain must not hold odd heights only. */
  CC_IN_CUDA_PLANAR,
  /* Frames with an even height. With an odd height, the last row of chroma is outside of the memory
   * in late versions of 1.22 and in all versions from 1.24.0 to 1.28. */
  CC_IN_CUDA_EVEN,
} CcInCuda;

/* A row of CC_FORMATS is F(name as in caps, CcInCuda). CC_FORMAT_NAME can be passed as F. */
#define CC_FORMAT_NAME(name, in_cuda) #name,

/* The formats in order of preference, which is used if neighbours leave the format open. Cheaper
 * formats come first. Grey formats are an exception: GRAY8 comes after all color formats of 8 bits,
 * and GRAY16_LE after all color formats except ARGB64, because grey would lose the color. */
#define CC_FORMATS(F)                                                                              \
  F(I420, CC_IN_CUDA_PLANAR)                                                                       \
  F(NV12, CC_IN_CUDA_ANY)                                                                          \
  F(YV12, CC_IN_CUDA_PLANAR)                                                                       \
  F(NV21, CC_IN_CUDA_EVEN)                                                                         \
  F(Y42B, CC_IN_CUDA_ANY)                                                                          \
  F(NV16, CC_IN_CUDA_NEVER)                                                                        \
  F(YUY2, CC_IN_CUDA_ANY_1_24)                                                                     \
  F(UYVY, CC_IN_CUDA_ANY_1_24)                                                                     \
  F(YVYU, CC_IN_CUDA_NEVER)                                                                        \
  F(VYUY, CC_IN_CUDA_NEVER)                                                                        \
  F(Y444, CC_IN_CUDA_ANY)                                                                          \
  F(AYUV, CC_IN_CUDA_NEVER)                                                                        \
  F(GBR, CC_IN_CUDA_ANY)                                                                           \
  F(RGBP, CC_IN_CUDA_ANY)                                                                          \
  F(RGB, CC_IN_CUDA_ANY)                                                                           \
  F(BGR, CC_IN_CUDA_ANY)                                                                           \
  F(RGBx, CC_IN_CUDA_ANY)                                                                          \
  F(BGRx, CC_IN_CUDA_ANY)                                                                          \
  F(xRGB, CC_IN_CUDA_NEVER)                                                                        \
  F(xBGR, CC_IN_CUDA_NEVER)                                                                        \
  F(RGBA, CC_IN_CUDA_ANY)                                                                          \
  F(BGRA, CC_IN_CUDA_ANY)                                                                          \
  F(ARGB, CC_IN_CUDA_ANY)                                                                          \
  F(ABGR, CC_IN_CUDA_ANY)                                                                          \
  F(GRAY8, CC_IN_CUDA_NEVER)                                                                       \
  F(I420_10LE, CC_IN_CUDA_PLANAR)                                                                  \
  F(P010_10LE, CC_IN_CUDA_ANY)                                                                     \
  F(I420_12LE, CC_IN_CUDA_ANY_1_24_4)                                                              \
  F(P012_LE, CC_IN_CUDA_ANY_1_24)                                                                  \
  F(I422_10LE, CC_IN_CUDA_ANY)                                                                     \
  F(I422_12LE, CC_IN_CUDA_ANY)                                                                     \
  F(Y444_10LE, CC_IN_CUDA_ANY_1_24)                                                                \
  F(GBR_10LE, CC_IN_CUDA_ANY_1_24)                                                                 \
  F(Y444_12LE, CC_IN_CUDA_ANY_1_24)                                                                \
  F(GBR_12LE, CC_IN_CUDA_ANY_1_24)                                                                 \
  F(P016_LE, CC_IN_CUDA_ANY)                                                                       \
  F(Y444_16LE, CC_IN_CUDA_ANY)                                                                     \
  F(GRAY16_LE, CC_IN_CUDA_NEVER)                                                                   \
  F(ARGB64, CC_IN_CUDA_NEVER)
