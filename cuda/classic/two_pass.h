/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* two-pass for host and device. */

#include "cuda/launch.h"

/* A tile lies in one component of a plane: so many target pixels, or rows of the intermediate, each
 * way, and the threads down. */
#define CC_TWO_PASS_TILE_SIDE 32
#define CC_TWO_PASS_BLOCK_HEIGHT 8

/* Sums from one row of the intermediate, which is a column of the picture, to the next. */
#define CC_TWO_PASS_PITCH(source_rows) (((source_rows) + 31) / 32 * 32)

/* What these kernels alone know of a part. */
typedef struct {
  uint64_t intermediate; /* where that lies in scratch, in bytes from there */
} CcTwoPassJob;
CC_PRIVATE_FITS(CcTwoPassJob);
