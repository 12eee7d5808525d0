/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tile-cached: a block loads only its own tile into shared memory. Halo pixels are read from global
 * memory. They are in the L2 cache, because neighbouring blocks have just loaded them. (Kirk, Hwu
 * and El Hajj, Programming Massively Parallel Processors, chapter 7.5.)
 *
 * Without a stride, input and output tile are the same pixels, so no thread is idle and no pixel is
 * loaded into shared memory twice. The price is a test on every read whether the pixel is in the
 * tile. With a stride of n, only every n-th pixel of the tile is computed.
 *
 * With K = w * h taps a pixel takes one fetch from global memory, plus one for each halo pixel near
 * the edges of the tile. The rest of the K reads are from shared memory. A pixel also takes K
 * multiply-adds. */

#include "cuda/tile.cuh"

#define SIDE CC_SHARED_TILE_SIDE

template <typename Sample, typename Sum, bool READ_FREE, bool WRITE_FREE>
static __device__ __forceinline__ void
filter_tile(const CcLaunch &launch, const Tile &tile, int side, Code<Sum> (&samples)[SIDE][SIDE]) {
  const CcPlaneJob &job = tile.job;
  const int x = threadIdx.x, y = threadIdx.y;
  /* (left, top) is the source pixel at the tile's top left. `right` and `bottom` are the numbers of
   * the tile's columns and rows that lie in the source. */
  const int left = launch.stride * tile.x, top = launch.stride * tile.y;
  const unsigned right = READ_FREE ? SIDE : min(SIDE, job.src_width - left);
  const unsigned bottom = READ_FREE ? SIDE : min(SIDE, job.src_height - top);
  if ((unsigned)x < right && (unsigned)y < bottom)
    samples[y][x] = fetch<Sample, true>(launch, job, left + x, top + y, tile.component);
  __syncthreads();
  if (x >= side || y >= side)
    return;
  const int window_x = launch.stride * x - launch.window_width / 2;
  const int window_y = launch.stride * y - launch.window_height / 2;
  const int word =
      filter_window<Sum, unroll_reads<READ_FREE>>(launch, launch, job, [&](int c, int r) {
        const int at_x = window_x + c, at_y = window_y + r; /* negative values fail the test too */
        if ((unsigned)at_x < right && (unsigned)at_y < bottom)
          return samples[at_y][at_x];
        return (Code<Sum>)fetch<Sample, READ_FREE>(launch, job, left + at_x, top + at_y,
                                                   tile.component);
      });
  store<Sample, WRITE_FREE>(job, tile.x + x, tile.y + y, tile.component, word);
}

template <typename Sample, typename Sum>
static __device__ __forceinline__ void
tile_cached(const CcLaunch &launch) {
  __shared__ Code<Sum> samples[SIDE][SIDE];
  const int side = SIDE / launch.stride; /* side of the output tile */
  const Tile tile = find_tile(launch, side, side);
  if (!is_filtered(tile.job, tile.component)) {
    store_unfiltered_tile<Sample>(launch, tile, side, side);
    return;
  }
  const int left = launch.stride * tile.x - launch.window_width / 2;
  const int top = launch.stride * tile.y - launch.window_height / 2;
  run_class(is_inside(tile.job, left, top, left + SIDE + launch.window_width - 2,
                      top + SIDE + launch.window_height - 2),
            is_write_free(tile, side, side), [&](auto read_free, auto write_free) {
              filter_tile<Sample, Sum, decltype(read_free)::value, decltype(write_free)::value>(
                  launch, tile, side, samples);
            });
}

CC_FLOAT_ENTRIES(cc_tile_cached, SIDE *SIDE, tile_cached)
