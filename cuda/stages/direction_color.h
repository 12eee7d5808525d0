/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sizes and private data of the kernels that show direction as hue, for host and device; see
 * engine/plan/direction_color.h. A plane job processes a component group, with one thread for each
 * sample position. The source of a plane job is the luma, or R, G and B. memory_taps is the address
 * of the table CcDirectionColor.word. */

#include "luma.h"
#include "engine/plan/direction_color_shared.h"

/* Threads of a block across and down. A tile has one sample for each thread. */
#define CC_DIRECTION_COLOR_WIDTH 32
#define CC_DIRECTION_COLOR_HEIGHT 8

/* The values of CcPassthrough. */
#define CC_DIRECTION_COLOR_COPY 1
#define CC_DIRECTION_COLOR_FILL 2

/* Private data of a plane job: where the samples lie in the frames. `dst` has the addresses of the
 * first row of each component's plane. */
typedef struct {
  CcLumaSource luma;
  uint64_t dst[3];
  int32_t dst_pitch[3];
  int32_t left, top;    /* first pixel of the first sample; negative: before the source */
  uint8_t across, down; /* number of pixels of a sample */
  uint8_t n_dst;
  uint8_t dst_first[3], dst_spacing[3], dst_plane[3];
  uint8_t component[3]; /* number of each target component in the table */
  /* `passthrough` is a CcPassthrough: how alpha or padding is written. passthrough_first is the
   * offset of alpha or padding in the plane of the first component. A fill writes the word
   * job.fill[0]. */
  uint8_t passthrough, passthrough_first;
  uint8_t repeats; /* number of samples after the last luma sample of a row that repeat its value */
} CcDirectionColorJob;
CC_PRIVATE_FITS(CcDirectionColorJob);
