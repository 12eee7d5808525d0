/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The kernels that deinterleave frames into planes in scratch for algorithms, and that interleave
 * the results, for host and device; see engine/plan/plane_map.h. */

#include "cuda/launch.h"

/* Threads of a block across and down, neighbouring samples of a thread, and rows of a thread. They
 * are samples of the plane when deinterleaving, of the frame when interleaving. */
#define CC_PLANE_MAP_WIDTH 32
#define CC_PLANE_MAP_HEIGHT 8
#define CC_PLANE_MAP_EACH 4
#define CC_PLANE_MAP_ROWS 8

/* Rows in scratch are padded with zeros to a multiple of this many bytes, the widest access of a
 * kernel, so that no kernel reads unwritten bytes. */
#define CC_PLANE_MAP_FILL 16

/* Private data of cc_deinterleave. A plane job is a plane in scratch, its dst. Sample i of it is
 * sample first + i * spacing of a row of one plane of the frame. With is_luma, it is the luma of
 * the `spacing` samples from i * spacing on, by their weights, or of sample i of three planes if R,
 * G and B have separate planes. */
typedef struct {
  uint64_t address[3];
  int32_t pitch[3];
  int32_t n_planes; /* 3: R, G and B have separate planes; else 1 */
  int32_t spacing, first;
  int32_t is_luma;
  uint32_t weight[4]; /* with is_luma: of each sample, or of each plane */
  uint8_t plane[4];   /* of the frame, for the addresses */
} CcDeinterleaveJob;
CC_PRIVATE_FITS(CcDeinterleaveJob);

/* Private data of cc_interleave. A plane job is a plane of the frame, its dst, whose rows have
 * groups of job.step samples. Component c of group g is sample g * spacing[c] + offset[c] of a
 * plane in scratch, at most last[c]. If spacing[c] is 0 the component is not in scratch and is
 * written as 0. With a stride, pitch[c] is that of every stride-th row. */
typedef struct {
  uint64_t address[4];
  int32_t pitch[4], last[4];
  uint8_t spacing[4], offset[4];
  uint8_t plane[4]; /* in scratch, for the addresses */
} CcInterleaveJob;
CC_PRIVATE_FITS(CcInterleaveJob);
