/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The one parameter of every kernel, shared by host and device. It lives in the constant bank, so
 * taps are constants of the launch and instances cannot disturb one another. */

#include <stdint.h>
#include "engine/shared.h"

#define CC_LAUNCH_TAPS 450
#define CC_LAUNCH_MATRICES 8
#define CC_LAUNCH_SIDE 15

typedef union {
  float f;   /* of a launch with float sums */
  int32_t i; /* of one with 64-bit sums */
} CcTap;

/* One pass over one plane; the fields are those of CcPass, CcOp and CcPlaneLayout. */
typedef struct {
  uint64_t src, dst;            /* device addresses of the top left samples */
  int32_t src_pitch, dst_pitch; /* bytes */
  int32_t width, height, step;  /* pixels, rows, samples a pixel */
  int32_t depth, shift;
  CcBorder border;
  int32_t filter_mask, copy_mask, fill_mask;
  int32_t fill[4], border_code[4];

  int32_t n_matrices, window_width, window_height, separable;
  CcResponse response;
  float mul_f, add_f;
  double mul, add;
  int32_t lo, hi;
  CcTap row[CC_LAUNCH_MATRICES][CC_LAUNCH_SIDE], column[CC_LAUNCH_MATRICES][CC_LAUNCH_SIDE];
  CcTap tap[CC_LAUNCH_TAPS];

  /* only for packed lanes: integer taps, what makes every sum non-negative, the integer last step
   */
  struct {
    int32_t row[2][5], column[2][5], tap[25];
    uint32_t bias[2]; /* in both lanes */
    float unbias[2];  /* 2^23 + the bias: turns a lane behind float's exponent into the sum */
    uint32_t round;   /* in both lanes; the integer last step is (sum + round) >> down */
    int32_t down;
    uint32_t filter_bytes, copy_bytes, fill_bytes; /* masks and values of a word of four samples */
  } packed;
} CcLaunch;

/* The kernels of sliding.cu: F(kind, window, reach, words, rows, separable, last step), for strips
 * of `words` 32-bit words by `rows` rows a thread. Each exists for 1 to 4 samples a pixel. */
#define CC_SLIDING_KERNELS(F)                                                                      \
  F(shift, 3x3, 1, 4, 4, 1, SHIFT)                                                                 \
  F(linear, 3x3, 1, 4, 4, 1, LINEAR)                                                               \
  F(direct, 3x3, 1, 4, 4, 0, LINEAR)                                                               \
  F(gradient, 3x3, 1, 2, 4, 1, GRADIENT)                                                           \
  F(shift, 5x5, 2, 2, 8, 1, SHIFT)                                                                 \
  F(linear, 5x5, 2, 2, 8, 1, LINEAR)                                                               \
  F(direct, 5x5, 2, 2, 4, 0, LINEAR)                                                               \
  F(gradient, 5x5, 2, 2, 4, 1, GRADIENT)

/* Threads of a block and pixels of a thread, each way. */
#define CC_CONSTANT_BLOCK_WIDTH 64
#define CC_CONSTANT_BLOCK_HEIGHT 4
#define CC_REGISTER_TILE_THREADS 8
#define CC_REGISTER_TILE_SIDE 4
#define CC_SLIDING_BLOCK_WIDTH 32
#define CC_SLIDING_BLOCK_HEIGHT 4

/* Kernel parameters have 4 KiB. */
#ifdef __cplusplus
static_assert(sizeof(CcLaunch) <= 4096, "CcLaunch is a kernel parameter");
#else
_Static_assert(sizeof(CcLaunch) <= 4096, "CcLaunch is a kernel parameter");
#endif
