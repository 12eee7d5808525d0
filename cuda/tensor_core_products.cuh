/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the kernels on the tensor cores make of windows. */

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
