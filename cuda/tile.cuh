/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Common code of the classic algorithms and of stages: the tile of a block, which boundary tests
 * the tile needs, single samples, and the sum over a window. */

#include <type_traits>
#include "output_stage.cuh"
#include "tile_sizes.h"

/* --- tiles --- */

/* A rectangle of target pixels in one component of a plane job. */
struct Tile {
  const CcPlaneJob &job;
  int x, y; /* top left pixel */
  int component;
};

static __device__ __forceinline__ const CcPlaneJob &
find_job(const CcLaunch &launch, int tile) {
  int p = 0;
  while (p + 1 < launch.n_jobs && tile >= launch.job[p + 1].first_tile)
    p++;
  return launch.job[p];
}

/* The tile of the block. Tiles have `width` by `height` pixels. Neighbouring tiles in the list
 * cover the same pixels, in different components. */
static __device__ __forceinline__ Tile
find_tile(const CcLaunch &launch, int width, int height) {
  const CcPlaneJob &job = find_job(launch, blockIdx.x);
  const int index = blockIdx.x - job.first_tile;
  const int column = index % job.tiles_across, row = index / job.tiles_across;
  return {job, column / job.step * width, row * height, column % job.step};
}

/* Whether columns `left` to `right` and rows `top` to `bottom`, including the last ones, lie inside
 * the source. */
static __device__ __forceinline__ bool
is_inside(const CcPlaneJob &job, int left, int top, int right, int bottom) {
  return left >= 0 && top >= 0 && right < job.src_width && bottom < job.src_height;
}

/* A tile is free on read if the windows around all of its pixels lie inside the source. */
static __device__ __forceinline__ bool
is_read_free(const CcLaunch &launch, const Tile &tile, int width, int height) {
  const int left = launch.stride * tile.x - launch.window_width / 2;
  const int top = launch.stride * tile.y - launch.window_height / 2;
  return is_inside(tile.job, left, top,
                   left + launch.stride * (width - 1) + launch.window_width - 1,
                   top + launch.stride * (height - 1) + launch.window_height - 1);
}

/* A tile is free on write if it lies inside the target. */
static __device__ __forceinline__ bool
is_write_free(const Tile &tile, int width, int height) {
  return tile.x + width <= tile.job.width && tile.y + height <= tile.job.height;
}

/* Calls run(read_free, write_free) with compile-time constants. Each of the four classes of tiles
 * then has its own code, and reads or writes that are free have no boundary test. */
template <typename Run>
static __device__ __forceinline__ void
run_class(bool read_free, bool write_free, Run run) {
  if (read_free && write_free)
    run(std::true_type(), std::true_type());
  else if (read_free)
    run(std::true_type(), std::false_type());
  else if (write_free)
    run(std::false_type(), std::true_type());
  else
    run(std::false_type(), std::false_type());
}

/* --- samples --- */

template <typename Sample>
static __device__ __forceinline__ const Sample *
source_row(const CcPlaneJob &job, int y) {
  return (const Sample *)((const char *)job.src + (long long)y * job.src_pitch);
}

template <typename Sample>
static __device__ __forceinline__ Sample *
target_row(const CcPlaneJob &job, int y) {
  return (Sample *)((char *)job.dst + (long long)y * job.dst_pitch);
}

/* The code value of a stored word. 8-bit words are never shifted. */
template <typename Sample>
static __device__ __forceinline__ int
code_of(const CcPlaneJob &job, Sample word) {
  return sizeof(Sample) == 1 ? word : word >> job.shift;
}

/* The code value of source pixel (x, y). Outside the source, the border rule determines the value.
 * With READ_FREE the pixel must be inside. */
template <typename Sample, bool READ_FREE>
static __device__ __forceinline__ int
fetch(const CcLaunch &launch, const CcPlaneJob &job, int x, int y, int component) {
  if (!READ_FREE) {
    x = cc_border_index(x, job.src_width, launch.border);
    y = cc_border_index(y, job.src_height, launch.border);
    if (x < 0 || y < 0)
      return job.border_code[component];
  }
  return code_of(job, source_row<Sample>(job, y)[x * job.step + component]);
}

/* Writes a word to target pixel (x, y), if the pixel is inside the target. With WRITE_FREE the
 * pixel must be inside. */
template <typename Sample, bool WRITE_FREE>
static __device__ __forceinline__ void
store(const CcPlaneJob &job, int x, int y, int component, int word) {
  if (WRITE_FREE || (x < job.width && y < job.height))
    target_row<Sample>(job, y)[x * job.step + component] = (Sample)word;
}

static __device__ __forceinline__ bool
is_filtered(const CcPlaneJob &job, int component) {
  return job.filter_mask >> component & 1;
}

/* Copies or fills a component of target pixel (x, y), if copy_mask or fill_mask contains the
 * component. Does nothing if the pixel is outside the target. */
template <typename Sample>
static __device__ __forceinline__ void
store_unfiltered(const CcLaunch &launch, const CcPlaneJob &job, int x, int y, int component) {
  if (x >= job.width || y >= job.height)
    return;
  const int at = launch.stride * x * job.step + component;
  if (job.copy_mask >> component & 1)
    store<Sample, true>(job, x, y, component, source_row<Sample>(job, launch.stride * y)[at]);
  else if (job.fill_mask >> component & 1)
    store<Sample, true>(job, x, y, component, job.fill[component] << job.shift);
}

/* Calls store_unfiltered for the thread's pixel of a tile of width x height pixels. Threads outside
 * the tile do nothing. */
template <typename Sample>
static __device__ __forceinline__ void
store_unfiltered_tile(const CcLaunch &launch, const Tile &tile, int width, int height) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x < width && y < height)
    store_unfiltered<Sample>(launch, tile.job, tile.x + x, tile.y + y, tile.component);
}

/* --- sums: float, int or long long --- */

/* The type of code values while they are summed. */
template <typename Sum> using Code = std::conditional_t<std::is_same_v<Sum, float>, float, int>;

static __device__ __forceinline__ float
multiply_add(CcTap tap, float value, float sum) {
  return __fmaf_rn(tap.f, value, sum);
}

static __device__ __forceinline__ int
multiply_add(CcTap tap, int value, int sum) {
  return sum + tap.i * value;
}

static __device__ __forceinline__ long long
multiply_add(CcTap tap, int value, long long sum) {
  return sum + (long long)tap.i * value;
}

static __device__ __forceinline__ long long
multiply_add(CcTap tap, long long value, long long sum) {
  return sum + tap.i * value;
}

/* The unroll factor of the loop that reads a window. Reads with the border rule are not unrolled,
 * because their code is long and few tiles need the border rule. */
template <bool READ_FREE> constexpr int unroll_reads = READ_FREE ? 4 : 1;

/* The sum of one matrix over a window. code(c, r) returns the code value in column c of row r. The
 * loop over a row is unrolled by UNROLL. `taps` has the taps: it is `launch` itself or a copy of it
 * in device memory. */
template <typename Sum, int UNROLL, typename GetCode>
static __device__ __forceinline__ Sum
sum_window(const CcLaunch &launch, const CcLaunch &taps, int matrix, GetCode code) {
  const int width = launch.window_width, height = launch.window_height;
  Sum sum = 0;
  for (int r = 0; r < height; r++) {
    if (launch.separable) {
      Sum row = 0;
#pragma unroll UNROLL
      for (int c = 0; c < width; c++)
        row = multiply_add(taps.row[matrix][c], (Code<Sum>)code(c, r), row);
      sum = multiply_add(taps.column[matrix][r], row, sum);
    } else {
      const CcTap *tap = &taps.tap[(matrix * height + r) * width];
#pragma unroll UNROLL
      for (int c = 0; c < width; c++)
        sum = multiply_add(tap[c], (Code<Sum>)code(c, r), sum);
    }
  }
  return sum;
}

/* The stored word of a target pixel, computed from its window. */
template <typename Sum, int UNROLL, typename GetCode>
static __device__ __forceinline__ int
filter_window(const CcLaunch &launch, const CcLaunch &taps, const CcPlaneJob &job, GetCode code) {
  Response<Sum> response;
  for (int m = 0; m < launch.n_matrices; m++)
    response.add(launch.response, m, sum_window<Sum, UNROLL>(launch, taps, m, code));
  return response.code(launch.response, job) << job.shift;
}

/* --- entry points --- */

#define CC_ENTRY(name, threads, ...)                                                               \
  extern "C" __global__ void __launch_bounds__(threads)                                            \
      name(const __grid_constant__ CcLaunch launch) {                                              \
    __VA_ARGS__(launch);                                                                           \
  }

/* Defines a kernel with float sums for each type of samples: NAME_u8_f32 runs BODY<unsigned char,
 * float>. */
#define CC_FLOAT_ENTRIES(name, threads, body)                                                      \
  CC_ENTRY(name##_u8_f32, threads, body<unsigned char, float>)                                     \
  CC_ENTRY(name##_u16_f32, threads, body<unsigned short, float>)

/* Defines the kernels of CC_FLOAT_ENTRIES, and kernels with 64-bit integer sums such as
 * NAME_u8_i64. */
#define CC_ENTRIES(name, threads, body)                                                            \
  CC_FLOAT_ENTRIES(name, threads, body)                                                            \
  CC_ENTRY(name##_u8_i64, threads, body<unsigned char, long long>)                                 \
  CC_ENTRY(name##_u16_i64, threads, body<unsigned short, long long>)
