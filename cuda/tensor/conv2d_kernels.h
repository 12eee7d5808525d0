/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The tensor-core kernels of conv2d: their names, tiles, tables and parameters, for host and
 * device. */

#include "requantization_variants.h"

/* A window is WINDOW bytes of a source row, 16 or 32. Its centre, the bytes in the middle, yields
 * as many target bytes. The taps may read up to a quarter of the window left and right of the
 * centre. */
#define CC_TENSOR_CORE_CENTRE(window) ((window) / 2)
#define CC_TENSOR_CORE_RADIUS(window) ((window) / 4)
#define CC_TENSOR_CORE_MAX_RADIUS CC_TENSOR_CORE_RADIUS(32)

/* A tile is processed by a block. It has TILE_BYTES by TILE_ROWS of the source, or twice as many
 * rows if `spans` is 2. With a stride it has fewer target bytes and rows. A warp processes
 * SPAN_BYTES of SPAN_ROWS rows, or of twice as many. */
#define CC_TENSOR_CORE_WARPS_ACROSS 2
#define CC_TENSOR_CORE_WARPS_DOWN 2
#define CC_TENSOR_CORE_WARPS (CC_TENSOR_CORE_WARPS_ACROSS * CC_TENSOR_CORE_WARPS_DOWN)
#define CC_TENSOR_CORE_SPAN_BYTES 256
#define CC_TENSOR_CORE_SPAN_ROWS 8
#define CC_TENSOR_CORE_TILE_BYTES (CC_TENSOR_CORE_WARPS_ACROSS * CC_TENSOR_CORE_SPAN_BYTES)
#define CC_TENSOR_CORE_TILE_ROWS (CC_TENSOR_CORE_WARPS_DOWN * CC_TENSOR_CORE_SPAN_ROWS)

/* The most blocks that a multiprocessor runs at once. */
#define CC_TENSOR_CORE_MAX_BLOCKS 8

/* The table of a plane job is that of tap_table.h, with these groups of 8 target bytes. */
#define CC_TENSOR_CORE_GROUPS(window) (CC_TENSOR_CORE_CENTRE(window) / 8)

/* A row of taps in the table. */
#define CC_TENSOR_CORE_ROW_BYTES(window) (8 * (window)*CC_TENSOR_CORE_GROUPS(window))

/* RGB to luma converts four pixels of three bytes at a time, word-aligned. Fewer than
 * CC_TENSOR_CORE_LUMA_BYTES staged bytes at either end are left unconverted and must not be
 * read. */
#define CC_TENSOR_CORE_LUMA_BYTES 12

/* The numbers of a requantization variant. Copied components have a single tap of 1. Filled
 * components have no taps; `start` is their value. Their own numbers keep that sum as the code
 * value. With clamp, high, wide and the root of two bytes, `passes` marks such samples instead. */
typedef struct {
  CcTap factor, addend;
} CcTensorCoreNumbers;

/* Private data of a plane job. */
typedef struct {
  uint64_t table;     /* offset of its matrices in memory_taps, in bytes */
  uint64_t border[3]; /* stored words of a row of the constant border, which repeat */
  uint64_t fill;      /* 8 bytes of a row of the fill value */

  /* for samples 0 to 3 of a target row, after which they repeat */
  CcTensorCoreNumbers numbers[4];
  uint8_t excess[4];
  uint32_t passes; /* a bit for each of these samples that is not filtered */
  int32_t down;
  /* a bit for each of these samples that is luma of a macropixel (4:2:2): its neighbours are two
   * samples away, and those of the other samples of the group are four away */
  uint32_t macropixel_luma;

  uint32_t weights[2]; /* of a group's samples in its luma, 16 bits each; 0, 0: no luma */
  uint32_t colors;     /* the bytes of a group that become luma */
  int32_t tall_rows; /* so many rows of tiles, from the top, have 2 * TILE_ROWS source rows each */
  uint32_t inverse;  /* 2^32 / tiles_across, rounded down, at most 2^32 - 1 */

  /* only for the kernels of conv2d_any_kernels.h */

  /* samples of a pixel that is filtered as its luma, 3 or 4. The plane job then has one sample per
   * pixel, and component 1 of copy_mask, fill_mask and fill is the passthrough component. 0: groups
   * are filtered as they are */
  uint8_t pixel;
  uint8_t digits, chunks;
  uint8_t margin, radius; /* bytes of a row that are staged, and read, on each side of a tile */
  int64_t low;            /* also used by the variants high and wide */
} CcTensorCoreJob;
CC_PRIVATE_FITS(CcTensorCoreJob);

/* Kernels for the two matrices of a gradient. The outer rows of the first matrix are equal. Those
 * of the second are equal except for their sign, with a row of zeros between. The second sum may
 * have the opposite sign; the output stage only uses its magnitude. */
#define CC_TENSOR_CORE_IS_GRADIENT(window, matrices, height, finish)                               \
  ((window) == 16 && (matrices) == 2 && (height) == 3 && (finish) < CC_REQUANTIZE_conv2d_clamp)

/* F(bytes of a sample, bytes of a window, digits of a tap, matrices, rows of the filter kernel,
 * requantization variant). The comment behind a row lists the named filter kernels that typically
 * use it, with their own scale and response unless stated otherwise. */
#define CC_TENSOR_CORE_KERNELS(F)                                                                  \
  /* 8 bits with up to 4 bytes of a row on each side: 3 columns of any format, 5 of NV12's chroma, \
   * 9 of one sample a pixel */                                                                    \
  F(1, 16, 1, 1, 3, bytes)    /* gaussian 3 */                                                     \
  F(1, 16, 1, 1, 3, whole)    /* identity, sharpen, emboss */                                      \
  F(1, 16, 1, 1, 3, absolute) /* laplacian, sobel-x, full range */                                 \
  F(1, 16, 1, 1, 3, scale)    /* box, motion-blur, unsharp */                                      \
  F(1, 16, 1, 1, 3, scaleabs) /* laplacian, sobel-x, limited range */                              \
  F(1, 16, 1, 1, 5, bytes)    /* gaussian 5 */                                                     \
  F(1, 16, 1, 1, 5, whole)    /* identity 5 */                                                     \
  F(1, 16, 1, 1, 5, scale)    /* box 5, motion-blur 5, sharpen 5 */                                \
  F(1, 16, 1, 1, 5, scaleabs) /* log, sobel-x 5 */                                                 \
  F(1, 16, 2, 1, 5, scale)    /* unsharp 5, gaussian 3, 5 with a sigma */                          \
  F(1, 16, 1, 2, 3, scale)    /* sobel, prewitt as magnitude-l1 */                                 \
  F(1, 16, 1, 2, 3, root)     /* sobel, prewitt, full range */                                     \
  F(1, 16, 1, 2, 3, lifted)   /* sobel, prewitt, limited range */                                  \
  F(1, 16, 1, 2, 3, far)      /* scharr */                                                         \
  F(1, 16, 1, 2, 5, far)      /* sobel 5, roberts */                                               \
  /* up to 8 bytes: 5 columns of RGBA, 15 of one sample a pixel */                                 \
  F(1, 32, 1, 1, 5, bytes)    /* gaussian 5 */                                                     \
  F(1, 32, 1, 1, 5, scale)    /* box 5, motion-blur 5, identity 5 */                               \
  F(1, 32, 1, 1, 5, scaleabs) /* log, sobel-x 5 */                                                 \
  F(1, 32, 2, 1, 5, scale)    /* unsharp 5 */                                                      \
  F(1, 32, 1, 2, 5, far)      /* sobel 5 */                                                        \
  F(1, 32, 1, 1, 9, scale)    /* box, motion-blur 9 */                                             \
  F(1, 32, 1, 1, 9, scaleabs) /* log 9 */                                                          \
  F(1, 32, 1, 1, 15, scale)   /* box 13 */                                                         \
  /* 16 bits with up to 4 bytes on each side: 3 columns of P010's chroma, 5 of one sample */       \
  F(2, 16, 1, 1, 5, bytes) /* gaussian 3, 5 */                                                     \
  F(2, 16, 1, 1, 5, clamp) /* identity, sharpen, emboss, unsharp 3 */                              \
  F(2, 16, 1, 1, 5, high)  /* box, sobel-x, laplacian, log 5, motion-blur */                       \
  F(2, 16, 2, 1, 5, clamp) /* unsharp 5 */                                                         \
  F(2, 16, 2, 1, 5, wide)  /* fractions */                                                         \
  F(2, 16, 1, 2, 3, root)  /* sobel, prewitt, scharr */                                            \
  /* up to 8 bytes: 3 columns of ARGB64, 5 of P010's chroma, 9 of one sample */                    \
  F(2, 32, 1, 1, 5, clamp) /* identity, sharpen, emboss, unsharp */                                \
  F(2, 32, 1, 1, 5, high)  /* box, sobel-x, laplacian, log 5, motion-blur */                       \
  F(2, 32, 2, 1, 5, wide)  /* fractions */                                                         \
  F(2, 32, 1, 2, 3, root)  /* sobel, prewitt, scharr, roberts */

/* Component 1 of a plane job of pixels that are filtered as their luma, the passthrough
 * component. */
#define CC_TENSOR_CORE_PASSTHROUGH 2

/* Shared memory for the passthrough component of such pixels. */
#define CC_TENSOR_CORE_PASSTHROUGH_BYTES (2 * CC_TENSOR_CORE_TILE_ROWS * CC_TENSOR_CORE_TILE_BYTES)

#define CC_TENSOR_CORE_NAME(bytes, window, digits, matrices, height, finish)                       \
  "cc_tensor_core_u" #bytes "_w" #window "_d" #digits "_m" #matrices "_h" #height "_" #finish
