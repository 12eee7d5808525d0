/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Tiles and private data of two-pass, for host and device. */

#include "cuda/launch.h"

/* A tile lies in one component of a plane. In the first launch, a tile has TILE_SIDE target columns
 * and TILE_SIDE source rows. In the second launch, a tile has TILE_SIDE x TILE_SIDE target pixels.
 * A block has TILE_SIDE x BLOCK_HEIGHT threads. */
#define CC_TWO_PASS_TILE_SIDE 32
#define CC_TWO_PASS_BLOCK_HEIGHT 8

/* Pitch of the intermediate, in sums. A row of the intermediate is a column of the image. */
#define CC_TWO_PASS_PITCH(source_rows) (((source_rows) + 31) / 32 * 32)

/* The private data of a plane job. */
typedef struct {
  uint64_t intermediate; /* offset of the intermediate in scratch, in bytes */
} CcTwoPassJob;
CC_PRIVATE_FITS(CcTwoPassJob);
