/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Tiles and private data of two-pass, for host and device. */

#include "cuda/launch.h"

/* A tile lies in one component of a plane. It has this many target pixels, or rows of the
 * intermediate, in each direction. A block has BLOCK_HEIGHT rows of threads. */
#define CC_TWO_PASS_TILE_SIDE 32
#define CC_TWO_PASS_BLOCK_HEIGHT 8

/* Sums between the starts of two rows of the intermediate. A row of it is a column of the image. */
#define CC_TWO_PASS_PITCH(source_rows) (((source_rows) + 31) / 32 * 32)

/* The private data of a plane job. */
typedef struct {
  uint64_t intermediate; /* offset of the intermediate in scratch, in bytes */
} CcTwoPassJob;
CC_PRIVATE_FITS(CcTwoPassJob);
