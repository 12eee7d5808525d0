/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Measures the luma of a target. A thread adds the figures of its pixels, a warp those of its
 * threads, and a block those of its warps to the result of the region. */

#include "measure.h"
#include "cuda/instructions.cuh"
#include "luma.cuh"

#include <stddef.h>

#define THREADS (CC_MEASURE_WIDTH * CC_MEASURE_HEIGHT)
#define N_WARPS CC_MEASURE_HEIGHT
#define ALL ~0u

typedef unsigned long long Count;

/* A CcMeasured as an array of counts. */
enum { LARGEST = 3, FIRST_BIN = 7 };
static_assert(sizeof(Count) == sizeof(uint64_t));
static_assert(offsetof(CcMeasured, largest) == LARGEST * sizeof(Count));
static_assert(offsetof(CcMeasured, bin) == FIRST_BIN * sizeof(Count));

/* The figures of a thread, which has up to 32 pixels. */
template <typename Squares> struct Figures {
  unsigned n, sum, largest, n_above, n_black, n_white;
  Squares squares;

  __device__ __forceinline__ void take(const CcMeasureLimits &limits, unsigned code) {
    n++;
    sum += code;
    squares += (Squares)code * code;
    count(limits, code);
  }

  /* Takes four bytes. Their sums are dot products. */
  __device__ __forceinline__ void take_word(const CcMeasureLimits &limits, unsigned word) {
    n += 4;
    sum = __dp4a(word, 0x01010101u, sum);
    squares = __dp4a(word, word, (unsigned)squares);
#pragma unroll
    for (int byte = 0; byte < 4; byte++)
      count(limits, word >> 8 * byte & 0xff);
  }

  __device__ __forceinline__ void count(const CcMeasureLimits &limits, unsigned code) {
    largest = max(largest, code);
    n_above += code >= limits.above;
    n_black += code <= limits.black;
    n_white += code >= limits.white;
  }
};

/* Adds a figure of all lanes of a warp. */
static __device__ __forceinline__ unsigned
add_lanes(unsigned n) {
  for (int lanes = 16; lanes > 0; lanes /= 2)
    n += __shfl_xor_sync(ALL, n, lanes);
  return n;
}

/* Its sum fits 64 bits. */
static __device__ __forceinline__ Count
add_wide_lanes(Count n) {
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    const unsigned low = __shfl_xor_sync(ALL, (unsigned)n, lanes);
    n += (Count)__shfl_xor_sync(ALL, (unsigned)(n >> 32), lanes) << 32 | low;
  }
  return n;
}

static __device__ __forceinline__ unsigned
largest_lane(unsigned n) {
  for (int lanes = 16; lanes > 0; lanes /= 2)
    n = max(n, __shfl_xor_sync(ALL, n, lanes));
  return n;
}

template <typename Sample>
static __device__ __forceinline__ void
measure(const CcLaunch &launch) {
  __shared__ unsigned bin[CC_MEASURE_BINS];
  __shared__ Count total[N_WARPS][FIRST_BIN];
  const CcPlaneJob &job = launch.job[0];
  const CcMeasureJob &priv = *CC_PRIVATE(const CcMeasureJob, &job);
  const int lane = threadIdx.x, warp = threadIdx.y, thread = warp * CC_MEASURE_WIDTH + lane;
  const int left = (int)blockIdx.x % job.tiles_across * CC_MEASURE_TILE_WIDTH;
  const int top = (int)blockIdx.x / job.tiles_across * CC_MEASURE_TILE_HEIGHT;
  allow_next_launch();
  if (priv.has_histogram) {
    for (int i = thread; i < CC_MEASURE_BINS; i += THREADS)
      bin[i] = 0;
    __syncthreads();
  }
  wait_for_last_launch();

  Figures<std::conditional_t<sizeof(Sample) == 1, unsigned, Count>> figures = {};
  const auto take_bin = [&](unsigned code) {
    if (priv.has_histogram)
      atomicAdd(&bin[code >> priv.limits.bin_shift & 0xff], 1u);
  };
  const int right = min(left + CC_MEASURE_TILE_WIDTH, job.width);
  const int bottom = min(top + CC_MEASURE_TILE_HEIGHT, job.height);
  const CcLumaSource &luma = priv.luma;
  const unsigned long long first = luma.address[0] + luma.first[0];
  if (sizeof(Sample) == 1 && luma.n == 1 && luma.spacing[0] == 1 && first % 4 == 0 &&
      luma.pitch[0] % 4 == 0 && left + CC_MEASURE_TILE_WIDTH <= job.width &&
      top + CC_MEASURE_TILE_HEIGHT <= job.height) {
    /* all words of four pixels are loaded before the first is used */
    constexpr int ROWS = CC_MEASURE_TILE_HEIGHT / N_WARPS;
    constexpr int WORDS = CC_MEASURE_TILE_WIDTH / (4 * CC_MEASURE_WIDTH);
    unsigned words[ROWS][WORDS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
      for (int i = 0; i < WORDS; i++)
        words[r][i] =
            ((const unsigned *)(first + (long long)(top + warp + r * N_WARPS) * luma.pitch[0] +
                                left))[lane + i * CC_MEASURE_WIDTH];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
      for (int i = 0; i < WORDS; i++) {
        figures.take_word(priv.limits, words[r][i]);
#pragma unroll
        for (int byte = 0; byte < 4; byte++)
          take_bin(words[r][i] >> 8 * byte & 0xff);
      }
  } else {
    for (int y = top + warp; y < bottom; y += N_WARPS)
      for (int x = left + lane; x < right; x += CC_MEASURE_WIDTH) {
        const unsigned code = luma_at<Sample, true>(launch, job, luma, x, y);
        figures.take(priv.limits, code);
        take_bin(code);
      }
  }

  const Count of_warp[FIRST_BIN] = {
      add_lanes(figures.n),          add_lanes(figures.sum),     add_wide_lanes(figures.squares),
      largest_lane(figures.largest), add_lanes(figures.n_above), add_lanes(figures.n_black),
      add_lanes(figures.n_white)};
  if (lane == 0)
    for (int i = 0; i < FIRST_BIN; i++)
      total[warp][i] = of_warp[i];
  __syncthreads();
  Count *result = (Count *)priv.result; /* a CcMeasured */
  if (thread < FIRST_BIN) {
    Count n = total[0][thread];
    for (int w = 1; w < N_WARPS; w++)
      n = thread == LARGEST ? max(n, total[w][thread]) : n + total[w][thread];
    if (thread == LARGEST)
      atomicMax(&result[thread], n);
    else if (n > 0)
      atomicAdd(&result[thread], n);
  }
  if (priv.has_histogram)
    for (int i = thread; i < CC_MEASURE_BINS; i += THREADS)
      if (bin[i] > 0)
        atomicAdd(&result[FIRST_BIN + i], (Count)bin[i]);
}

CC_ENTRY(cc_measure_u8, THREADS, measure<unsigned char>)
CC_ENTRY(cc_measure_u16, THREADS, measure<unsigned short>)
