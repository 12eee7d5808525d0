/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where the luma of a frame is, for kernels that compute gradients: at one offset, or at three
 * offsets of R, G and B. For host and device. */

#include "cuda/launch.h"

typedef struct {
  uint64_t address[3]; /* of the first row of the source in each component's plane */
  int32_t pitch[3];
  uint8_t n, plane[3], first[3], spacing[3]; /* CcComponentOffset */
} CcLumaSource;
