/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The products of windows and taps on the tensor cores. */

#include "conv2d_tile.cuh"

/* The four sums of a lane. Lane 4g + t has the sums in columns 2t and 2t + 1 of row g of the
 * product, then the sums in the same columns of row g + 8. In conv2d, a row of the product belongs
 * to a window, and its 8 columns to 8 target bytes of that window. */
struct Products {
  int sum[4];
};

/* Returns `sums` plus the product of taps with 16 windows of 32 bytes, or with 16 windows of 16
 * bytes in two rows. */
static __device__ __forceinline__ Products
multiply_add(const Windows &windows, uint2 taps, const Products &sums) {
  Products to = sums;
  const unsigned right[2] = {taps.x, taps.y};
  add_product<false, true>(to.sum, windows.word, right);
  return to;
}

/* Returns `sums` plus the product of taps with 16 windows of 16 bytes in one row, row `row` of
 * `windows`. */
static __device__ __forceinline__ Products
multiply_add_row(const Windows &windows, int row, unsigned taps, const Products &sums) {
  Products to = sums;
  add_product<false, true>(to.sum, windows.word[2 * row], windows.word[2 * row + 1], taps);
  return to;
}
