/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the kernels on the tensor cores make of windows. */

#include "conv2d_tile.cuh"

/* --- matrix products --- */

/* Four sums of a lane: of lane 4g + t columns 2t and 2t + 1 of row g of the product, and then of
 * row g + 8. In one stage rows are windows, and columns 8 target bytes of each. */
struct Products {
  int sum[4];
};

/* `sums` + the product of 16 windows of 32 bytes, or of twice 16 bytes, with taps. */
static __device__ __forceinline__ Products
multiply_add(const Windows &windows, uint2 taps, const Products &sums) {
  Products to = sums;
  const unsigned right[2] = {taps.x, taps.y};
  add_product<false, true>(to.sum, windows.word, right);
  return to;
}

/* Multiplies and adds in the same way 16 windows of 16 bytes in row `row` of `windows`. */
static __device__ __forceinline__ Products
multiply_add_row(const Windows &windows, int row, unsigned taps, const Products &sums) {
  Products to = sums;
  add_product<false, true>(to.sum, windows.word[2 * row], windows.word[2 * row + 1], taps);
  return to;
}
