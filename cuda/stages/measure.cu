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
    largest = max(largest, code);
    n_above += code >= limits.above;
    n_black += code <= limits.black;
    n_white += code >= limits.white;
  }

  /* Takes the bytes of words. Their sums are dot products. Two codes lie in the halves of a
   * word when they are counted: each that reaches a limit carries to bit 8 of its half. */
  template <int N>
  __device__ __forceinline__ void take_words(const CcMeasureLimits &limits,
                                             const unsigned (&words)[N]) {
    static_assert(2 * N < 256, "a half counts two codes of each word, in 8 bits");
    const auto carry_at = [](unsigned limit) { return (256 - min(limit, 256u)) * 0x00010001u; };
    const unsigned to_above = carry_at(limits.above), to_white = carry_at(limits.white);
    const unsigned over_black = carry_at(limits.black + 1u);
    unsigned most = 0, above = 0, white = 0, brighter = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
      sum = __dp4a(words[i], 0x01010101u, sum);
      squares = __dp4a(words[i], words[i], (unsigned)squares);
#pragma unroll
      for (int odd = 0; odd < 2; odd++) {
        const unsigned codes = words[i] >> 8 * odd & 0x00ff00ff, carries = 0x01000100;
        most = __vmaxu2(most, codes);
        above += (codes + to_above) & carries;
        white += (codes + to_white) & carries;
        brighter += (codes + over_black) & carries;
      }
    }
    const auto count_of = [](unsigned carries) { return (carries >> 8 & 0xff) + (carries >> 24); };
    n += 4 * N;
    n_above += count_of(above);
    n_white += count_of(white);
    n_black += 4 * N - count_of(brighter);
    largest = max(largest, max(most & 0xffff, most >> 16));
  }
};

/* Adds a figure of all lanes of a warp. Its sum fits the type. */
static __device__ __forceinline__ unsigned
add_lanes(unsigned n) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(ALL, n);
#endif
  for (int lanes = 16; lanes > 0; lanes /= 2)
    n += __shfl_xor_sync(ALL, n, lanes);
  return n;
}

static __device__ __forceinline__ Count
add_lanes(Count n) {
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    const unsigned low = __shfl_xor_sync(ALL, (unsigned)n, lanes);
    n += (Count)__shfl_xor_sync(ALL, (unsigned)(n >> 32), lanes) << 32 | low;
  }
  return n;
}

static __device__ __forceinline__ unsigned
largest_lane(unsigned n) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(ALL, n);
#endif
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
    unsigned words[ROWS * WORDS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
      for (int i = 0; i < WORDS; i++)
        words[r * WORDS + i] =
            ((const unsigned *)(first + (long long)(top + warp + r * N_WARPS) * luma.pitch[0] +
                                left))[lane + i * CC_MEASURE_WIDTH];
    figures.take_words(priv.limits, words);
#pragma unroll
    for (int i = 0; i < 4 * ROWS * WORDS; i++)
      take_bin(words[i / 4] >> i % 4 * 8 & 0xff);
  } else {
    for (int y = top + warp; y < bottom; y += N_WARPS)
      for (int x = left + lane; x < right; x += CC_MEASURE_WIDTH) {
        const unsigned code = luma_at<Sample, true>(launch, job, luma, x, y);
        figures.take(priv.limits, code);
        take_bin(code);
      }
  }

  const Count of_warp[FIRST_BIN] = {add_lanes(figures.n),       add_lanes(figures.sum),
                                    add_lanes(figures.squares), largest_lane(figures.largest),
                                    add_lanes(figures.n_above), add_lanes(figures.n_black),
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
