/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The kernels of `sliding` in registers, for what those of tensor_core_kernels.h cannot do: their
 * names, tiles and parameters, for host and device. */

#include "launch.h"

/* What these kernels alone know of a part. */
typedef struct {
  int32_t tile_rows; /* target rows of a tile */
} CcRegisterWindowPart;
CC_OWN_FITS(CcRegisterWindowPart);

/* A tile is so many consecutive samples (not pixels) of tile_rows target rows. A warp works on
 * one, a block of 32 x WARPS threads on WARPS neighbours in the list. */
#define CC_REGISTER_WINDOW_TILE_WIDTH 128
#define CC_REGISTER_WINDOW_WARPS 4

#define CC_REGISTER_WINDOW_MAX_STEP 4
#define CC_REGISTER_WINDOW_MAX_STRIDE 4

/* F(sums, side, shape, matrices). Sums are f32 (float) or i32 (int, with taps in CcTap.i); the
 * window is padded with zero taps to side x side; shape is sep for separable ones (rows and columns
 * are read) and full for others (taps are read). For each there are two kernels,
 *   cc_register_window_f32_5_sep_m1           a stride of 1
 *   cc_register_window_f32_5_sep_m1_strided   a stride of 1, 2 or 4
 * and each runs any sample type, step, border, response and masks, which may differ between the
 * parts of a launch. */
#define CC_REGISTER_WINDOW_SHAPES(F, sums)                                                         \
  F(sums, 3, sep, 1)                                                                               \
  F(sums, 5, sep, 1)                                                                               \
  F(sums, 7, sep, 1)                                                                               \
  F(sums, 11, sep, 1)                                                                              \
  F(sums, 15, sep, 1)                                                                              \
  F(sums, 3, sep, 2)                                                                               \
  F(sums, 5, sep, 2)                                                                               \
  F(sums, 7, sep, 2)                                                                               \
  F(sums, 11, sep, 2)                                                                              \
  F(sums, 15, sep, 2)                                                                              \
  F(sums, 3, full, 1)                                                                              \
  F(sums, 5, full, 1)

#define CC_REGISTER_WINDOW_KERNELS(F)                                                              \
  CC_REGISTER_WINDOW_SHAPES(F, f32)                                                                \
  CC_REGISTER_WINDOW_SHAPES(F, i32)

/* How many target rows a tile should have. A tile reads stride * (rows - 1) + side source rows, so
 * few rows mean that most are read and filtered more than once; many rows mean that there are too
 * few tiles to keep the device busy, or that it waits for the last of them. `tile_columns` is the
 * sum over all parts of their tiles across times their target rows; `side` counts in source rows,
 * so a stride divides it. */
static inline int
cc_register_window_tile_rows(long long tile_columns, int side, int stride, int multiprocessors) {
  const int least = (4 * side + stride - 1) / stride, most = 2 * least > 32 ? 2 * least : 32;
  const long long rows = tile_columns / (64LL * multiprocessors); /* warps for about three rounds */
  return rows < least ? least : rows > most ? most : (int)rows;
}
