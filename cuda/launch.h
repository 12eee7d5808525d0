/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The one parameter of every kernel, shared by host and device. It lives in the constant bank, so
 * taps are constants of the launch and instances cannot disturb one another. */

#include <stdint.h>
#include "engine/shared.h"

#define CC_LAUNCH_PARTS 4 /* planes of a frame */
#define CC_LAUNCH_TAPS 450
#define CC_LAUNCH_MATRICES 8
#define CC_LAUNCH_SIDE 15

typedef union {
  float f;   /* of a launch with float sums */
  int32_t i; /* of one with integer sums */
} CcTap;

/* The numbers of a last step of the tensor core kernels; see CcSlidingFinish. */
typedef struct {
  CcTap factor, addend;
} CcSlidingNumbers;

/* One pass over one plane: from a rectangle of pixels to a rectangle of pixels. Pixel (x, y) of the
 * target is made from the window around pixel (stride * x, stride * y) of the source. Nothing
 * outside of either is read or written. The other fields are those of CcPass, CcOp and
 * CcPlaneLayout. */
typedef struct {
  uint64_t src, dst;             /* device addresses of the top left samples */
  int32_t src_pitch, dst_pitch;  /* bytes */
  int32_t src_width, src_height; /* pixels, rows */
  int32_t width, height;         /* of the target: pixels, rows */
  int32_t step, shift;
  int32_t filter_mask, copy_mask, fill_mask;
  int32_t fill[4], border_code[4];
  double mul, add;
  float mul_f, add_f;
  int32_t lo, hi;

  /* The tiles of all parts make one list, row by row. What a tile is, the algorithm says. */
  int32_t first_tile, tiles_across, n_tiles;

  uint64_t scratch; /* only for two-pass: where its intermediate lies, in bytes from there */

  int32_t sample_bytes; /* 1 or 2 */
  int32_t tile_rows;    /* only for sliding in float: target rows of a tile */
  struct {              /* only for sliding on tensor cores: see CcSlidingFinish */
    uint64_t table;     /* where its matrices lie in memory_taps, in bytes from there */
    uint64_t border[3]; /* a row of the constant border, stored words, which repeats after it */
    uint64_t fill;      /* 8 bytes of a row of what is filled */
    CcSlidingNumbers place[4]; /* for samples 0 to 3 of a target row, after which they repeat */
    uint32_t passes;           /* has a bit for each of the four that is not filtered */
    int32_t down;
    int32_t tall_rows; /* the first rows of tiles have twice TILE_ROWS source rows */
    uint32_t inverse;  /* 2^32 / tiles_across, rounded down, at most 2^32 - 1 */
  } sliding;
} CcPart;

typedef struct {
  CcPart part[CC_LAUNCH_PARTS];
  int32_t n_parts, n_tiles; /* tiles of all parts */
  int32_t stride;
  CcBorder border;
  CcResponse response;
  int32_t n_matrices, window_width, window_height, separable;
  uint64_t scratch;       /* device address of what an algorithm needs between two launches */
  uint64_t scratch_bytes; /* how much that is */
  uint64_t memory_taps;   /* device address of taps, as the algorithm lays them out */
  CcTap row[CC_LAUNCH_MATRICES][CC_LAUNCH_SIDE], column[CC_LAUNCH_MATRICES][CC_LAUNCH_SIDE];
  CcTap tap[CC_LAUNCH_TAPS];
} CcLaunch;

/* Kernel parameters have 4 KiB. */
#ifdef __cplusplus
static_assert(sizeof(CcLaunch) <= 4096, "CcLaunch is a kernel parameter");
#else
_Static_assert(sizeof(CcLaunch) <= 4096, "CcLaunch is a kernel parameter");
#endif
