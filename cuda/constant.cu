/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* constant: one thread a sample, the taps in the constant bank. It runs every plan: any window, any
 * number of matrices, both arithmetics. (Kirk and Hwu, Programming Massively Parallel Processors,
 * chapter 7.3.) */

#include "finish.cuh"

#define BLOCK_WIDTH CC_CONSTANT_BLOCK_WIDTH
#define BLOCK_HEIGHT CC_CONSTANT_BLOCK_HEIGHT

static __device__ __forceinline__ float
multiply_add(CcTap tap, int code, float sum) {
  return __fmaf_rn(tap.f, (float)code, sum);
}

static __device__ __forceinline__ long long
multiply_add(CcTap tap, int code, long long sum) {
  return sum + (long long)tap.i * code;
}

static __device__ __forceinline__ float
multiply_add(CcTap tap, float row, float sum) {
  return __fmaf_rn(tap.f, row, sum);
}

static __device__ __forceinline__ long long
multiply_add(CcTap tap, long long row, long long sum) {
  return sum + (long long)tap.i * row;
}

/* The code value at pixel (x, y) of a component; INTERIOR promises that it lies inside. */
template <typename Sample, bool INTERIOR>
static __device__ __forceinline__ int
fetch(const CcLaunch &launch, int x, int y, int component) {
  if (!INTERIOR) {
    x = cc_border_index(x, launch.width, launch.border);
    y = cc_border_index(y, launch.height, launch.border);
    if (x < 0 || y < 0)
      return launch.border_code[component];
  }
  const char *row = (const char *)launch.src + (long long)y * launch.src_pitch;
  return ((const Sample *)row)[(long long)x * launch.step + component] >> launch.shift;
}

/* The sum of one matrix around (x, y). Separable windows are summed row by row, as specified. */
template <typename Sample, typename Sum, bool INTERIOR>
static __device__ __forceinline__ Sum
convolve(const CcLaunch &launch, int matrix, int x, int y, int component) {
  const int width = launch.window_width, height = launch.window_height;
  const int left = x - width / 2, top = y - height / 2;
  Sum sum = 0;
  for (int r = 0; r < height; r++) {
    if (launch.separable) {
      Sum row = 0;
      for (int c = 0; c < width; c++)
        row = multiply_add(launch.row[matrix][c],
                           fetch<Sample, INTERIOR>(launch, left + c, top + r, component), row);
      sum = multiply_add(launch.column[matrix][r], row, sum);
    } else {
      const CcTap *taps = &launch.tap[(matrix * height + r) * width];
      for (int c = 0; c < width; c++)
        sum = multiply_add(taps[c], fetch<Sample, INTERIOR>(launch, left + c, top + r, component),
                           sum);
    }
  }
  return sum;
}

template <typename Sample, typename Sum, bool INTERIOR>
static __device__ __forceinline__ void
run(const CcLaunch &launch, int x, int y, int component) {
  char *row = (char *)launch.dst + (long long)y * launch.dst_pitch;
  Sample *out = (Sample *)row + (long long)x * launch.step + component;
  if (launch.filter_mask >> component & 1) {
    Response<Sum> response;
    for (int m = 0; m < launch.n_matrices; m++)
      response.add(launch, m, convolve<Sample, Sum, INTERIOR>(launch, m, x, y, component));
    *out = (Sample)(response.code(launch) << launch.shift);
  } else {
    const char *src = (const char *)launch.src + (long long)y * launch.src_pitch;
    const int stored = ((const Sample *)src)[(long long)x * launch.step + component];
    *out = (Sample)unfiltered(launch, component, stored);
  }
}

template <typename Sample, typename Sum>
static __device__ __forceinline__ void
constant(const CcLaunch &launch) {
  const int left = blockIdx.x * BLOCK_WIDTH, top = blockIdx.y * BLOCK_HEIGHT;
  const int sample = left + threadIdx.x, y = top + threadIdx.y;
  if (sample >= launch.width * launch.step || y >= launch.height)
    return;
  const int x = sample / launch.step, component = sample % launch.step;
  const int written = launch.filter_mask | launch.copy_mask | launch.fill_mask;
  if (!(written >> component & 1))
    return;
  const int reach_x = launch.window_width / 2, reach_y = launch.window_height / 2;
  const int first = left / launch.step, last = (left + BLOCK_WIDTH - 1) / launch.step;
  const bool interior = first >= reach_x && last + reach_x < launch.width && top >= reach_y &&
                        top + BLOCK_HEIGHT - 1 + reach_y < launch.height;
  if (interior)
    run<Sample, Sum, true>(launch, x, y, component);
  else
    run<Sample, Sum, false>(launch, x, y, component);
}

#define ENTRY(name, Sample, Sum)                                                                   \
  extern "C" __global__ void __launch_bounds__(BLOCK_WIDTH *BLOCK_HEIGHT)                          \
      name(const __grid_constant__ CcLaunch launch) {                                              \
    constant<Sample, Sum>(launch);                                                                 \
  }

ENTRY(cc_constant_u8_f32, unsigned char, float)
ENTRY(cc_constant_u8_i64, unsigned char, long long)
ENTRY(cc_constant_u16_f32, unsigned short, float)
ENTRY(cc_constant_u16_i64, unsigned short, long long)
