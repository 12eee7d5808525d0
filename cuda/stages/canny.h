/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sizes and private data of the kernels of Canny's edges, for host and device; see
 * engine/plan/canny.h.
 *
 * The map of weak and strong pixels consists of tiles of 32x32 pixels. A word has the 32 pixels of
 * a row of a tile. The words of a tile lie one after another, and the tiles row by row. The map is
 * in the scratch memory of four launches: the words of weak pixels, from the second launch on only
 * of those that may become strong in the third, the words of strong pixels, and a label for each
 * possible run of pixels in a word. */

#include "engine/plan/canny_shared.h"
#include "luma.h"

#define CC_CANNY_TILE 32
#define CC_CANNY_STRIP 4   /* neighbouring tiles of a block */
#define CC_CANNY_LABELS 16 /* runs of a word */

/* Private data of the only plane job. job.src_width and src_height are the size of the source. */
typedef struct {
  CcLumaSource luma;                /* the source, or the same components of the target */
  int64_t low, high;                /* CcCanny */
  int32_t tiles_across, tiles_down; /* of the map */
  int16_t smooth[4], derivative[4]; /* the taps from the middle on; both lines are symmetric but for
                                       the sign of the derivative */
  int32_t round_bits, is_l2;
  uint16_t black, white;
  uint8_t repeats; /* number of samples after the last luma sample of a row that repeat its value */
} CcCannyJob;
CC_PRIVATE_FITS(CcCannyJob);
