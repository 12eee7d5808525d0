/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sizes and private data of the kernels of compose, for host and device; see
 * engine/plan/compose.h. */

#include "cuda/launch.h"
#include "engine/plan/compose_shared.h"

/* Threads of a block across and down. */
#define CC_COMPOSE_WIDTH 32
#define CC_COMPOSE_HEIGHT 8

/* A thread of cc_compose changes BYTES bytes in each of ROWS rows. */
#define CC_COMPOSE_BYTES 16
#define CC_COMPOSE_ROWS 4

/* Private data of cc_compose. A plane job is a plane of the frame. Parameters are words of stored
 * samples and repeat after CC_COMPOSE_PERIOD words. All bits of `keep` are set for a sample that
 * the point operation does not change; its other parameters are 0. All bits of `unmixed` are set
 * for a sample that is not mixed. */
#define CC_COMPOSE_PERIOD 2
typedef struct {
  uint32_t keep[CC_COMPOSE_PERIOD], limit[CC_COMPOSE_PERIOD], above[CC_COMPOSE_PERIOD];
  uint32_t below[CC_COMPOSE_PERIOD], sum[CC_COMPOSE_PERIOD], unmixed[CC_COMPOSE_PERIOD];
  int32_t mix;
  int32_t luma; /* component of the first luma of a macropixel, or -1 */
  int32_t n_pixels;
  uint8_t point, mixes; /* CcPoint of the components that change, and whether any is mixed */
  uint8_t plane;        /* of the frame */
} CcComposeJob;
CC_PRIVATE_FITS(CcComposeJob);

/* Cells of a thread of cc_overlay, unless luma has a plane of its own. In that case, a thread has
 * the cells of CC_COMPOSE_BYTES bytes of luma. */
#define CC_OVERLAY_CELLS 4

/* Private data of cc_overlay. The only plane job has job.width x job.height cells. The target has
 * job.src_width x job.src_height pixels. The components are those of the pixels, then those of
 * chroma. */
typedef struct {
  uint64_t src[3], dst[3];
  int32_t src_pitch[3], dst_pitch[3];
  uint32_t whole, part;                /* arguments of cc_overlay_weight */
  int32_t left, top;                   /* first pixel of the first cell; may be negative */
  int32_t chroma_left, chroma_top;     /* the same for the sample of chroma */
  int32_t chroma_width, chroma_height; /* size of the target in samples of chroma */
  uint16_t color[3];
  uint8_t first[3], spacing[3], plane[3]; /* CcComponentOffset of each component */
  uint8_t across, down;                   /* pixels of a cell */
  uint8_t n_pixel, n_chroma;              /* numbers of components */
  uint8_t cells;                          /* number of cells of a thread */
  uint8_t repeats; /* number of samples after the last luma sample of a row that repeat it */
} CcOverlayJob;
CC_PRIVATE_FITS(CcOverlayJob);
