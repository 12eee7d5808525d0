/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The kernels that deinterleave frames into planes in scratch for algorithms, and that interleave
 * the results, for host and device; see engine/plan/plane_map.h. */

#include "cuda/launch.h"

/* A block has WIDTH x HEIGHT threads. A thread writes EACH neighbouring samples in each of ROWS
 * rows. These are samples of the plane when deinterleaving, and samples of the frame when
 * interleaving. */
#define CC_PLANE_MAP_WIDTH 32
#define CC_PLANE_MAP_HEIGHT 8
#define CC_PLANE_MAP_EACH 4
#define CC_PLANE_MAP_ROWS 8

/* Rows in scratch are padded with zeros to a multiple of this number of bytes, so that no kernel
 * reads unwritten bytes. No access of a kernel is wider. */
#define CC_PLANE_MAP_FILL 16

/* Private data of cc_deinterleave. A plane job writes one plane in scratch, at `dst`. Sample i of a
 * row is sample first + i * spacing of a row of one plane of the frame. With is_luma, sample i is
 * luma: the weighted sum of the `spacing` samples from i * spacing on. If R, G and B have separate
 * planes, luma is the weighted sum of sample i of the three planes. */
typedef struct {
  uint64_t address[3];
  int32_t pitch[3];
  int32_t n_planes; /* 3: R, G and B have separate planes; else 1 */
  int32_t spacing, first;
  int32_t is_luma;
  uint32_t weight[4]; /* with is_luma: weight of each sample of a pixel, or of each plane */
  uint8_t plane[4];   /* planes of the frame that `address` and `pitch` belong to */
} CcDeinterleaveJob;
CC_PRIVATE_FITS(CcDeinterleaveJob);

/* Private data of cc_interleave. A plane job writes one plane of the frame, at `dst`. Rows consist
 * of groups of job.step samples. Component c of group g is sample g * spacing[c] + offset[c] of a
 * row of a plane in scratch, or sample last[c] if that index is too large. If spacing[c] is 0, the
 * component is not in scratch and is written as 0. pitch[c] is the pitch of the plane in scratch
 * times the stride of the launch. */
typedef struct {
  uint64_t address[4];
  int32_t pitch[4], last[4];
  uint8_t spacing[4], offset[4];
  uint8_t plane[4]; /* planes in scratch that `address` and `pitch` belong to */
} CcInterleaveJob;
CC_PRIVATE_FITS(CcInterleaveJob);
