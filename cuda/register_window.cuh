/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the two ways of register_window.cu have in common: a strip and the rows that it reads, the
 * sums under way, and the last step. */

#include "register_window.h"
#include "tile.cuh"

#define LANES 32
#define WARPS CC_REGISTER_WINDOW_WARPS
#define TILE_WIDTH CC_REGISTER_WINDOW_TILE_WIDTH
#define PER_LANE (TILE_WIDTH / LANES) /* samples */
#define MAX_STEP CC_REGISTER_WINDOW_MAX_STEP
#define EXPONENT 0x4B000000u /* of 2^23: its low bits count in ones */

enum Shape { full, sep };
typedef float f32;
typedef int i32;

/* Where a warp works. */
struct Strip {
  const CcPart &part;
  int left;      /* its first target sample, counted along the row */
  int top, rows; /* target rows */
};

/* A value that is the same in all lanes. It stays in a register from here on; what comes from the
 * launch's parameters would be loaded again for every row. */
template <typename T>
static __device__ __forceinline__ T
keep(T value) {
  return __shfl_sync(~0u, value, 0);
}

/* Whether samples have two bytes, not one. */
static __device__ __forceinline__ bool
has_wide_samples(const CcPart &part) {
  return part.sample_bytes == 2;
}

/* --- samples --- */

static __device__ __forceinline__ unsigned
load_sample(bool wide, const char *address) {
  return wide ? __ldg((const unsigned short *)address) : __ldg((const unsigned char *)address);
}

static __device__ __forceinline__ void
store_sample(bool wide, char *address, unsigned word) {
  if (wide)
    *(unsigned short *)address = (unsigned short)word;
  else
    *(unsigned char *)address = (unsigned char)word;
}

/* A sample that is behind the exponent of 2^23 as the sum's type. It takes the place of a
 * conversion, which is slow. */
template <typename Sum>
static __device__ __forceinline__ Sum
behind_exponent(unsigned bits) {
  if constexpr (std::is_same_v<Sum, float>)
    return __uint_as_float(bits) - __uint_as_float(EXPONENT);
  else
    return (int)(bits & 0xFFFF);
}

template <typename Sum>
static __device__ __forceinline__ Sum
decode_sample(int shift, unsigned stored) {
  return behind_exponent<Sum>(stored >> shift | EXPONENT);
}

/* --- rows --- */

/* Which source rows a strip reads, from the top down, by the border rule. Each lane works out one
 * row in 32. */
class SourceRows {
  const CcLaunch &launch;
  int height, first, mine;

public:
  __device__ __forceinline__ SourceRows(const CcLaunch &launch, const CcPart &part, int first)
      : launch(launch), height(part.src_height), first(first) {
    look_up(0);
  }

  /* Makes rows `r` to r + 31 known, r a multiple of 32. */
  __device__ __forceinline__ void look_up(int r) {
    mine = cc_border_index(first + r + (int)threadIdx.x, height, launch.border);
  }

  /* Whether none of the first n rows is one of the constant border. */
  __device__ __forceinline__ bool all_exist(int n) const {
    return launch.border != CC_BORDER_CONSTANT || (first >= 0 && first + n <= height);
  }

  /* The source row of row `r`, or -1 for one of the constant border. */
  __device__ __forceinline__ int at(int r) const {
    return __shfl_sync(~0u, mine, r & (LANES - 1));
  }
};

/* --- sums --- */

/* The output rows of PER_LANE samples that are under way. Each new source row adds to all of them:
 * it is the last row of the window of the oldest, and the first one of a new output row. */
template <typename Sum, int K, Shape SHAPE, int M> struct Sums {
  Sum rows[M][PER_LANE][K - 1]; /* the oldest first */

  __device__ __forceinline__ Sums() {
#pragma unroll
    for (int m = 0; m < M; m++)
#pragma unroll
      for (int i = 0; i < PER_LANE; i++)
#pragma unroll
        for (int k = 0; k < K - 1; k++)
          rows[m][i][k] = 0;
  }

  /* Adds row `k` of the window, which lies on the samples `v`, to `sum`; `across` is their
   * horizontal sum. */
  static __device__ __forceinline__ Sum add_row(const CcLaunch &launch, int m, int k,
                                                const Sum (&v)[K], Sum across, Sum sum) {
    if constexpr (SHAPE == sep) {
      return multiply_add(launch.column[m][k], across, sum);
    } else {
#pragma unroll
      for (int c = 0; c < K; c++)
        sum = multiply_add(launch.tap[k * K + c], v[c], sum);
      return sum;
    }
  }

  /* Adds a source row to sample i; `done` gets the sums of the output row that is complete. */
  __device__ __forceinline__ void add(const CcLaunch &launch, int i, const Sum (&v)[K],
                                      Sum (&done)[M][PER_LANE]) {
#pragma unroll
    for (int m = 0; m < M; m++) {
      Sum across = 0;
      if constexpr (SHAPE == sep) {
#pragma unroll
        for (int c = 0; c < K; c++)
          across = multiply_add(launch.row[m][c], v[c], across);
      }
      Sum(&sum)[K - 1] = rows[m][i];
      done[m][i] = add_row(launch, m, K - 1, v, across, sum[0]);
#pragma unroll
      for (int k = 0; k < K - 2; k++)
        sum[k] = add_row(launch, m, K - 2 - k, v, across, sum[k + 1]);
      sum[K - 2] = add_row(launch, m, 0, v, across, (Sum)0);
    }
  }
};

/* --- the last step, as engine/last_step_shared.h defines it, but in fewer instructions --- */

static __device__ __forceinline__ float
widen(float sum) {
  return sum;
}

/* By way of 2^52 + 2^31 + sum, because conversions to double are slow. */
static __device__ __forceinline__ double
widen(int sum) {
  return __hiloint2double(0x43300000, sum ^ INT_MIN) - 4503601774854144.0;
}

static __device__ __forceinline__ int
absolute(int a) {
  return abs(a);
}

static __device__ __forceinline__ float
absolute(float a) {
  return fabsf(a);
}

/* The scale, offset and limits of a part. linear() leaves the code value in the low 16 bits. */
template <typename Sum> struct Finish;

template <> struct Finish<float> {
  float mul, add, lo, hi;

  __device__ __forceinline__ explicit Finish(const CcPart &part)
      : mul(keep(part.mul_f)), add(keep(part.add_f)), lo(keep((float)part.lo)),
        hi(keep((float)part.hi)) {
  }

  __device__ __forceinline__ unsigned linear(float t) const {
    const float v = fminf(fmaxf(__fmaf_rn(t, mul, add), lo), hi);
    /* cc_code_f32: rounding comes after clamping, which changes nothing between whole bounds */
    return __float_as_uint(__fadd_rd(v, __uint_as_float(EXPONENT)));
  }

  static __device__ __forceinline__ float add_square(float a, float sum) {
    return __fmaf_rn(a, a, sum);
  }

  static __device__ __forceinline__ float root(float a) {
    return cc_root_f32(a);
  }
};

template <> struct Finish<int> {
  double mul, add;
  int lo, hi;

  __device__ __forceinline__ explicit Finish(const CcPart &part)
      : mul(keep(part.mul)), add(keep(part.add)), lo(keep(part.lo)), hi(keep(part.hi)) {
  }

  __device__ __forceinline__ unsigned linear(double t) const {
    return cc_code_f64(t, mul, add, lo, hi);
  }

  static __device__ __forceinline__ double add_square(double a, double sum) {
    return __fma_rn(a, a, sum);
  }

  static __device__ __forceinline__ double root(double a) {
    return cc_root_f64(a);
  }
};

/* Calls make(i) for the samples of a lane. */
template <typename Make>
static __device__ __forceinline__ void
for_each_sample(unsigned (&code)[PER_LANE], Make make) {
#pragma unroll
  for (int i = 0; i < PER_LANE; i++)
    code[i] = make(i);
}

/* What one matrix, or two, mostly are for. */
static __device__ __forceinline__ bool
is_usual(CcResponse response, int matrices) {
  return matrices == 2 ? response == CC_RESPONSE_MAGNITUDE
                       : response == CC_RESPONSE_CLAMP || response == CC_RESPONSE_OFFSET;
}

template <typename Sum, int M>
static __device__ __forceinline__ void
finish_plain(const Finish<Sum> &finish, const Sum (&sum)[M][PER_LANE], unsigned (&code)[PER_LANE]) {
  for_each_sample(code, [&](int i) {
    return finish.linear(widen(M == 1 ? sum[0][i] : max(sum[0][i], sum[M - 1][i])));
  });
}

template <typename Sum, int M>
static __device__ __forceinline__ void
finish_magnitude(const Finish<Sum> &finish, const Sum (&sum)[M][PER_LANE],
                 unsigned (&code)[PER_LANE]) {
  for_each_sample(code, [&](int i) {
    auto squares = finish.add_square(widen(sum[0][i]), 0);
    if (M == 2)
      squares = finish.add_square(widen(sum[M - 1][i]), squares);
    return finish.linear(finish.root(squares));
  });
}

/* The code values of a lane's samples, in the low 16 bits. The response is asked for once for all
 * of them. USUAL promises that is_usual. */
template <typename Sum, int M, bool USUAL>
static __device__ __forceinline__ void
finish_samples(const CcLaunch &launch, const CcPart &part, const Finish<Sum> &finish,
               const Sum (&sum)[M][PER_LANE], unsigned (&code)[PER_LANE]) {
  if (USUAL && M == 1)
    finish_plain(finish, sum, code);
  else if (USUAL || launch.response == CC_RESPONSE_MAGNITUDE)
    finish_magnitude(finish, sum, code);
  else if (launch.response == CC_RESPONSE_MAGNITUDE_L1)
    for_each_sample(code, [&](int i) {
      auto t = widen(absolute(sum[0][i]));
      if (M == 2)
        t += widen(absolute(sum[M - 1][i]));
      return finish.linear(t);
    });
  else if (launch.response == CC_RESPONSE_ABSOLUTE)
    for_each_sample(code, [&](int i) {
      const Sum first = absolute(sum[0][i]), second = absolute(sum[M - 1][i]);
      return finish.linear(widen(M == 1 ? first : max(first, second)));
    });
  else if (M == 2 && launch.response == CC_RESPONSE_DIRECTION)
    for_each_sample(code, [&](int i) {
      const float turns = cc_direction((float)sum[0][i], (float)sum[M - 1][i]);
      return cc_code_of_turns(turns, part.mul_f, part.add_f, part.hi);
    });
  else
    finish_plain(finish, sum, code);
}
