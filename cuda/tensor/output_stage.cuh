/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Functions that several output stages of the tensor-core kernels share. */

#include "cuda/instructions.cuh"

/* Returns the root of n = x^2 + y^2, rounded to nearest. If the rounded root is above 65535,
 * returns any value of at least 65536. n is below 2^60. For roots up to 65535 the error of the
 * float is below 0.1, so the nearest integer is r, the float rounded down, or r + 1. It is r + 1 if
 * n > (r + 1/2)^2, which means n - r^2 > r. */
static __device__ __forceinline__ int
root_word(int x, int y) {
  const float fx = (float)x, fy = (float)y;
  const int r = __float2int_rz(approximate_root(__fmaf_rn(fx, fx, __fmul_rn(fy, fy))));
  const int below = r * r + r - (x * x + y * y); /* modulo 2^32; the result fits */
  return r - (below >> 31);
}
