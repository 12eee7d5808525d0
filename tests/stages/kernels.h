/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The kernels of the stages of tests, for host and device. */

#include "cuda/launch.h"

typedef struct {
  uint64_t count;               /* address of how many samples were changed */
  int32_t from_bytes, to_bytes; /* of MAXIMUM: of a sample */
  int32_t luma;                 /* of LARGER, of packed pairs: where the first luma is; else -1 */
  int32_t n_pixels;             /* of them in a row of the target */
} TestStageJob;
CC_PRIVATE_FITS(TestStageJob);
