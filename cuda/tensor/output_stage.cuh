/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What several last steps of the kernels on the tensor cores are made of. */

#include "cuda/instructions.cuh"

/* The root of n = x^2 + y^2, which is below 2^60, to the nearest, when that is at most 65535; else
 * at least 65536. Up to there the float is wrong by less than 0.1, so the nearest is r, the integer
 * below the float, or the next: that when n > (r + 1/2)^2, or n - r^2 > r. */
static __device__ __forceinline__ int
root_word(int x, int y) {
  const float fx = (float)x, fy = (float)y;
  const int r = __float2int_rz(approximate_root(__fmaf_rn(fx, fx, __fmul_rn(fy, fy))));
  const int below = r * r + r - (x * x + y * y); /* modulo 2^32, of which it needs few bits */
  return r - (below >> 31);
}
