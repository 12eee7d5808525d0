/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The tensor-core kernels for separable filter kernels, which sum rows first and then columns:
 * their names, tiles, tables and parameters, for host and device. The private data of a plane job
 * is CcTensorCoreJob. Here its `tall_rows` is the number of rows of a tile, and `down` the number
 * of steps along a row. */

#include "conv2d_kernels.h"

/* A tile is processed by a block. Its number of target rows is that of the plane job, a multiple of
 * BLOCK_ROWS. BLOCK_ROWS target rows are computed at a time, from `blocks` blocks of BLOCK_ROWS
 * source rows each. The filter kernel may extend RADIUS_Y rows up and down. */
#define CC_TENSOR_SEPARABLE_WARPS 4
#define CC_TENSOR_SEPARABLE_BLOCK_ROWS 16
#define CC_TENSOR_SEPARABLE_RADIUS_Y(blocks) (8 * ((blocks)-1))

/* A warp computes bytes of a row in `pairs` pairs of 2 x CENTRE bytes. The CENTREs of a single pair
 * lie side by side. Of two pairs, the first has the first and third CENTRE. For CENTRE bytes the
 * warp reads them and the bytes around them in steps of 32 bytes. The filter kernel may extend
 * RADIUS_X bytes to each side. */
#define CC_TENSOR_SEPARABLE_CENTRE 16
#define CC_TENSOR_SEPARABLE_RADIUS_X(steps) (16 * (steps)-8)
#define CC_TENSOR_SEPARABLE_TILE_BYTES(pairs)                                                      \
  (CC_TENSOR_SEPARABLE_WARPS * 2 * CC_TENSOR_SEPARABLE_CENTRE * (pairs))

/* The most steps that shared memory is reserved for, in small kernels and in large ones. */
#define CC_TENSOR_SEPARABLE_MAX_STEPS(blocks) ((blocks) <= 3 ? 4 : (blocks) <= 5 ? 9 : 17)

/* Whether shared memory keeps the source rows of the targets long enough to copy bytes of them. */
#define CC_TENSOR_SEPARABLE_COPIES(blocks) ((blocks) <= 5)

/* A tap consists of digits, signed bytes of weight 1, 256 and so on, or is one unsigned byte. Sums
 * over a row are computed for each of these weights, and for each byte of samples of two bytes. A
 * set of products computes sums of two weights for 8 samples of two bytes, or of one weight for 16
 * samples of a byte. */
#define CC_TENSOR_SEPARABLE_SETS(bytes, digits) ((bytes) == 1 ? (digits) : ((digits) + 2) / 2)

/* Taps as mma operand fragments: 16 bytes for each lane of a warp. */
#define CC_TENSOR_SEPARABLE_FRAGMENT_BYTES 512

/* The number of lowest weights with separate sums. These carry into the next weight one after
 * another, and their lowest bytes go to the result. All higher weights are one number. */
#define CC_TENSOR_SEPARABLE_APART(sums)                                                            \
  ((sums) == CC_REQUANTIZE_separable_double    ? 4                                                 \
   : (sums) == CC_REQUANTIZE_separable_wide    ? 3                                                 \
   : (sums) == CC_REQUANTIZE_separable_dropped ? 1                                                 \
                                               : 0)

/* The beginning of a plane job's table. Behind it are the fragments of the columns by matrix, digit
 * and pair of blocks, then the fragments of the rows by step, matrix and set. */
typedef struct {
  int32_t offset[2][2]; /* initial values of a row's sums of weight 1 and 256, for each matrix, so
                           that none is negative */
  int32_t start[2][5];  /* initial values of the sums of a matrix: for each separate weight, and for
                           all others */
  uint32_t pick;        /* selects the bytes of two numbers that are two code values */
  /* the numbers of the requantization; in another order kernels spill registers */
  uint32_t addend, multiplier;
  int32_t down;
  int32_t absolute;
  float scale, lift;
  /* masks of the filtered and of the copied bytes, in 8 bytes of a row */
  uint64_t filtered, copied;
} CcTensorSeparableTable;

#define CC_TENSOR_SEPARABLE_TABLE_BYTES 128
static_assert(sizeof(CcTensorSeparableTable) <= CC_TENSOR_SEPARABLE_TABLE_BYTES, "it has to fit");

/* F(bytes of a sample, bytes of a row's sum, digits of a tap, whether digits are signed, matrices,
 * blocks, requantization variant, pairs of a warp, resident blocks of threads per multiprocessor).
 * The last two were the fastest in measurements. The comment behind a row lists its typical filter
 * kernels. */
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
  /* up to 65 rows, and fewer rows with many samples per pixel */                                  \
  F(1, 2, 1, u, 1, 5, high, 1, 5)                                                                  \
  F(1, 3, 1, u, 1, 5, dropped, 1, 3)                                                               \
  F(1, 4, 2, s, 1, 5, scale, 1, 2)                                                                 \
  F(2, 3, 1, u, 1, 5, scale, 2, 3)                                                                 \
  F(2, 4, 2, s, 1, 5, wide, 1, 3)                                                                  \
  F(2, 5, 3, s, 1, 5, double, 1, 4)                                                                \
  /* up to 129 rows, if all components are filtered */                                             \
  F(1, 2, 1, u, 1, 9, high, 1, 4)                                                                  \
  F(1, 3, 1, u, 1, 9, dropped, 1, 3)                                                               \
  F(2, 3, 1, u, 1, 9, scale, 1, 4)                                                                 \
  F(2, 4, 2, s, 1, 9, wide, 1, 3)                                                                  \
  F(2, 5, 3, s, 1, 9, double, 1, 2)

#define CC_TENSOR_SEPARABLE_NAME(bytes, planes, digits, sign, matrices, blocks, sums)              \
  "cc_tensor_separable_u" #bytes "_p" #planes "_d" #digits #sign "_m" #matrices "_b" #blocks       \
  "_" #sums
