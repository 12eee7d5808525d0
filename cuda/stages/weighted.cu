/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stages PREMULTIPLY (cc_premultiply_u8, cc_premultiply_u16) and DIVIDE (cc_divide_u8,
 * cc_divide_u16). */

#include "weighted.h"
#include "cuda/instructions.cuh"
#include "cuda/tile.cuh"

/* A pixel of the frame. */
template <typename Sample> struct alignas(4 * sizeof(Sample)) Pixel { Sample code[4]; };

/* The pixel of an inner plane that has luma. */
struct alignas(4) Luma {
  unsigned short product, weight;
};

typedef Pixel<unsigned short> Products;

/* Calls run(x, y) for each pixel of the thread. */
template <typename Run>
static __device__ __forceinline__ void
run_pixels(const CcPlaneJob &job, Run run) {
  const int index = blockIdx.x - job.first_tile;
  const int x = index % job.tiles_across * CC_WEIGHTED_WIDTH + threadIdx.x;
  const int top = index / job.tiles_across * CC_WEIGHTED_HEIGHT * CC_WEIGHTED_ROWS + threadIdx.y;
  if (x >= job.width)
    return;
#pragma unroll
  for (int i = 0; i < CC_WEIGHTED_ROWS; i++)
    if (top + i * CC_WEIGHTED_HEIGHT < job.height)
      run(x, top + i * CC_WEIGHTED_HEIGHT);
}

template <typename Sample>
static __device__ __forceinline__ void
premultiply(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const CcPlaneJob &job = find_job(launch, blockIdx.x);
  const CcWeightedJob &priv = *CC_PRIVATE(const CcWeightedJob, &job);
  constexpr unsigned MAX = sizeof(Sample) == 1 ? 255 : 65535;
  run_pixels(job, [&](int x, int y) {
    const Pixel<Sample> from = source_row<Pixel<Sample>>(job, y)[x];
    unsigned alpha = 0;
#pragma unroll
    for (int c = 0; c < 4; c++)
      alpha = c == priv.alpha ? from.code[c] : alpha;
    if (priv.is_luma) {
      unsigned rgb[3] = {};
#pragma unroll
      for (int c = 0; c < 4; c++)
#pragma unroll
        for (int i = 0; i < 3; i++)
          rgb[i] = c == priv.rgb[i] ? from.code[c] : rgb[i];
      const unsigned luma = (unsigned)cc_luma_of(rgb[0], rgb[1], rgb[2]);
      target_row<Luma>(job, y)[x] = {(unsigned short)cc_weighted_multiply(luma, alpha, MAX),
                                     (unsigned short)cc_weighted_multiply(MAX, alpha, MAX)};
      return;
    }
    Products to;
#pragma unroll
    for (int c = 0; c < 4; c++)
      to.code[c] =
          (unsigned short)cc_weighted_multiply(c == priv.alpha ? MAX : from.code[c], alpha, MAX);
    target_row<Products>(job, y)[x] = to;
  });
}

template <typename Sample>
static __device__ __forceinline__ void
divide(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const CcPlaneJob &job = find_job(launch, blockIdx.x);
  const CcWeightedJob &priv = *CC_PRIVATE(const CcWeightedJob, &job);
  constexpr unsigned MAX = sizeof(Sample) == 1 ? 255 : 65535;
  run_pixels(job, [&](int x, int y) {
    Products from;
    unsigned weight = 0;
    if (priv.is_luma) {
      const Luma luma = source_row<Luma>(job, y)[x];
      from = {luma.product, luma.product, luma.product, luma.product};
      weight = luma.weight;
    } else {
      from = source_row<Products>(job, y)[x];
#pragma unroll
      for (int c = 0; c < 4; c++)
        weight = c == priv.alpha ? from.code[c] : weight;
    }
    if (weight == 0)
      return;
    /* another job may make the other colors of the pixel */
    Pixel<Sample> &to = target_row<Pixel<Sample>>(job, y)[x];
#pragma unroll
    for (int c = 0; c < 4; c++)
      if (job.filter_mask >> c & 1)
        to.code[c] = (Sample)cc_weighted_divide(from.code[c], weight, MAX);
  });
}

#define THREADS (CC_WEIGHTED_WIDTH * CC_WEIGHTED_HEIGHT)
CC_ENTRY(cc_premultiply_u8, THREADS, premultiply<unsigned char>)
CC_ENTRY(cc_premultiply_u16, THREADS, premultiply<unsigned short>)
CC_ENTRY(cc_divide_u8, THREADS, divide<unsigned char>)
CC_ENTRY(cc_divide_u16, THREADS, divide<unsigned short>)
