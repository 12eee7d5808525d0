/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The kernels of the stages of tests, for host and device. */

#include "cuda/launch.h"

typedef struct {
  uint64_t count;               /* address of the number of samples that were changed */
  int32_t from_bytes, to_bytes; /* MAXIMUM: bytes of a sample */
  int32_t luma;     /* LARGER, with macropixels (4:2:2): component of the first luma; else -1 */
  int32_t n_pixels; /* LARGER, with macropixels: pixels in a row of the target */
} TestStageJob;
CC_PRIVATE_FITS(TestStageJob);
