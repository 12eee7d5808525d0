/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The kernels that take planes out of packed frames into scratch, where algorithms find them as
 * planes of their own, and put the results back; for host and device. engine/plan/plane_map.h says
 * what that means. */

#include "cuda/launch.h"

/* A block has so many threads across and down, and a thread so many neighbouring samples of so many
 * rows: of the plane that it takes out, or of the frame when it puts planes back. */
#define CC_PLANE_MAP_WIDTH 32
#define CC_PLANE_MAP_HEIGHT 8
#define CC_PLANE_MAP_EACH 4
#define CC_PLANE_MAP_ROWS 8

/* Rows in scratch are filled up with zeros to a multiple of so many bytes, the widest access of a
 * kernel, so that none meets bytes that nothing has written. */
#define CC_PLANE_MAP_FILL 16

/* Of cc_deinterleave: a part is a plane in scratch, its dst. Sample i is sample first + i * spacing
 * of a row of the frame's only plane that has it, or the luma of the `spacing` samples from i *
 * spacing on, by their weights; where R, G and B have planes of their own, of one of each. */
typedef struct {
  uint64_t address[3];
  int32_t pitch[3];
  int32_t n_planes; /* 3: R, G and B have their own; else 1 */
  int32_t spacing, first;
  int32_t is_luma;
  uint32_t weight[4]; /* with is_luma: of each sample, or of each plane */
  uint8_t plane[4];   /* of the frame, for the addresses */
} CcDeinterleaveJob;
CC_PRIVATE_FITS(CcDeinterleaveJob);

/* Of cc_interleave: a part is a plane of the frame, its dst, whose rows have groups of part.step
 * samples. Place p of group g is sample g * each[p] + offset[p] of a plane in scratch, or the last
 * one that a row has for that where it is beyond; with each[p] == 0 it has none there, and is 0.
 * With a stride, pitch[p] is that of every so many-th row. */
typedef struct {
  uint64_t address[4];
  int32_t pitch[4], last[4];
  uint8_t each[4], offset[4];
  uint8_t plane[4]; /* in scratch, for the addresses */
} CcInterleaveJob;
CC_PRIVATE_FITS(CcInterleaveJob);
