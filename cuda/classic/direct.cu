/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* direct: one thread per output sample, coefficients in global memory, a boundary test on every
 * read. (Kirk, Hwu and El Hajj, Programming Massively Parallel Processors, chapter 7.2. Other texts
 * call it the naive version.)
 *
 * All other algorithms are compared with direct, so direct has no classes of tiles. Every read
 * applies the border rule, and every write is tested. With K = w * h taps a pixel takes K
 * multiply-adds and 2 K fetches through the L1 cache: K pixels and K coefficients. */

#include "cuda/tile.cuh"

template <typename Sample, typename Sum>
static __device__ __forceinline__ void
direct(const CcLaunch &launch) {
  const Tile tile = find_tile(launch, CC_PIXEL_TILE_WIDTH, CC_PIXEL_TILE_HEIGHT);
  const CcPlaneJob &job = tile.job;
  const int x = tile.x + threadIdx.x, y = tile.y + threadIdx.y;
  if (!is_filtered(job, tile.component)) {
    store_unfiltered<Sample>(launch, job, x, y, tile.component);
    return;
  }
  if (x >= job.width || y >= job.height)
    return;
  const CcLaunch &taps = *(const CcLaunch *)launch.memory_taps;
  const int left = launch.stride * x - launch.window_width / 2;
  const int top = launch.stride * y - launch.window_height / 2;
  const int word = filter_window<Sum, 4>(launch, taps, job, [&](int c, int r) {
    return fetch<Sample, false>(launch, job, left + c, top + r, tile.component);
  });
  store<Sample, false>(job, x, y, tile.component, word);
}

CC_FLOAT_ENTRIES(cc_direct, CC_PIXEL_TILE_WIDTH *CC_PIXEL_TILE_HEIGHT, direct)
