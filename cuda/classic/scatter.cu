/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* scatter: one block per output sample, one thread per coefficient. Each thread adds its product to
 * the sum in shared memory with an atomic operation. ("Parallelizing a convolution operation" uses
 * this method for 10001x10001 pixels, 3x3 coefficients and a stride of 2.)
 *
 * The products arrive in no fixed order. The result is the same, because the sums are exact in
 * float.
 *
 * With K = w * h taps a pixel takes K fetches of pixels, K fetches of coefficients, K
 * multiplications and K atomic additions. In the worst case, the atomic additions run one after
 * another. Up to 31 threads of a block's last warp have no coefficient. A tile is a single pixel of
 * the target, so writing it never needs a boundary test ("free on write" in cuda/tile.cuh). */

#include "cuda/tile.cuh"

static __device__ __forceinline__ void
add_product(float *sum, CcTap tap, int code) {
  atomicAdd(sum, __fmul_rn(tap.f, (float)code));
}

template <typename Sample, typename Sum, bool READ_FREE>
static __device__ __forceinline__ void
filter_sample(const CcLaunch &launch, const Tile &tile, Sum (&sum)[CC_LAUNCH_MATRICES]) {
  const int thread = threadIdx.x, taps = launch.window_width * launch.window_height;
  const CcLaunch &memory = *(const CcLaunch *)launch.memory_taps;
  if (thread < launch.n_matrices)
    sum[thread] = 0;
  __syncthreads();
  if (thread < taps) {
    const int x = launch.stride * tile.x - launch.window_width / 2 + thread % launch.window_width;
    const int y = launch.stride * tile.y - launch.window_height / 2 + thread / launch.window_width;
    const int code = fetch<Sample, READ_FREE>(launch, tile.job, x, y, tile.component);
    for (int m = 0; m < launch.n_matrices; m++)
      add_product(&sum[m], memory.tap[m * taps + thread], code);
  }
  __syncthreads();
  if (thread != 0)
    return;
  Response<Sum> response;
  for (int m = 0; m < launch.n_matrices; m++)
    response.add(launch.response, m, sum[m]);
  store<Sample, true>(tile.job, tile.x, tile.y, tile.component,
                      response.code(launch.response, tile.job) << tile.job.shift);
}

template <typename Sample, typename Sum>
static __device__ __forceinline__ void
scatter(const CcLaunch &launch) {
  __shared__ Sum sum[CC_LAUNCH_MATRICES];
  const Tile tile = find_tile(launch, 1, 1);
  if (!is_filtered(tile.job, tile.component)) {
    if (threadIdx.x == 0)
      store_unfiltered<Sample>(launch, tile.job, tile.x, tile.y, tile.component);
  } else if (is_read_free(launch, tile, 1, 1)) {
    filter_sample<Sample, Sum, true>(launch, tile, sum);
  } else {
    filter_sample<Sample, Sum, false>(launch, tile, sum);
  }
}

CC_FLOAT_ENTRIES(cc_scatter, 256, scatter)
