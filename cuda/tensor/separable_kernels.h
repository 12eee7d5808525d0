/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The kernels of `sliding` that make a separable window in two stages on the tensor cores: their
 * names, tiles, tables and parameters, for host and device. What only they know of a part is
 * CcTensorCoreJob, of which `tall_rows` is the rows of a tile here, and `down` the steps along a
 * row. */

#include "conv2d_kernels.h"

/* A tile is a block's: as many target rows as its part says, a multiple of BLOCK_ROWS. They are
 * made BLOCK_ROWS at a time, from `blocks` blocks of as many source rows: a window may reach
 * REACH_DOWN rows up and down. */
#define CC_TENSOR_SEPARABLE_WARPS 4
#define CC_TENSOR_SEPARABLE_BLOCK_ROWS 16
#define CC_TENSOR_SEPARABLE_RADIUS_Y(blocks) (8 * ((blocks)-1))

/* A warp makes bytes of a row in pairs of 2 x CENTRE, which lie side by side when it makes one of
 * them; of two pairs the first has the first and third CENTRE. For CENTRE bytes it reads them and
 * the bytes around them in steps of 32 bytes: a window may reach REACH_ACROSS bytes to each side.
 */
#define CC_TENSOR_SEPARABLE_CENTRE 16
#define CC_TENSOR_SEPARABLE_RADIUS_X(steps) (16 * (steps)-8)
#define CC_TENSOR_SEPARABLE_TILE_BYTES(pairs)                                                      \
  (CC_TENSOR_SEPARABLE_WARPS * 2 * CC_TENSOR_SEPARABLE_CENTRE * (pairs))

/* The most steps: what shared memory is made for, in small kernels and in large ones. */
#define CC_TENSOR_SEPARABLE_MAX_STEPS(blocks) ((blocks) <= 3 ? 4 : (blocks) <= 5 ? 9 : 17)

/* Whether shared memory keeps the source rows in the middle of a window, so that bytes of them may
 * be copied. */
#define CC_TENSOR_SEPARABLE_COPIES(blocks) ((blocks) <= 5)

/* Taps are digits, signed bytes of weight 1, 256 and so on, or one unsigned byte. Sums over a row
 * are made for each of these weights, of samples of two bytes also for each of their bytes: a set
 * of products makes those of two weights for 8 such samples, or of one for 16 samples of a byte. */
#define CC_TENSOR_SEPARABLE_SETS(bytes, digits) ((bytes) == 1 ? (digits) : ((digits) + 2) / 2)

/* Taps as the tensor cores take them: 16 bytes for each lane of a warp. */
#define CC_TENSOR_SEPARABLE_FRAGMENT_BYTES 512

/* How many of the lowest weights have sums of their own, which then lose their lowest byte to the
 * result one after another; those of all others are one number. */
#define CC_TENSOR_SEPARABLE_APART(sums)                                                            \
  ((sums) == CC_REQUANTIZE_separable_double    ? 4                                                 \
   : (sums) == CC_REQUANTIZE_separable_wide    ? 3                                                 \
   : (sums) == CC_REQUANTIZE_separable_dropped ? 1                                                 \
                                               : 0)

/* What begins the table of a part. Behind it stand the fragments of the columns by
 * matrix, digit and every two blocks, and then of the rows by step, matrix and set. */
typedef struct {
  int32_t offset[2][2]; /* what a row's sums of weight 1 and 256 begin with, for each matrix,
                           so that none is negative */
  int32_t start[2][5];  /* what the sums of a matrix begin with: of each weight that is apart, and
                           of the others */
  uint32_t pick;        /* the bytes of two numbers that are two code values */
  /* the numbers of the requantization; in another order kernels spill registers */
  uint32_t addend, multiplier;
  int32_t down;
  int32_t absolute;
  float scale, lift;
  uint64_t filtered, copied; /* which of 8 bytes of a row are */
} CcTensorSeparableTable;

#define CC_TENSOR_SEPARABLE_TABLE_BYTES 128
static_assert(sizeof(CcTensorSeparableTable) <= CC_TENSOR_SEPARABLE_TABLE_BYTES, "it has to fit");

/* F(bytes of a sample, bytes of a row's sum, digits of a tap, whether those are signed, matrices,
 * blocks, sums, pairs that a warp makes, blocks of threads that a multiprocessor should hold at
 * once). The last two are those that were the fastest when they were measured. Behind each stands
 * what it is for, as a rule. */
#define CC_TENSOR_SEPARABLE_KERNELS(F)                                                             \
  /* up to 17 rows */                                                                              \
  F(1, 2, 1, u, 1, 2, low, 2, 4)     /* box, gaussian to 9 */                                      \
  F(1, 3, 1, u, 1, 2, dropped, 1, 5) /* gaussian with a sigma */                                   \
  F(1, 3, 2, s, 1, 2, dropped, 1, 3) /* gaussian 11 to 15 */                                       \
  F(1, 4, 2, s, 1, 2, scale, 1, 3)   /* larger taps */                                             \
  F(1, 2, 1, s, 2, 2, root, 2, 3)    /* sobel */                                                   \
  F(2, 3, 1, u, 1, 2, high, 2, 4)    /* box, gaussian to 9 */                                      \
  F(2, 3, 1, s, 1, 2, scale, 2, 4)   /* sobel-x */                                                 \
  F(2, 4, 2, s, 1, 2, wide, 2, 3)    /* gaussian from 11 on */                                     \
  F(2, 5, 3, s, 1, 2, wide, 1, 3)    /* larger taps */                                             \
  F(2, 3, 1, s, 2, 2, word, 2, 3)    /* sobel */                                                   \
  /* up to 33 rows */                                                                              \
  F(1, 2, 1, u, 1, 3, high, 2, 4)    /* box */                                                     \
  F(1, 3, 1, u, 1, 3, dropped, 1, 4) /* gaussian */                                                \
  F(1, 4, 2, s, 2, 3, root, 1, 2)                                                                  \
  F(2, 3, 1, u, 1, 3, scale, 2, 4) /* box */                                                       \
  /* up to 65 rows, and narrower ones of many samples a pixel */                                   \
  F(1, 2, 1, u, 1, 5, high, 1, 5)                                                                  \
  F(1, 3, 1, u, 1, 5, dropped, 1, 3)                                                               \
  F(1, 4, 2, s, 1, 5, scale, 1, 2)                                                                 \
  F(2, 3, 1, u, 1, 5, scale, 2, 3)                                                                 \
  F(2, 4, 2, s, 1, 5, wide, 1, 3)                                                                  \
  F(2, 5, 3, s, 1, 5, double, 1, 4)                                                                \
  /* up to 129 rows, where all is filtered */                                                      \
  F(1, 2, 1, u, 1, 9, high, 1, 4)                                                                  \
  F(1, 3, 1, u, 1, 9, dropped, 1, 3)                                                               \
  F(2, 3, 1, u, 1, 9, scale, 1, 4)                                                                 \
  F(2, 4, 2, s, 1, 9, wide, 1, 3)                                                                  \
  F(2, 5, 3, s, 1, 9, double, 1, 2)

#define CC_TENSOR_SEPARABLE_NAME(bytes, planes, digits, sign, matrices, blocks, sums)              \
  "cc_tensor_separable_u" #bytes "_p" #planes "_d" #digits #sign "_m" #matrices "_b" #blocks       \
  "_" #sums
