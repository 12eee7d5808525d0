/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The tensor-core kernels for separable filter kernels, which sum rows first and then columns:
 * their names, tiles, tables and parameters, for host and device. The private data of a plane job
 * is CcTensorCoreJob. For these kernels, `tall_rows` is the number of target rows of a tile, and
 * `down` is the number of 32-byte steps of the horizontal pass. */

#include "conv2d_kernels.h"

/* A block of threads processes one tile. The number of target rows of a tile is `tall_rows` of the
 * plane job, a multiple of BLOCK_ROWS. The block computes BLOCK_ROWS target rows at a time, from
 * `blocks` blocks of BLOCK_ROWS source rows each. The filter kernel may extend RADIUS_Y rows up and
 * down. */
#define CC_TENSOR_SEPARABLE_WARPS 4
#define CC_TENSOR_SEPARABLE_BLOCK_ROWS 16
#define CC_TENSOR_SEPARABLE_RADIUS_Y(blocks) (8 * ((blocks)-1))

/* A warp computes the bytes of a row in `pairs` pairs. A pair has two groups of CENTRE bytes. If
 * there is one pair, its groups lie side by side. If there are two pairs, the first pair has the
 * first and third group of the row, and the second pair has the second and fourth group. To compute
 * a group, the warp reads the group's source bytes and the bytes around them, in steps of 32 bytes.
 * The filter kernel may extend RADIUS_X bytes to each side. */
#define CC_TENSOR_SEPARABLE_CENTRE 16
#define CC_TENSOR_SEPARABLE_RADIUS_X(steps) (16 * (steps)-8)
#define CC_TENSOR_SEPARABLE_TILE_BYTES(pairs)                                                      \
  (CC_TENSOR_SEPARABLE_WARPS * 2 * CC_TENSOR_SEPARABLE_CENTRE * (pairs))

/* The maximum number of steps. Shared memory is reserved for this number. */
#define CC_TENSOR_SEPARABLE_MAX_STEPS(blocks) ((blocks) <= 3 ? 4 : (blocks) <= 5 ? 9 : 17)

/* Whether shared memory still holds the source rows at the position of the target rows when the
 * target rows are written. Only then can bytes be copied. */
#define CC_TENSOR_SEPARABLE_COPIES(blocks) ((blocks) <= 5)

/* A tap is either one unsigned byte, or it consists of digits: signed bytes of weight 1, 256 and so
 * on. A row is summed separately for each weight. With samples of two bytes there is one weight
 * more, because the high byte of a sample has weight 256. A set of products computes sums of two
 * weights for 8 samples of two bytes, or of one weight for 16 samples of a byte. */
#define CC_TENSOR_SEPARABLE_SETS(bytes, digits) ((bytes) == 1 ? (digits) : ((digits) + 2) / 2)

/* The size of a fragment: taps in the layout of an mma operand, 16 bytes for each lane of a
 * warp. */
#define CC_TENSOR_SEPARABLE_FRAGMENT_BYTES 512

/* The number of lowest weights whose column sums are kept separate. Each of these sums carries into
 * the sum of the next weight, and its lowest byte is a byte of the result, except with the variant
 * dropped, which ignores that byte. The sums of all higher weights are combined into one number. */
#define CC_TENSOR_SEPARABLE_APART(sums)                                                            \
  ((sums) == CC_REQUANTIZE_separable_double    ? 4                                                 \
   : (sums) == CC_REQUANTIZE_separable_wide    ? 3                                                 \
   : (sums) == CC_REQUANTIZE_separable_dropped ? 1                                                 \
                                               : 0)

/* The header of a plane job's table. The fragments of the column taps follow, ordered by matrix,
 * digit and pair of blocks. Then come the fragments of the row taps, ordered by step, matrix and
 * set. */
typedef struct {
  /* for each matrix, the initial values of a row's sums of weight 1 and 256; they keep the combined
   * sum of a row non-negative */
  int32_t offset[2][2];
  /* for each matrix, the initial values of the sums of columns: first for each separate weight,
   * then for all higher weights together */
  int32_t start[2][5];
  uint32_t pick; /* permutation that selects two code values from the bytes of two numbers */
  /* numbers of the requantization; if these members are reordered, kernels spill registers */
  uint32_t addend, multiplier;
  int32_t down;
  int32_t absolute;
  float scale, lift;
  /* masks of the filtered bytes and of the copied bytes, in 8 bytes of a row */
  uint64_t filtered, copied;
} CcTensorSeparableTable;

#define CC_TENSOR_SEPARABLE_TABLE_BYTES 128
static_assert(sizeof(CcTensorSeparableTable) <= CC_TENSOR_SEPARABLE_TABLE_BYTES, "it has to fit");

/* F(bytes of a sample, bytes of a row's sum, digits of a tap, whether digits are signed, matrices,
 * blocks, requantization variant, pairs of a warp, resident blocks of threads per multiprocessor).
 * The values of the last two parameters were the fastest in measurements. The comment at the end of
 * a row lists the filter kernels that typically use this CUDA kernel. */
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
