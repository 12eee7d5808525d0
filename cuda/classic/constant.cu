/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* constant: one thread per output sample, coefficients in constant memory. (Kirk, Hwu and El Hajj,
 * Programming Massively Parallel Processors, chapter 7.3.)
 *
 * All threads of a warp use the same coefficient at the same time. The constant cache is made for
 * this: one read serves all threads of the warp. The coefficients are launch parameters, which also
 * lie in the constant bank. Therefore two filters cannot overwrite each other's coefficients, as
 * they could in a global array.
 *
 * With K = w * h taps a pixel takes K fetches through the L1 cache and K multiply-adds (2 K
 * operations). If the filter is separable, a thread first sums each of the h rows of its
 * window and then these h sums. This takes w * h + h multiply-adds. */

#include "cuda/tile.cuh"

template <typename Sample, typename Sum, bool READ_FREE, bool WRITE_FREE>
static __device__ __forceinline__ void
filter_pixel(const CcLaunch &launch, const Tile &tile) {
  const int x = tile.x + threadIdx.x, y = tile.y + threadIdx.y;
  if (!WRITE_FREE && (x >= tile.job.width || y >= tile.job.height))
    return;
  const int left = launch.stride * x - launch.window_width / 2;
  const int top = launch.stride * y - launch.window_height / 2;
  const int word =
      filter_window<Sum, unroll_reads<READ_FREE>>(launch, launch, tile.job, [&](int c, int r) {
        return fetch<Sample, READ_FREE>(launch, tile.job, left + c, top + r, tile.component);
      });
  store<Sample, true>(tile.job, x, y, tile.component, word);
}

template <typename Sample, typename Sum>
static __device__ __forceinline__ void
constant(const CcLaunch &launch) {
  constexpr int WIDTH = CC_PIXEL_TILE_WIDTH, HEIGHT = CC_PIXEL_TILE_HEIGHT;
  const Tile tile = find_tile(launch, WIDTH, HEIGHT);
  if (!is_filtered(tile.job, tile.component)) {
    store_unfiltered<Sample>(launch, tile.job, tile.x + threadIdx.x, tile.y + threadIdx.y,
                             tile.component);
    return;
  }
  run_class(is_read_free(launch, tile, WIDTH, HEIGHT), is_write_free(tile, WIDTH, HEIGHT),
            [&](auto read_free, auto write_free) {
              filter_pixel<Sample, Sum, decltype(read_free)::value, decltype(write_free)::value>(
                  launch, tile);
            });
}

CC_ENTRIES(cc_constant, CC_PIXEL_TILE_WIDTH *CC_PIXEL_TILE_HEIGHT, constant)
