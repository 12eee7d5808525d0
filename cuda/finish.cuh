/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The steps from sums to a code value, operation by operation as engine/plan.h specifies them. */

#include "launch.h"

/* Collects the sums of a launch's matrices, in order, into one code value. */
template <typename Sum> struct Response;

/* Float sums. */
template <> struct Response<float> {
  float t = 0, first = 0;

  __device__ __forceinline__ void add(const CcLaunch &launch, int matrix, float sum) {
    switch (launch.response) {
    case CC_RESPONSE_ABSOLUTE:
      t = fmaxf(t, fabsf(sum));
      break;
    case CC_RESPONSE_MAGNITUDE:
      t = __fmaf_rn(sum, sum, t);
      break;
    case CC_RESPONSE_MAGNITUDE_L1:
      t = __fadd_rn(t, fabsf(sum));
      break;
    case CC_RESPONSE_DIRECTION:
      t = sum;
      first = matrix == 0 ? sum : first;
      break;
    default:
      t = matrix == 0 ? sum : fmaxf(t, sum);
    }
  }

  __device__ __forceinline__ int code(const CcLaunch &launch) const {
    if (launch.response == CC_RESPONSE_DIRECTION) {
      const float turns = cc_direction(first, t);
      return (int)floorf(__fmaf_rn(turns, launch.mul_f, launch.add_f)) & launch.hi;
    }
    const float root = launch.response == CC_RESPONSE_MAGNITUDE ? __fsqrt_rn(t) : t;
    const float v = floorf(__fmaf_rn(root, launch.mul_f, launch.add_f));
    return (int)fminf(fmaxf(v, (float)launch.lo), (float)launch.hi);
  }
};

/* 64-bit sums. */
template <> struct Response<long long> {
  long long t = 0;
  double squares = 0;
  float first = 0;

  __device__ __forceinline__ void add(const CcLaunch &launch, int matrix, long long sum) {
    const long long absolute = sum < 0 ? -sum : sum;
    switch (launch.response) {
    case CC_RESPONSE_ABSOLUTE:
      t = max(t, absolute);
      break;
    case CC_RESPONSE_MAGNITUDE:
      squares = __fma_rn((double)sum, (double)sum, squares);
      break;
    case CC_RESPONSE_MAGNITUDE_L1:
      t += absolute;
      break;
    case CC_RESPONSE_DIRECTION:
      t = sum;
      first = matrix == 0 ? (float)sum : first;
      break;
    default:
      t = matrix == 0 ? sum : max(t, sum);
    }
  }

  __device__ __forceinline__ int code(const CcLaunch &launch) const {
    if (launch.response == CC_RESPONSE_DIRECTION) {
      const float turns = cc_direction(first, (float)t);
      return (int)floorf(__fmaf_rn(turns, launch.mul_f, launch.add_f)) & launch.hi;
    }
    const double root = launch.response == CC_RESPONSE_MAGNITUDE ? __dsqrt_rn(squares) : (double)t;
    const double v = floor(__fma_rn(root, launch.mul, launch.add));
    return (int)fmin(fmax(v, (double)launch.lo), (double)launch.hi);
  }
};

/* What a sample that is not filtered becomes: the stored word. */
static __device__ __forceinline__ int
unfiltered(const CcLaunch &launch, int component, int stored) {
  return launch.copy_mask >> component & 1 ? stored : launch.fill[component] << launch.shift;
}
