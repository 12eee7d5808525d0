/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* CcLaunch: the only parameter of every CUDA kernel, shared by host and device. The driver puts it
 * into the constant bank. Each launch has its own taps, so filters cannot overwrite each other's
 * taps. */

#include <assert.h>
#include <stdint.h>
#include "engine/shared.h"

#define CC_LAUNCH_JOBS 4 /* largest number of plane jobs: one for each plane of a frame */
#define CC_LAUNCH_TAPS 450
#define CC_LAUNCH_MATRICES 8
#define CC_LAUNCH_SIDE 15

typedef union {
  float f;   /* the tap in a launch with float sums */
  int32_t i; /* the tap in a launch with integer sums */
} CcTap;

/* Private data of one algorithm or stage, which defines the struct. */
#define CC_PRIVATE_BYTES 128
typedef union {
  uint64_t align;
  unsigned char bytes[CC_PRIVATE_BYTES];
} CcPrivate;

/* CC_PRIVATE returns the member `priv` of the struct `of` as a pointer to `type`. CC_PRIVATE_FITS
 * checks at compile time that `type` fits. */
#define CC_PRIVATE(type, of) ((type *)(void *)(of)->priv.bytes)
#define CC_PRIVATE_FITS(type)                                                                      \
  static_assert(sizeof(type) <= CC_PRIVATE_BYTES, #type " has to fit CcPrivate")

/* A plane job: one plane in one launch, from a rectangle of pixels to a rectangle of pixels. Pixel
 * (x, y) of the target is computed from the pixels around (stride * x, stride * y) of the source.
 * Bytes outside the source do not affect the result, but a kernel may read words that extend beyond
 * the end of a row. Members without a comment have the same
 * meaning as in CcPass, CcOp and CcPlaneLayout. border_code is CcPass.border. */
typedef struct {
  uint64_t src, dst;             /* device addresses of the top left samples */
  int32_t src_pitch, dst_pitch;  /* bytes */
  int32_t src_width, src_height; /* size of the source: pixels, rows */
  int32_t width, height;         /* size of the target: pixels, rows */
  int32_t step, shift;
  int32_t filter_mask, copy_mask, fill_mask;
  int32_t fill[4], border_code[4];
  double mul, add;
  float mul_f, add_f;
  int32_t lo, hi;

  /* The tiles of all plane jobs are numbered in one list: plane job after plane job, and row by row
   * in each. first_tile is the number of this plane job's first tile. The algorithm defines the
   * size of a tile. */
  int32_t first_tile, tiles_across, n_tiles;

  int32_t sample_bytes; /* 1 or 2 */
  CcPrivate priv;
} CcPlaneJob;

typedef struct {
  CcPlaneJob job[CC_LAUNCH_JOBS];
  int32_t n_jobs, n_tiles; /* n_tiles counts the tiles of all plane jobs */
  int32_t stride;
  CcBorder border;
  CcResponse response;
  int32_t n_matrices, window_width, window_height, separable;
  uint64_t scratch; /* device address of the algorithm's intermediate data between launches */
  uint64_t scratch_bytes;
  uint64_t memory_taps; /* device address of taps or tables; the algorithm defines the layout */
  /* Device address of the row of each matrix, then the column of each matrix, of a separable kernel
   * whose row or column has more than CC_LAUNCH_SIDE taps. 0: rows and columns are in `row` and
   * `column`. */
  uint64_t lines;
  CcTap row[CC_LAUNCH_MATRICES][CC_LAUNCH_SIDE], column[CC_LAUNCH_MATRICES][CC_LAUNCH_SIDE];
  CcTap tap[CC_LAUNCH_TAPS];
} CcLaunch;

static_assert(sizeof(CcLaunch) <= 4096, "kernel parameters have 4 KiB");
