/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The definition of the output stage, for host and device: how a response combines the sums S_i
 * into t, and the code value of t. output_stage.h has the functions that only the host needs.
 * Backends may use cheaper variants, which they prove against this definition. Every
 * operation is rounded as in IEEE 754, in a fixed order, so that host and device give the
 * same bits. */

#include <limits.h>
#include "engine/shared.h"

/* --- from sums to t --- */

/* The responses that use sums unchanged; no op has AUTO, CANNY or CANNY_L1. The host's compiler
 * reports a response that a switch forgets. The device's compiler makes shorter code if the switch
 * does not name these responses. */
#ifdef __CUDACC__
#define CC_CASE_PLAIN default
#else
#define CC_CASE_PLAIN                                                                              \
  case CC_RESPONSE_CLAMP:                                                                          \
  case CC_RESPONSE_OFFSET:                                                                         \
  case CC_RESPONSE_AUTO:                                                                           \
  case CC_RESPONSE_CANNY:                                                                          \
  case CC_RESPONSE_CANNY_L1
#endif

/* atan2(y, x) in turns, 0 <= t <= 1 (1 is the full turn, the same as 0); 0 for x = y = 0. The
 * polynomial is a minimax fit of atan(q) / 2 pi on 0..1 with an error below 2e-8 turns. */
CC_SHARED float
cc_direction(float x, float y) {
  const float ax = fabsf(x), ay = fabsf(y);
  const float larger = ax > ay ? ax : ay, smaller = ax > ay ? ay : ax;
  if (larger == 0)
    return 0;
#ifdef __CUDACC__
  const float q = __fdiv_rn(smaller, larger), q2 = __fmul_rn(q, q);
#else
  const float q = smaller / larger, q2 = q * q;
#endif
  float p = 0x1.99fe38p-12f;
  p = fmaf(p, q2, -0x1.2c6c58p-9f);
  p = fmaf(p, q2, 0x1.9eeee6p-8f);
  p = fmaf(p, q2, -0x1.794fbep-7f);
  p = fmaf(p, q2, 0x1.11c51cp-6f);
  p = fmaf(p, q2, -0x1.714478p-6f);
  p = fmaf(p, q2, 0x1.049362p-5f);
  p = fmaf(p, q2, -0x1.b296eap-5f);
  p = fmaf(p, q2, 0x1.45f304p-3f);
#ifdef __CUDACC__
  float t = __fmul_rn(p, q);
#else
  float t = p * q;
#endif
  t = ay > ax ? 0.25f - t : t;
  t = x < 0 ? 0.5f - t : t;
  return y < 0 ? 1.0f - t : t;
}

/* The correctly rounded square root. */
CC_SHARED float
cc_root_f32(float n) {
#ifdef __CUDACC__
  return __fsqrt_rn(n);
#else
  return sqrtf(n);
#endif
}

CC_SHARED double
cc_root_f64(double n) {
#ifdef __CUDACC__
  return __dsqrt_rn(n);
#else
  return sqrt(n);
#endif
}

/* The state of a response over float sums (CC_ARITH_F32). All members are 0 before the first sum.
 */
typedef struct {
  float t;     /* t; with magnitude, the square of t; with direction, the last sum */
  float first; /* with direction: the sum of matrix 0 */
} CcSumsF32;

/* Must be called for matrix 0, then 1, and so on. */
CC_SHARED void
cc_sums_add_f32(CcSumsF32 *sums, CcResponse response, int matrix, float sum) {
  switch (response) {
  case CC_RESPONSE_ABSOLUTE:
    sums->t = fmaxf(sums->t, fabsf(sum));
    return;
  case CC_RESPONSE_MAGNITUDE:
    sums->t = fmaf(sum, sum, sums->t);
    return;
  case CC_RESPONSE_MAGNITUDE_L1:
    sums->t += fabsf(sum);
    return;
  case CC_RESPONSE_DIRECTION:
    sums->t = sum;
    sums->first = matrix == 0 ? sum : sums->first;
    return;
  CC_CASE_PLAIN:
    break;
  }
  sums->t = matrix == 0 ? sum : fmaxf(sums->t, sum);
}

/* Must be called after all sums were added. */
CC_SHARED float
cc_sums_t_f32(const CcSumsF32 *sums, CcResponse response) {
  return response == CC_RESPONSE_MAGNITUDE   ? cc_root_f32(sums->t)
         : response == CC_RESPONSE_DIRECTION ? cc_direction(sums->first, sums->t)
                                             : sums->t;
}

/* The state of a response over integer sums (CC_ARITH_I64). Only `t` needs a 64-bit integer. */
typedef struct {
  long long t;    /* t; with direction, the last sum */
  double squares; /* with magnitude: the sum of the squares */
  float first;    /* with direction: the sum of matrix 0 */
} CcSumsI64;

CC_SHARED void
cc_sums_add_i64(CcSumsI64 *sums, CcResponse response, int matrix, long long sum) {
  const long long absolute = sum < 0 ? -sum : sum;
  switch (response) {
  case CC_RESPONSE_ABSOLUTE:
    sums->t = absolute > sums->t ? absolute : sums->t;
    return;
  case CC_RESPONSE_MAGNITUDE:
    sums->squares = fma((double)sum, (double)sum, sums->squares);
    return;
  case CC_RESPONSE_MAGNITUDE_L1:
    sums->t += absolute;
    return;
  case CC_RESPONSE_DIRECTION:
    sums->t = sum;
    sums->first = matrix == 0 ? (float)sum : sums->first;
    return;
  CC_CASE_PLAIN:
    break;
  }
  sums->t = matrix == 0 || sum > sums->t ? sum : sums->t;
}

/* With direction, t is computed in float. */
CC_SHARED double
cc_sums_t_i64(const CcSumsI64 *sums, CcResponse response) {
  return response == CC_RESPONSE_MAGNITUDE   ? cc_root_f64(sums->squares)
         : response == CC_RESPONSE_DIRECTION ? cc_direction(sums->first, (float)sums->t)
                                             : (double)sums->t;
}

/* --- from t to a code value --- */

/* v rounded down and clamped to an int. */
CC_SHARED int
cc_floor_f32(float v) {
#ifdef __CUDACC__
  return __float2int_rd(v);
#else
  return v >= 0x1p31f ? INT_MAX : v < -0x1p31f ? INT_MIN : (int)floorf(v);
#endif
}

CC_SHARED int
cc_floor_f64(double v) {
#ifdef __CUDACC__
  return __double2int_rd(v);
#else
  return v >= 0x1p31 ? INT_MAX : v < -0x1p31 ? INT_MIN : (int)floor(v);
#endif
}

CC_SHARED int
cc_clamp_code(int v, int lo, int hi) {
  const int raised = v > lo ? v : lo;
  return raised < hi ? raised : hi;
}

/* The code value of t for every response except direction, in float and in double arithmetic. */
CC_SHARED int
cc_code_f32(float t, float mul, float add, int lo, int hi) {
  return cc_clamp_code(cc_floor_f32(fmaf(t, mul, add)), lo, hi);
}

CC_SHARED int
cc_code_f64(double t, double mul, double add, int lo, int hi) {
  return cc_clamp_code(cc_floor_f64(fma(t, mul, add)), lo, hi);
}

/* The code value of a direction in turns, modulo hi + 1, which is a power of two. */
CC_SHARED int
cc_code_of_turns(float turns, float mul, float add, int hi) {
  return cc_floor_f32(fmaf(turns, mul, add)) & hi;
}
