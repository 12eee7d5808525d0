/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the kernels on the tensor cores make of windows: sums, and the last steps that several of
 * them have. */

#include "tensor_core_tile.cuh"

/* --- matrix products --- */

/* A lane's sums for 8 target bytes of each window: of lane 4g + t, columns 2t and 2t + 1 of window
 * g, then of window g + 8. */
struct Products {
  int sum[4];
};

/* `sums` + the product of 16 windows of 32 bytes, or of twice 16 bytes, with taps. */
static __device__ __forceinline__ Products
multiply_add(const Windows &windows, uint2 taps, const Products &sums) {
  Products to;
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%11,%12,%13};"
      : "=r"(to.sum[0]), "=r"(to.sum[1]), "=r"(to.sum[2]), "=r"(to.sum[3])
      : "r"(windows.word[0]), "r"(windows.word[1]), "r"(windows.word[2]), "r"(windows.word[3]),
        "r"(taps.x), "r"(taps.y), "r"(sums.sum[0]), "r"(sums.sum[1]), "r"(sums.sum[2]),
        "r"(sums.sum[3]));
#else
  /* Turing multiplies 8 windows of 16 bytes at a time */
  to = sums;
#pragma unroll
  for (int i = 0; i < 4; i++)
    asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+r"(to.sum[2 * (i & 1)]), "+r"(to.sum[2 * (i & 1) + 1])
        : "r"(windows.word[i]), "r"(i < 2 ? taps.x : taps.y));
#endif
  return to;
}

/* Multiplies and adds in the same way 16 windows of 16 bytes in row `row` of `windows`. */
static __device__ __forceinline__ Products
multiply_add_row(const Windows &windows, int row, unsigned taps, const Products &sums) {
  Products to;
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%7,%8,%9,%10};"
      : "=r"(to.sum[0]), "=r"(to.sum[1]), "=r"(to.sum[2]), "=r"(to.sum[3])
      : "r"(windows.word[2 * row]), "r"(windows.word[2 * row + 1]), "r"(taps), "r"(sums.sum[0]),
        "r"(sums.sum[1]), "r"(sums.sum[2]), "r"(sums.sum[3]));
#else
  to = sums;
#pragma unroll
  for (int i = 0; i < 2; i++)
    asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+r"(to.sum[2 * i]), "+r"(to.sum[2 * i + 1])
        : "r"(windows.word[2 * row + i]), "r"(taps));
#endif
  return to;
}

/* --- last steps --- */

/* Two numbers as bytes, saturated, the first in the lower one; above them the low half of `rest`.
 */
static __device__ __forceinline__ unsigned
saturate_bytes(int low, int high, unsigned rest) {
  unsigned bytes;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(high), "r"(low), "r"(rest));
  return bytes;
}

/* The root of n = x^2 + y^2, of which both are below 2^23, to the nearest, when that is at most
 * 65535; else at least 65536. Up to there the float is wrong by less than 0.1, so the nearest is r,
 * the integer below the float, or the next: that when n > (r + 1/2)^2, or n - r^2 > r. */
static __device__ __forceinline__ int
root_word(int x, int y) {
  const float fx = (float)x, fy = (float)y;
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(__fmaf_rn(fx, fx, __fmul_rn(fy, fy))));
  const int r = __float2int_rz(root);
  const int below = r * r + r - (x * x + y * y); /* modulo 2^32, of which it needs few bits */
  return r - (below >> 31);
}
