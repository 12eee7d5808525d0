/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sizes and private data of the kernels that measure, for host and device; see
 * engine/plan/measure.h. The only plane job has the pixels of the target. */

#include "engine/plan/measure_shared.h"
#include "luma.h"

#define CC_MEASURE_WIDTH 32 /* threads of a block across and down */
#define CC_MEASURE_HEIGHT 8
/* pixels of a tile; a thread has several in a row, and several rows */
#define CC_MEASURE_TILE_WIDTH 256
#define CC_MEASURE_TILE_HEIGHT 32

typedef struct {
  CcLumaSource luma; /* of the target */
  CcMeasureLimits limits;
  uint64_t result; /* device address of the CcMeasured of the region */
  int32_t has_histogram;
} CcMeasureJob;
CC_PRIVATE_FITS(CcMeasureJob);
