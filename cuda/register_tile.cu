/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* register-tile: separable windows of 3x3 and 5x5 in one pass. A thread computes 4x4 pixels of one
 * component in registers. It filters its own four rows horizontally and shares them with its
 * vertical neighbours; raw pixels come through the L1 cache. 8x8 threads make a tile of 32x32, and
 * only tiles on the border test for it. (The tiled convolution of AMD's OpenCL samples.) */

#include "finish.cuh"

#define SIDE CC_REGISTER_TILE_SIDE       /* pixels of a thread, each way */
#define THREADS CC_REGISTER_TILE_THREADS /* of a block, each way */
#define TILE (SIDE * THREADS)            /* pixels of a block, each way */

/* Where a thread works. */
typedef struct {
  int x, y; /* its top left pixel */
  int component;
} Place;

template <typename Sample, bool INTERIOR>
static __device__ __forceinline__ float
fetch(const CcLaunch &launch, const char *row, int x, int component) {
  if (!INTERIOR) {
    x = row ? cc_border_index(x, launch.width, launch.border) : -1;
    if (x < 0)
      return (float)launch.border_code[component];
  }
  return (float)(((const Sample *)row)[x * launch.step + component] >> launch.shift);
}

/* The row `y`, or NULL for one of the constant border. */
template <bool INTERIOR>
static __device__ __forceinline__ const char *
source_row(const CcLaunch &launch, int y) {
  if (!INTERIOR) {
    y = cc_border_index(y, launch.height, launch.border);
    if (y < 0)
      return NULL;
  }
  return (const char *)launch.src + (long long)y * launch.src_pitch;
}

/* The four horizontal sums of row y, for each matrix. */
template <typename Sample, int R, int MATRICES, bool INTERIOR>
static __device__ __forceinline__ void
filter_row(const CcLaunch &launch, const Place &place, int y, float (&sum)[MATRICES][SIDE]) {
  const char *row = source_row<INTERIOR>(launch, y);
  float raw[SIDE + 2 * R];
#pragma unroll
  for (int i = 0; i < SIDE + 2 * R; i++)
    raw[i] = fetch<Sample, INTERIOR>(launch, row, place.x - R + i, place.component);
#pragma unroll
  for (int m = 0; m < MATRICES; m++)
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
      sum[m][i] = 0;
#pragma unroll
      for (int k = 0; k < 2 * R + 1; k++)
        sum[m][i] = __fmaf_rn(launch.row[m][k].f, raw[i + k], sum[m][i]);
    }
}

template <int R, int MATRICES> struct Shared {
  /* horizontally filtered rows of the tile with R above and below, one column of padding */
  float row[MATRICES][TILE + 2 * R][TILE + 1];
};

template <int R, int MATRICES>
static __device__ __forceinline__ void
share_row(Shared<R, MATRICES> &shared, int at, const float (&sum)[MATRICES][SIDE]) {
#pragma unroll
  for (int m = 0; m < MATRICES; m++)
#pragma unroll
    for (int i = 0; i < SIDE; i++)
      shared.row[m][at][threadIdx.x * SIDE + i] = sum[m][i];
}

template <typename Sample>
static __device__ __forceinline__ void
store(const CcLaunch &launch, int x, int y, int component, int word) {
  if (x < launch.width && y < launch.height)
    ((Sample *)((char *)launch.dst +
                (long long)y * launch.dst_pitch))[x * launch.step + component] = (Sample)word;
}

template <typename Sample, int R, int MATRICES, bool INTERIOR>
static __device__ __forceinline__ void
filter_tile(const CcLaunch &launch, const Place &place, Shared<R, MATRICES> &shared) {
  const int row0 = threadIdx.y * SIDE; /* of the tile */
  float sum[MATRICES][SIDE];
  for (int j = 0; j < SIDE; j++) {
    filter_row<Sample, R, MATRICES, INTERIOR>(launch, place, place.y + j, sum);
    share_row(shared, R + row0 + j, sum);
  }
  if (threadIdx.y == 0)
    for (int j = 0; j < R; j++) {
      filter_row<Sample, R, MATRICES, INTERIOR>(launch, place, place.y - R + j, sum);
      share_row(shared, j, sum);
    }
  if (threadIdx.y == THREADS - 1)
    for (int j = 0; j < R; j++) {
      filter_row<Sample, R, MATRICES, INTERIOR>(launch, place, place.y + SIDE + j, sum);
      share_row(shared, R + TILE + j, sum);
    }
  __syncthreads();

#pragma unroll
  for (int j = 0; j < SIDE; j++)
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
      Response<float> response;
#pragma unroll
      for (int m = 0; m < MATRICES; m++) {
        float total = 0;
#pragma unroll
        for (int k = 0; k < 2 * R + 1; k++)
          total = __fmaf_rn(launch.column[m][k].f,
                            shared.row[m][row0 + j + k][threadIdx.x * SIDE + i], total);
        response.add(launch, m, total);
      }
      store<Sample>(launch, place.x + i, place.y + j, place.component,
                    response.code(launch) << launch.shift);
    }
}

/* The samples of a component that is copied or filled. */
template <typename Sample>
static __device__ __forceinline__ void
pass_tile(const CcLaunch &launch, const Place &place) {
  for (int j = 0; j < SIDE; j++)
    for (int i = 0; i < SIDE; i++) {
      const int x = place.x + i, y = place.y + j;
      if (x >= launch.width || y >= launch.height)
        continue;
      const char *row = (const char *)launch.src + (long long)y * launch.src_pitch;
      const int stored = ((const Sample *)row)[x * launch.step + place.component];
      store<Sample>(launch, x, y, place.component, unfiltered(launch, place.component, stored));
    }
}

/* blockIdx.z counts components. */
template <typename Sample, int R, int MATRICES>
static __device__ __forceinline__ void
register_tile(const CcLaunch &launch) {
  __shared__ Shared<R, MATRICES> shared;
  const int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
  const Place place = {left + (int)threadIdx.x * SIDE, top + (int)threadIdx.y * SIDE,
                       (int)blockIdx.z};
  if (!(launch.filter_mask >> place.component & 1)) {
    if ((launch.copy_mask | launch.fill_mask) >> place.component & 1)
      pass_tile<Sample>(launch, place);
    return;
  }
  const bool interior =
      left >= R && left + TILE + R <= launch.width && top >= R && top + TILE + R <= launch.height;
  if (interior)
    filter_tile<Sample, R, MATRICES, true>(launch, place, shared);
  else
    filter_tile<Sample, R, MATRICES, false>(launch, place, shared);
}

#define ENTRY(name, Sample, R, MATRICES)                                                           \
  extern "C" __global__ void __launch_bounds__(THREADS *THREADS)                                   \
      name(const __grid_constant__ CcLaunch launch) {                                              \
    register_tile<Sample, R, MATRICES>(launch);                                                    \
  }

ENTRY(cc_register_tile_u8_3x3_m1, unsigned char, 1, 1)
ENTRY(cc_register_tile_u8_3x3_m2, unsigned char, 1, 2)
ENTRY(cc_register_tile_u8_5x5_m1, unsigned char, 2, 1)
ENTRY(cc_register_tile_u8_5x5_m2, unsigned char, 2, 2)
ENTRY(cc_register_tile_u16_3x3_m1, unsigned short, 1, 1)
ENTRY(cc_register_tile_u16_3x3_m2, unsigned short, 1, 2)
ENTRY(cc_register_tile_u16_5x5_m1, unsigned short, 2, 1)
ENTRY(cc_register_tile_u16_5x5_m2, unsigned short, 2, 2)
