/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The kernels of `sliding` on the tensor cores: their names, tiles, tables and parameters, for host
 * and device. */

#include "requantization_variants.h"

/* A window is WINDOW bytes of a source row, 16 or 32. From those in the middle, its centre, as
 * many target bytes are made. A quarter of it may be read left and right of the centre. */
#define CC_TENSOR_CORE_CENTRE(window) ((window) / 2)
#define CC_TENSOR_CORE_RADIUS(window) ((window) / 4)
#define CC_TENSOR_CORE_MAX_RADIUS CC_TENSOR_CORE_RADIUS(32)

/* A tile is a block's: TILE_BYTES by TILE_ROWS of the source (and fewer of the target when there is
 * a stride), or with `spans` 2 twice as many rows. A warp has SPAN_BYTES of SPAN_ROWS rows of it,
 * or of twice as many. */
#define CC_TENSOR_CORE_WARPS_ACROSS 2
#define CC_TENSOR_CORE_WARPS_DOWN 2
#define CC_TENSOR_CORE_WARPS (CC_TENSOR_CORE_WARPS_ACROSS * CC_TENSOR_CORE_WARPS_DOWN)
#define CC_TENSOR_CORE_SPAN_BYTES 256
#define CC_TENSOR_CORE_SPAN_ROWS 8
#define CC_TENSOR_CORE_TILE_BYTES (CC_TENSOR_CORE_WARPS_ACROSS * CC_TENSOR_CORE_SPAN_BYTES)
#define CC_TENSOR_CORE_TILE_ROWS (CC_TENSOR_CORE_WARPS_DOWN * CC_TENSOR_CORE_SPAN_ROWS)

/* Blocks that a multiprocessor runs at once, at most. */
#define CC_TENSOR_CORE_MAX_BLOCKS 8

/* A part's table is as tap_table.h says, of these groups of 8 target bytes. */
#define CC_TENSOR_CORE_GROUPS(window) (CC_TENSOR_CORE_CENTRE(window) / 8)

/* A row of taps in it. */
#define CC_TENSOR_CORE_ROW_BYTES(window) (8 * (window)*CC_TENSOR_CORE_GROUPS(window))

/* Pixels of three bytes become grey in fours, from a word on: of those that are staged, fewer than
 * these bytes at each end may stay as they are. */
#define CC_TENSOR_CORE_LUMA_BYTES 12

/* The numbers of a requantization variant. Components that are copied have a single tap of 1 and
 * those that are filled none but their value for `start`. Numbers of their own make that sum the
 * code value; with clamp, high, wide and the root of two bytes `passes` says that it is. */
typedef struct {
  CcTap factor, addend;
} CcTensorCoreNumbers;

/* What these kernels alone know of a part. */
typedef struct {
  uint64_t table;     /* where its matrices lie in memory_taps, in bytes from there */
  uint64_t border[3]; /* a row of the constant border, stored words, which repeats after it */
  uint64_t fill;      /* 8 bytes of a row of what is filled */
  CcTensorCoreNumbers
      component[4];  /* for samples 0 to 3 of a target row, after which they repeat */
  uint8_t excess[4]; /* for the same samples */
  uint32_t passes;   /* has a bit for each of the four that is not filtered */
  int32_t down;
  uint32_t pairs; /* has a bit for each of these samples that has its neighbours two samples
                     away, where others of its group have them four away; 0: none has */
  uint32_t
      weights[2];    /* of the samples of a group in its luma, 16 bits each; 0, 0: there is none */
  uint32_t colors;   /* the bytes of a group that become the luma */
  int32_t tall_rows; /* the first rows of tiles have twice TILE_ROWS source rows */
  uint32_t inverse;  /* 2^32 / tiles_across, rounded down, at most 2^32 - 1 */

  /* only for the kernels of conv2d_any_kernels.h */
  uint8_t pixel; /* samples of a pixel that is filtered as its luma, 3 or 4: the part has but one
                    sample for it. Then copy_mask, fill_mask and fill have as component 1 what lies
                    aside of red, green and blue. 0: a group is a group */
  uint8_t digits, chunks;
  uint8_t margin, radius; /* bytes of a row that are staged, and read, on each side of a tile */
  int64_t low;            /* also of the last steps high and wide */
} CcTensorCoreJob;
CC_PRIVATE_FITS(CcTensorCoreJob);

/* Kernels for the two matrices of a gradient: the first has equal outer rows, and the second outer
 * rows that are equal but for the sign, and zeros between. They may give the second sum with the
 * other sign, which their last steps do not see. */
#define CC_TENSOR_CORE_IS_GRADIENT(window, matrices, height, finish)                               \
  ((window) == 16 && (matrices) == 2 && (height) == 3 && (finish) < CC_REQUANTIZE_conv2d_clamp)

/* F(bytes of a sample, bytes of a window, digits of a tap, matrices, rows of the window, last
 * step). Behind each row stands what it is for, as a rule: the named kernels that take it, at their
 * own scale and response where nothing else is said. */
#define CC_TENSOR_CORE_KERNELS(F)                                                                  \
  /* 8 bits with up to 4 bytes of a row on each side: 3 columns of any format, 5 of NV12's         \
   * chroma, 9 of one sample a pixel */                                                            \
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

/* Component 1 of a part of pixels that are filtered as their luma. */
#define CC_TENSOR_CORE_PASSTHROUGH 2

/* What such pixels need of shared memory, for what lies aside. */
#define CC_TENSOR_CORE_PASSTHROUGH_BYTES (2 * CC_TENSOR_CORE_TILE_ROWS * CC_TENSOR_CORE_TILE_BYTES)

#define CC_TENSOR_CORE_NAME(bytes, window, digits, matrices, height, finish)                       \
  "cc_tensor_core_u" #bytes "_w" #window "_d" #digits "_m" #matrices "_h" #height "_" #finish
