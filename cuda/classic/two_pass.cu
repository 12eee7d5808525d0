/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* two-pass: a separable kernel in two launches. The first launch sums along the rows and writes the
 * sums to an intermediate. The second launch sums along the columns. (The classic version, as in
 * NVIDIA's separable convolution samples.)
 *
 * Each launch reads rows and writes them transposed, so the second launch reads the image's columns
 * as rows and is otherwise the same. The transposition goes through shared memory, so that reads
 * and writes are both coalesced. The intermediate holds full sums: float or 64-bit integers.
 *
 * With a kernel of side n, a pixel takes 2 n fetches through the L1 cache and 2 n multiply-adds. A
 * sum for each pixel is also written and read back. A sum has at least 4 bytes, while a sample of
 * the image may have only 1. */

#include "cuda/instructions.cuh"
#include "cuda/tile.cuh"
#include "two_pass.h"

#define SIDE CC_TWO_PASS_TILE_SIDE
#define BLOCK_HEIGHT CC_TWO_PASS_BLOCK_HEIGHT

/* The sums of target column x for one matrix and component, one sum for each source row. They are
 * a row of the intermediate. */
template <typename Sum>
static __device__ __forceinline__ Sum *
intermediate(const CcLaunch &launch, const Tile &tile, int matrix, int x) {
  const CcPlaneJob &job = tile.job;
  const long long column = (long long)(matrix * job.step + tile.component) * job.width + x;
  const uint64_t first = launch.scratch + CC_PRIVATE(const CcTwoPassJob, &job)->intermediate;
  return (Sum *)first + column * CC_TWO_PASS_PITCH(job.src_height);
}

/* The row taps and the column taps of a matrix. They are in the launch parameters if they fit. */
static __device__ __forceinline__ const CcTap *
row_of(const CcLaunch &launch, int matrix) {
  return launch.lines ? (const CcTap *)launch.lines + matrix * launch.window_width
                      : launch.row[matrix];
}

static __device__ __forceinline__ const CcTap *
column_of(const CcLaunch &launch, int matrix) {
  const int rows = launch.n_matrices * launch.window_width;
  return launch.lines ? (const CcTap *)launch.lines + rows + matrix * launch.window_height
                      : launch.column[matrix];
}

/* --- rows --- */

template <typename Sample, typename Sum, bool READ_FREE, bool WRITE_FREE>
static __device__ __forceinline__ void
filter_rows(const CcLaunch &launch, const Tile &tile, Sum (&sums)[SIDE][SIDE + 1]) {
  const CcPlaneJob &job = tile.job;
  const int lane = threadIdx.x, x = tile.x + lane;
  const int n_taps = launch.window_width, left = launch.stride * x - n_taps / 2;
  constexpr int UNROLL = READ_FREE && WRITE_FREE ? SIDE / BLOCK_HEIGHT : 1;
  for (int m = 0; m < launch.n_matrices; m++) {
    const CcTap *row = row_of(launch, m);
#pragma unroll UNROLL
    for (int i = threadIdx.y; i < SIDE; i += BLOCK_HEIGHT) {
      const int y = tile.y + i;
      if (!WRITE_FREE && (x >= job.width || y >= job.src_height))
        continue;
      Sum sum = 0;
#pragma unroll unroll_reads < READ_FREE>
      for (int k = 0; k < n_taps; k++) {
        const int code = fetch<Sample, READ_FREE>(launch, job, left + k, y, tile.component);
        sum = multiply_add(row[k], (Code<Sum>)code, sum);
      }
      sums[i][lane] = sum;
    }
    __syncthreads();
#pragma unroll
    for (int i = threadIdx.y; i < SIDE; i += BLOCK_HEIGHT)
      if (WRITE_FREE || (tile.x + i < job.width && tile.y + lane < job.src_height))
        intermediate<Sum>(launch, tile, m, tile.x + i)[tile.y + lane] = sums[lane][i];
    __syncthreads();
  }
}

template <typename Sample, typename Sum>
static __device__ __forceinline__ void
two_pass_rows(const CcLaunch &launch) {
  __shared__ Sum sums[SIDE][SIDE + 1]; /* a column of padding avoids bank conflicts */
  allow_next_launch();
  wait_for_last_launch(); /* with these calls, the compiler would unroll two_pass_columns less */
  const Tile tile = find_tile(launch, SIDE, SIDE);
  if (!is_filtered(tile.job, tile.component))
    return;
  const int left = launch.stride * tile.x - launch.window_width / 2;
  const int right = left + launch.stride * (SIDE - 1) + launch.window_width - 1;
  run_class(left >= 0 && right < tile.job.src_width,
            tile.x + SIDE <= tile.job.width && tile.y + SIDE <= tile.job.src_height,
            [&](auto read_free, auto write_free) {
              filter_rows<Sample, Sum, decltype(read_free)::value, decltype(write_free)::value>(
                  launch, tile, sums);
            });
}

/* --- columns --- */

/* The sum along source row y for a target column. If row y is outside the source, the border rule
 * determines the row or its code value. */
template <typename Sum, bool READ_FREE>
static __device__ __forceinline__ Sum
fetch_sum(const CcLaunch &launch, const Tile &tile, int matrix, const Sum *column, int y) {
  if (!READ_FREE)
    y = cc_border_index(y, tile.job.src_height, launch.border);
  if (READ_FREE || y >= 0)
    return column[y];
  const CcTap *row = row_of(launch, matrix);
  Sum sum = 0;
  for (int k = 0; k < launch.window_width; k++)
    sum = multiply_add(row[k], (Code<Sum>)tile.job.border_code[tile.component], sum);
  return sum;
}

/* Neighbouring threads of a warp compute pixels below each other, so they read neighbouring sums of
 * a row of the intermediate. */
template <typename Sample, typename Sum, bool READ_FREE, bool WRITE_FREE>
static __device__ __forceinline__ void
filter_columns(const CcLaunch &launch, const Tile &tile, int (&words)[SIDE][SIDE + 1]) {
  const CcPlaneJob &job = tile.job;
  const int n_taps = launch.window_height;
  const int lane = threadIdx.x, top = launch.stride * (tile.y + lane) - n_taps / 2;
#pragma unroll 1
  for (int i = threadIdx.y; i < SIDE; i += BLOCK_HEIGHT) {
    if (!WRITE_FREE && (tile.x + i >= job.width || tile.y + lane >= job.height))
      continue;
    Response<Sum> response;
    for (int m = 0; m < launch.n_matrices; m++) {
      const Sum *sums = intermediate<Sum>(launch, tile, m, tile.x + i);
      const CcTap *column = column_of(launch, m);
      Sum sum = 0;
#pragma unroll unroll_reads < READ_FREE>
      for (int k = 0; k < n_taps; k++)
        sum =
            multiply_add(column[k], fetch_sum<Sum, READ_FREE>(launch, tile, m, sums, top + k), sum);
      response.add(launch.response, m, sum);
    }
    words[i][lane] = response.code(launch.response, job) << job.shift;
  }
  __syncthreads();
#pragma unroll
  for (int i = threadIdx.y; i < SIDE; i += BLOCK_HEIGHT)
    store<Sample, WRITE_FREE>(job, tile.x + lane, tile.y + i, tile.component, words[lane][i]);
}

template <typename Sample, typename Sum>
static __device__ __forceinline__ void
two_pass_columns(const CcLaunch &launch) {
  __shared__ int words[SIDE][SIDE + 1];
  const Tile tile = find_tile(launch, SIDE, SIDE);
  if (!is_filtered(tile.job, tile.component)) {
    for (int i = threadIdx.y; i < SIDE; i += BLOCK_HEIGHT)
      store_unfiltered<Sample>(launch, tile.job, tile.x + threadIdx.x, tile.y + i, tile.component);
    return;
  }
  const int top = launch.stride * tile.y - launch.window_height / 2;
  const int bottom = top + launch.stride * (SIDE - 1) + launch.window_height - 1;
  run_class(top >= 0 && bottom < tile.job.src_height, is_write_free(tile, SIDE, SIDE),
            [&](auto read_free, auto write_free) {
              filter_columns<Sample, Sum, decltype(read_free)::value, decltype(write_free)::value>(
                  launch, tile, words);
            });
}

CC_ENTRIES(cc_two_pass_rows, SIDE *BLOCK_HEIGHT, two_pass_rows)
CC_ENTRIES(cc_two_pass_columns, SIDE *BLOCK_HEIGHT, two_pass_columns)
