/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tile-halo: a block loads its tile with the halo into shared memory. (Kirk, Hwu and El Hajj,
 * Programming Massively Parallel Processors, chapter 7.4.)
 *
 * The input tile has a fixed side and one thread per pixel. Pixels outside the source, the ghost
 * cells, are filled by the border rule when they are loaded. The output tile is smaller by 2r in
 * each direction for a kernel of side 2r+1. With a stride of n, the output tile has only every n-th
 * of these pixels. Threads outside the output tile compute nothing.
 *
 * With an input tile of side T = 32 and K = w * h taps, a pixel takes (T / (T - 2r))^2 fetches from
 * global memory, instead of K. It also takes K reads from shared memory and K multiply-adds. */

#include "cuda/tile.cuh"

#define SIDE CC_SHARED_TILE_SIDE

template <typename Sample, typename Sum, bool READ_FREE, bool WRITE_FREE>
static __device__ __forceinline__ void
filter_tile(const CcLaunch &launch, const Tile &tile, int width, int height,
            Code<Sum> (&input)[SIDE][SIDE]) {
  const int x = threadIdx.x, y = threadIdx.y;
  const int left = launch.stride * tile.x - launch.window_width / 2;
  const int top = launch.stride * tile.y - launch.window_height / 2;
  input[y][x] = fetch<Sample, READ_FREE>(launch, tile.job, left + x, top + y, tile.component);
  __syncthreads();
  if (x >= width || y >= height)
    return;
  const int word = filter_window<Sum, 4>(launch, launch, tile.job, [&](int c, int r) {
    return input[launch.stride * y + r][launch.stride * x + c];
  });
  store<Sample, WRITE_FREE>(tile.job, tile.x + x, tile.y + y, tile.component, word);
}

template <typename Sample, typename Sum>
static __device__ __forceinline__ void
tile_halo(const CcLaunch &launch) {
  __shared__ Code<Sum> input[SIDE][SIDE];
  const int width = (SIDE - launch.window_width) / launch.stride + 1;
  const int height = (SIDE - launch.window_height) / launch.stride + 1;
  const Tile tile = find_tile(launch, width, height);
  if (!is_filtered(tile.job, tile.component)) {
    store_unfiltered_tile<Sample>(launch, tile, width, height);
    return;
  }
  const int left = launch.stride * tile.x - launch.window_width / 2;
  const int top = launch.stride * tile.y - launch.window_height / 2;
  run_class(is_inside(tile.job, left, top, left + SIDE - 1, top + SIDE - 1),
            is_write_free(tile, width, height), [&](auto read_free, auto write_free) {
              filter_tile<Sample, Sum, decltype(read_free)::value, decltype(write_free)::value>(
                  launch, tile, width, height, input);
            });
}

CC_FLOAT_ENTRIES(cc_tile_halo, SIDE *SIDE, tile_halo)
