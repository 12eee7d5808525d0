/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The tensor-core kernels of conv2d: their names, tiles, tables and parameters, for host and
 * device. */

#include "requantization_variants.h"

/* A window is 16 or 32 bytes of a source row (WINDOW). The middle half of the window is its centre.
 * Each byte of the centre yields one target byte. The taps may read up to a quarter of the window
 * to the left and right of the centre. */
#define CC_TENSOR_CORE_CENTRE(window) ((window) / 2)
#define CC_TENSOR_CORE_RADIUS(window) ((window) / 4)
#define CC_TENSOR_CORE_MAX_RADIUS CC_TENSOR_CORE_RADIUS(32)

/* A block processes one tile. A tile covers TILE_BYTES by TILE_ROWS of the source, or 2 * TILE_ROWS
 * rows if `spans` is 2. With a stride, a tile has fewer target bytes and rows than source bytes and
 * rows. A warp processes SPAN_BYTES of SPAN_ROWS rows, or of 2 * SPAN_ROWS rows if `spans` is 2. */
#define CC_TENSOR_CORE_WARPS_ACROSS 2
#define CC_TENSOR_CORE_WARPS_DOWN 2
#define CC_TENSOR_CORE_WARPS (CC_TENSOR_CORE_WARPS_ACROSS * CC_TENSOR_CORE_WARPS_DOWN)
#define CC_TENSOR_CORE_SPAN_BYTES 256
#define CC_TENSOR_CORE_SPAN_ROWS 8
#define CC_TENSOR_CORE_TILE_BYTES (CC_TENSOR_CORE_WARPS_ACROSS * CC_TENSOR_CORE_SPAN_BYTES)
#define CC_TENSOR_CORE_TILE_ROWS (CC_TENSOR_CORE_WARPS_DOWN * CC_TENSOR_CORE_SPAN_ROWS)

/* The maximum number of blocks that a multiprocessor runs at once. */
#define CC_TENSOR_CORE_MAX_BLOCKS 8

/* The number of groups of 8 target bytes in a plane job's table. The format of the table is in
 * tap_table.h. */
#define CC_TENSOR_CORE_GROUPS(window) (CC_TENSOR_CORE_CENTRE(window) / 8)

/* The size in bytes of a row of taps in the table. */
#define CC_TENSOR_CORE_ROW_BYTES(window) (8 * (window)*CC_TENSOR_CORE_GROUPS(window))

/* RGB to luma converts four pixels of three bytes at a time, word-aligned. At each end of a staged
 * row, fewer than CC_TENSOR_CORE_LUMA_BYTES bytes stay unconverted. Kernels must not read these
 * bytes. */
#define CC_TENSOR_CORE_LUMA_BYTES 12

/* The numbers of a requantization variant. A copied component has a single tap of 1, so its sum is
 * the source sample. A filled component has no taps, and its initial sum is the fill value. Copied
 * and filled samples have numbers that leave their sum unchanged. Some variants have no such
 * numbers and return the sums of the samples that `passes` marks. In the family conv2d, these are
 * clamp, high and wide, and root with samples of two bytes. In the family `any`, these are all
 * variants except scale and root with samples of one byte. */
typedef struct {
  CcTap factor, addend;
} CcTensorCoreNumbers;

/* Private data of a plane job. */
typedef struct {
  uint64_t table;     /* offset of this plane job's table in memory_taps, in bytes */
  uint64_t border[3]; /* 24 bytes of a row of the constant border, as stored; they repeat */
  uint64_t fill;      /* 8 bytes of a row of fill values, as stored; they repeat */

  /* numbers and excess of samples 0 to 3 of a target row; they repeat every 4 samples */
  CcTensorCoreNumbers numbers[4];
  uint8_t excess[4];
  uint32_t passes; /* bit i is set if sample i of these 4 is not filtered */
  int32_t down;
  /* bit i is set if sample i of these 4 is luma of a macropixel (4:2:2). Neighbours of such a luma
   * sample are two samples away. Neighbours of the group's other samples are four samples away. */
  uint32_t macropixel_luma;

  /* weights of a group's samples in its luma, 16 bits each; 0, 0: the kernel computes no luma */
  uint32_t weights[2];
  uint32_t colors;   /* 8 bits for each sample of a group; 0xFF: luma replaces it */
  int32_t tall_rows; /* rows of tiles, from the top, that have 2 * TILE_ROWS source rows each */
  uint32_t inverse;  /* 2^32 / tiles_across, rounded down, at most 2^32 - 1 */

  /* the members below, except `low`, are only for the kernels of conv2d_any_kernels.h */

  /* 3 or 4: number of samples of a pixel that is filtered as its luma. The plane job then has one
   * sample per pixel, and component 1 of copy_mask, fill_mask and fill is the passthrough
   * component. 0: pixels are not converted to luma */
  uint8_t pixel;
  uint8_t digits, chunks; /* digits of a tap, chunks of a window */
  /* margin: bytes of a row that are staged on each side of a tile. radius: bytes of a row that the
   * filter kernel reads on each side of a tile */
  uint8_t margin, radius;
  int64_t low; /* addend of products; conv2d.cu also reads it, for its variants high and wide */
} CcTensorCoreJob;
CC_PRIVATE_FITS(CcTensorCoreJob);

/* Whether a CUDA kernel is for the two matrices of a gradient. The first and last row of the first
 * matrix are equal. In the second matrix, the middle row is zero, and the first and last row are
 * equal or differ only in their sign. The kernel may compute the second sum with the opposite sign,
 * because the output stage only uses its magnitude. */
#define CC_TENSOR_CORE_IS_GRADIENT(window, matrices, height, finish)                               \
  ((window) == 16 && (matrices) == 2 && (height) == 3 && (finish) < CC_REQUANTIZE_conv2d_clamp)

/* F(bytes of a sample, bytes of a window, digits of a tap, matrices, rows of the filter kernel,
 * requantization variant). The comment at the end of a row lists the named filter kernels that
 * typically use this CUDA kernel, with their own scale and response unless stated otherwise. */
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
  F(2, 16, 2, 1, 5, wide)  /* taps that are fractions */                                           \
  F(2, 16, 1, 2, 3, root)  /* sobel, prewitt, scharr */                                            \
  /* up to 8 bytes: 3 columns of ARGB64, 5 of P010's chroma, 9 of one sample */                    \
  F(2, 32, 1, 1, 5, clamp) /* identity, sharpen, emboss, unsharp */                                \
  F(2, 32, 1, 1, 5, high)  /* box, sobel-x, laplacian, log 5, motion-blur */                       \
  F(2, 32, 2, 1, 5, wide)  /* taps that are fractions */                                           \
  F(2, 32, 1, 2, 3, root)  /* sobel, prewitt, scharr, roberts */

/* The mask bit of the passthrough component, component 1. */
#define CC_TENSOR_CORE_PASSTHROUGH 2

#define CC_TENSOR_CORE_PASSTHROUGH_BYTES (2 * CC_TENSOR_CORE_TILE_ROWS * CC_TENSOR_CORE_TILE_BYTES)

#define CC_TENSOR_CORE_NAME(bytes, window, digits, matrices, height, finish)                       \
  "cc_tensor_core_u" #bytes "_w" #window "_d" #digits "_m" #matrices "_h" #height "_" #finish
