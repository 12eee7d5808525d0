/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The figures of measuring, for host and device. measure.h explains them. */

#include <stdint.h>

#define CC_MEASURE_BINS 256

/* The result of the stage MEASURE for a region. The sum of squares of 2^32 samples of 16 bits fits
 * 64 bits. */
typedef struct {
  uint64_t n, sum, squares; /* samples, the sum of their code values, and the sum of squares */
  uint64_t largest;
  uint64_t n_above;              /* samples at or above the threshold; 0 without a threshold */
  uint64_t n_black;              /* samples at black or below */
  uint64_t n_white;              /* samples at white or above */
  uint64_t bin[CC_MEASURE_BINS]; /* samples by the upper 8 bits of the code value */
} CcMeasured;

typedef struct {
  /* smallest code value at or above the threshold; UINT32_MAX: there is no threshold */
  uint32_t above;
  uint32_t black, white;
  uint32_t bin_shift;
} CcMeasureLimits;
