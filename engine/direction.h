/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The direction of a gradient, for C and CUDA alike: only operations that IEEE 754 rounds in one
 * way, in one order, so that both give the same bits. */

#include <math.h>

#ifdef __CUDACC__
#define CC_SHARED static __device__ __forceinline__
#else
#define CC_SHARED static inline
#endif

/* atan2(y, x) in turns, 0 <= t <= 1 (1 is the full turn, the same as 0); 0 for x = y = 0. The
 * polynomial is a least-maximum fit of atan(q) / 2 pi on 0..1, wrong by less than 2e-8 turns. */
CC_SHARED float
cc_direction(float x, float y) {
  const float ax = fabsf(x), ay = fabsf(y);
  const float larger = ax > ay ? ax : ay, smaller = ax > ay ? ay : ax;
  if (larger == 0)
    return 0;
#ifdef __CUDACC__
  const float q = __fdiv_rn(smaller, larger), q2 = __fmul_rn(q, q);
#else
  const float q = smaller / larger, q2 = q * q;
#endif
  float p = 0x1.99fe38p-12f;
  p = fmaf(p, q2, -0x1.2c6c58p-9f);
  p = fmaf(p, q2, 0x1.9eeee6p-8f);
  p = fmaf(p, q2, -0x1.794fbep-7f);
  p = fmaf(p, q2, 0x1.11c51cp-6f);
  p = fmaf(p, q2, -0x1.714478p-6f);
  p = fmaf(p, q2, 0x1.049362p-5f);
  p = fmaf(p, q2, -0x1.b296eap-5f);
  p = fmaf(p, q2, 0x1.45f304p-3f);
#ifdef __CUDACC__
  float t = __fmul_rn(p, q);
#else
  float t = p * q;
#endif
  t = ay > ax ? 0.25f - t : t;
  t = x < 0 ? 0.5f - t : t;
  return y < 0 ? 1.0f - t : t;
}
