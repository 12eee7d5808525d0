/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The steps from sums to a code value, operation by operation as engine/plan.h specifies them. */

#include "engine/last_step_shared.h"
#include "launch.h"

/* Collects the sums of a kernel's matrices, in order, into one code value. Every call has to name
 * the same response. */
template <typename Sum> struct Response;

/* Float sums. */
template <> struct Response<float> {
  float t = 0, first = 0;

  __device__ __forceinline__ void add(CcResponse response, int matrix, float sum) {
    switch (response) {
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

  __device__ __forceinline__ int code(CcResponse response, const CcPart &part) const {
    if (response == CC_RESPONSE_DIRECTION) {
      const float turns = cc_direction(first, t);
      return __float2int_rd(__fmaf_rn(turns, part.mul_f, part.add_f)) & part.hi;
    }
    const float root = response == CC_RESPONSE_MAGNITUDE ? __fsqrt_rn(t) : t;
    /* what is beyond an int goes to the nearest */
    const int code = __float2int_rd(__fmaf_rn(root, part.mul_f, part.add_f));
    return min(max(code, part.lo), part.hi);
  }
};

/* Integer sums, which may be 32 bits wide while their combination is not. */
template <> struct Response<long long> {
  long long t = 0;
  double squares = 0;
  float first = 0;

  __device__ __forceinline__ void add(CcResponse response, int matrix, long long sum) {
    const long long absolute = sum < 0 ? -sum : sum;
    switch (response) {
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

  __device__ __forceinline__ int code(CcResponse response, const CcPart &part) const {
    if (response == CC_RESPONSE_DIRECTION) {
      const float turns = cc_direction(first, (float)t);
      return __float2int_rd(__fmaf_rn(turns, part.mul_f, part.add_f)) & part.hi;
    }
    const double root = response == CC_RESPONSE_MAGNITUDE ? __dsqrt_rn(squares) : (double)t;
    const int code = __double2int_rd(__fma_rn(root, part.mul, part.add));
    return min(max(code, part.lo), part.hi);
  }
};

template <> struct Response<int> : Response<long long> {};

/* Calls run(response) with a constant in each case, so that loops in `run` have no test of it. */
template <typename Run>
static __device__ __forceinline__ void
run_response(CcResponse response, Run run) {
  switch (response) {
  case CC_RESPONSE_ABSOLUTE:
    run(CC_RESPONSE_ABSOLUTE);
    break;
  case CC_RESPONSE_MAGNITUDE:
    run(CC_RESPONSE_MAGNITUDE);
    break;
  case CC_RESPONSE_MAGNITUDE_L1:
    run(CC_RESPONSE_MAGNITUDE_L1);
    break;
  case CC_RESPONSE_DIRECTION:
    run(CC_RESPONSE_DIRECTION);
    break;
  default:
    run(CC_RESPONSE_CLAMP);
  }
}
