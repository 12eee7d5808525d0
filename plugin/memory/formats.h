/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The video formats of the element, for its caps, the tests and the benches. */

/* Which frames of a format GstCudaMemory can hold, by the version of GStreamer. GStreamer aborts
 * the process for a format that it does not support. */
typedef enum {
  CC_IN_CUDA_NEVER,
  CC_IN_CUDA_ANY,
  CC_IN_CUDA_ANY_1_24,   /* all from 1.24.0 on, none before */
  CC_IN_CUDA_ANY_1_24_4, /* all from 1.24.4 on, none before */
  /* All from 1.24.4 on. Before that the last plane may begin in the middle of a row, and a
   * GStreamer map as system memory loses data there: in 1.22 with an odd height, in 1.24.0 to
   * 1.24.3 with an even one. */
  CC_IN_CUDA_PLANAR,
  /* Frames with an even height. With an odd height the last row of chroma is outside of the memory,
   * in late versions of 1.22 and in all from 1.24.0 to 1.28. */
  CC_IN_CUDA_EVEN,
} CcInCuda;

/* A row is F(name as in caps, CcInCuda); the macro F expands a row. This F makes the names. */
#define CC_FORMAT_NAME(name, in_cuda) #name,

/* The order is the preference if neighbours leave the format open: cheapest first, but formats with
 * color before grey, which would lose it. */
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
