/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The output stage as engine/plan/output_stage_shared.h defines it, for float and 64-bit integer
 * sums. */

#include "engine/plan/output_stage_shared.h"
#include "launch.h"

/* nvcc does not warn about a missing case in a switch. A new response must be added to run_response
 * below and to the switches of output_stage_shared.h, where CC_CASE_PLAIN would accept it. */
static_assert(CC_N_RESPONSES == 9, "a new response needs its arithmetic in device code");

/* Collects the sums of a kernel's matrices, in order, and computes the code value. Every call must
 * pass the same response. */
template <typename Sum> struct Response;

template <> struct Response<float> {
  CcSumsF32 sums = {};

  __device__ __forceinline__ void add(CcResponse response, int matrix, float sum) {
    cc_sums_add_f32(&sums, response, matrix, sum);
  }

  __device__ __forceinline__ int code(CcResponse response, const CcPlaneJob &job) const {
    const float t = cc_sums_t_f32(&sums, response);
    return response == CC_RESPONSE_DIRECTION ? cc_code_of_turns(t, job.mul_f, job.add_f, job.hi)
                                             : cc_code_f32(t, job.mul_f, job.add_f, job.lo, job.hi);
  }
};

template <> struct Response<long long> {
  CcSumsI64 sums = {};

  __device__ __forceinline__ void add(CcResponse response, int matrix, long long sum) {
    cc_sums_add_i64(&sums, response, matrix, sum);
  }

  __device__ __forceinline__ int code(CcResponse response, const CcPlaneJob &job) const {
    const double t = cc_sums_t_i64(&sums, response);
    return response == CC_RESPONSE_DIRECTION
               ? cc_code_of_turns((float)t, job.mul_f, job.add_f, job.hi)
               : cc_code_f64(t, job.mul, job.add, job.lo, job.hi);
  }
};

/* Calls run(response) with a compile-time constant, so that loops in `run` do not test the
 * response. */
template <typename Run>
static __device__ __forceinline__ void
run_response(CcResponse response, Run run) {
  switch (response) {
  case CC_RESPONSE_ABSOLUTE:
    run(CC_RESPONSE_ABSOLUTE);
    return;
  case CC_RESPONSE_MAGNITUDE:
    run(CC_RESPONSE_MAGNITUDE);
    return;
  case CC_RESPONSE_MAGNITUDE_L1:
    run(CC_RESPONSE_MAGNITUDE_L1);
    return;
  case CC_RESPONSE_DIRECTION:
    run(CC_RESPONSE_DIRECTION);
    return;
  case CC_RESPONSE_CLAMP:
  case CC_RESPONSE_OFFSET: /* uses sums in the same way as clamp */
  case CC_RESPONSE_AUTO:   /* no op has this response */
    break;
  }
  run(CC_RESPONSE_CLAMP);
}
