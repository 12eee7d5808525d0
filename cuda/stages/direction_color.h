/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The kernels that show direction as hue, for host and device; see engine/plan/direction_color.h. A
 * plane job is a component group, with a thread for each sample position. Its source is the luma,
 * or R, G and B. memory_taps points to the table of words of CcDirectionColor. */

#include "cuda/launch.h"
#include "engine/plan/direction_color_shared.h"

/* Threads of a block, and samples of a tile, across and down. */
#define CC_DIRECTION_COLOR_WIDTH 32
#define CC_DIRECTION_COLOR_HEIGHT 8

/* The values of CcPassthrough. */
#define CC_DIRECTION_COLOR_COPY 1
#define CC_DIRECTION_COLOR_FILL 2

/* The positions of samples in frames. Addresses are those of the first sample's row of each
 * component. */
typedef struct {
  uint64_t src[3], dst[3];
  int32_t src_pitch[3], dst_pitch[3];
  int32_t left, top;    /* the first pixel of the first sample; may lie before the source */
  uint8_t across, down; /* pixels of a sample */
  uint8_t n_src, n_dst;
  uint8_t src_first[3], src_spacing[3], src_plane[3];
  uint8_t dst_first[3], dst_spacing[3], dst_plane[3];
  uint8_t component[3]; /* of each target component, in the table */
  /* Alpha or padding in the plane of the first component: a CcPassthrough, and its component
   * offset; job.fill[0] is the word. */
  uint8_t passthrough, passthrough_first;
  uint8_t repeats; /* number of samples behind the last luma of a row that repeat it */
} CcDirectionColorJob;
CC_PRIVATE_FITS(CcDirectionColorJob);
