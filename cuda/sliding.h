/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The tensor core kernels of `sliding`: their names, tiles and tables, for host and device. */

/* A tile is a warp's: 128 bytes of CC_SLIDING_ROWS target rows. A block has WARPS of them. */
#define CC_SLIDING_WARPS 4
#define CC_SLIDING_TILE_BYTES 128
#define CC_SLIDING_ROWS(k) ((k) == 16 ? 16 : 8)
#define CC_SLIDING_MAX_LOADS 22 /* source rows of a tile: 16 + 7 - 1 or 8 + 15 - 1 */

/* A window is K bytes, 16 or 32, of which 8 in the middle become target bytes. REACH are left of
 * those; as many right of them may be read. */
#define CC_SLIDING_WINDOW 8
#define CC_SLIDING_REACH(k) ((k) / 4)

/* A row of taps as a matrix of K x 8 signed bytes, as the tensor cores take it: K/4 bytes for each
 * lane of a warp. The rows are in the order matrix, digit, row of the window. */
#define CC_SLIDING_FRAGMENT_BYTES(k) (32 * (k) / 4)

/* Taps beyond a signed byte are two digits, low + CC_SLIDING_DIGIT * high. */
#define CC_SLIDING_DIGIT 128

/* The last steps, the fastest first. */
typedef enum {
  CC_SLIDING_FINISH_scale,
  CC_SLIDING_FINISH_scaleabs,
  CC_SLIDING_FINISH_root,
  CC_SLIDING_FINISH_clamp,
  CC_SLIDING_FINISH_float,
  CC_SLIDING_FINISH_double,
  CC_SLIDING_N_FINISHES,
} CcSlidingFinish;

/* F(bytes of a sample, K, digits of a tap, matrices, rows of the window, last step). How a part's
 * sums S become code values:
 *   scale   ((S * factor + addend) >> down), saturated to a byte; of two matrices |S0| + |S1|
 *   scaleabs  the same of |S|
 *   root    the root of S0^2 + S1^2, approximate, times mul, to the nearest, saturated to a byte
 *   clamp   (S + start) >> down within lo..hi
 *   float, double   as engine/plan.h says */
#define CC_SLIDING_KERNELS(F)                                                                      \
  F(1, 16, 1, 1, 3, scale)                                                                         \
  F(1, 16, 1, 1, 3, scaleabs)                                                                      \
  F(1, 16, 1, 1, 3, float)                                                                         \
  F(1, 16, 1, 2, 3, scale)                                                                         \
  F(1, 16, 1, 2, 3, root)                                                                          \
  F(1, 16, 1, 2, 3, float)                                                                         \
  F(1, 16, 1, 1, 5, scale)                                                                         \
  F(1, 16, 1, 1, 5, float)                                                                         \
  F(1, 16, 1, 2, 5, float)                                                                         \
  F(1, 16, 1, 1, 7, scale)                                                                         \
  F(1, 16, 1, 1, 7, float)                                                                         \
  F(1, 16, 1, 2, 7, float)                                                                         \
  F(1, 16, 2, 1, 5, float)                                                                         \
  F(1, 16, 2, 1, 7, scale)                                                                         \
  F(1, 16, 2, 1, 7, float)                                                                         \
  F(1, 32, 1, 1, 5, scale)                                                                         \
  F(1, 32, 1, 1, 5, float)                                                                         \
  F(1, 32, 1, 2, 5, float)                                                                         \
  F(1, 32, 1, 1, 15, scale)                                                                        \
  F(1, 32, 1, 1, 15, float)                                                                        \
  F(1, 32, 2, 1, 15, float)                                                                        \
  F(2, 16, 1, 1, 3, clamp)                                                                         \
  F(2, 16, 1, 1, 3, float)                                                                         \
  F(2, 16, 1, 1, 3, double)                                                                        \
  F(2, 16, 1, 2, 3, float)                                                                         \
  F(2, 16, 1, 2, 3, double)                                                                        \
  F(2, 16, 1, 1, 5, clamp)                                                                         \
  F(2, 16, 1, 1, 5, float)                                                                         \
  F(2, 16, 1, 1, 5, double)                                                                        \
  F(2, 16, 1, 2, 5, double)                                                                        \
  F(2, 32, 1, 1, 5, clamp)                                                                         \
  F(2, 32, 1, 1, 5, float)                                                                         \
  F(2, 32, 1, 1, 5, double)                                                                        \
  F(2, 32, 1, 2, 5, float)                                                                         \
  F(2, 32, 1, 2, 5, double)                                                                        \
  F(2, 32, 2, 1, 7, double)

#define CC_SLIDING_NAME(bytes, k, digits, matrices, height, finish)                                \
  "cc_sliding_u" #bytes "_k" #k "_d" #digits "_m" #matrices "_h" #height "_" #finish
