/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sizes and private data of the kernels of weighted alpha, for host and device; see
 * engine/plan/weighted.h. A plane job is a plane of the inner frames. Its width and height are
 * those of the rectangle that the kernel writes. filter_mask has the colors of CcWeighted. */

#include "cuda/launch.h"
#include "engine/plan/weighted_shared.h"

/* Threads of a block across and down. A thread has a pixel in each of ROWS rows. */
#define CC_WEIGHTED_WIDTH 32
#define CC_WEIGHTED_HEIGHT 8
#define CC_WEIGHTED_ROWS 4

typedef struct {
  uint8_t alpha, is_luma; /* of CcWeighted */
  uint8_t rgb[3];         /* numbers of R, G and B in a pixel; set only for luma */
} CcWeightedJob;
CC_PRIVATE_FITS(CcWeightedJob);
