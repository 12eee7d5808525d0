/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The kernels that paint direction as hue, for host and device. engine/plan/direction_color.h says
 * what that means. A part is a field, whose samples all have a thread; its source is the luma, or
 * R, G and B. The table of words is behind memory_taps, as CcDirectionColor has it. */

#include "cuda/launch.h"
#include "engine/plan/direction_color_shared.h"

/* Threads of a block, and samples of a tile, across and down. */
#define CC_DIRECTION_COLOR_WIDTH 32
#define CC_DIRECTION_COLOR_HEIGHT 8

/* The values of CcPassthrough. */
#define CC_DIRECTION_COLOR_COPY 1
#define CC_DIRECTION_COLOR_FILL 2

/* Where the samples lie in frames: address is that of the first one's row in each place. */
typedef struct {
  uint64_t src[3], dst[3];
  int32_t src_pitch[3], dst_pitch[3];
  int32_t left, top;    /* the first pixel of the first sample; may lie before the source */
  uint8_t across, down; /* pixels of a sample */
  uint8_t n_src, n_dst;
  uint8_t src_first[3], src_spacing[3], src_plane[3];
  uint8_t dst_first[3], dst_spacing[3], dst_plane[3];
  uint8_t component[3]; /* of each place of the target, in the table */
  /* Alpha or padding in the first place's plane: a CcPassthrough, and where; part.fill[0] is the
   * word. */
  uint8_t passthrough, passthrough_first;
  uint8_t repeats; /* how many samples behind the last luma of a row repeat it */
} CcDirectionColorJob;
CC_PRIVATE_FITS(CcDirectionColorJob);
