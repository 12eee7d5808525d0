/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* register-tile: a separable window in one launch; a thread computes 4x4 pixels in registers and
 * shares rows with its vertical neighbours. (The tiled convolution of AMD's OpenCL samples.)
 *
 * 8x8 threads make a tile of 32x32 pixels. The rows of the tile and of its halo above and below are
 * cut into strips of four pixels, dealt out to the threads; a thread filters a strip along the row
 * in registers, from raw pixels that its neighbours too find in the L1 cache, and puts the four
 * sums into local memory at once. Then each thread reads the strips that its 4x4 pixels need, 4 +
 * 2r of them, and filters along the columns, again in registers. Matrices follow one another and
 * use the same local memory. With a stride a tile has as many source rows as without, so a thread
 * makes 4x2 or 4x1 pixels.
 *
 * For a window of side 2r+1 and 16 pixels: 4 + r/4 strips of 3 wide fetches (or 4 + 2r narrow ones
 * where samples are interleaved), 4 + r/4 strips to local memory and 4 + 2r from there, and
 * (2r+1) * (32 + r) multiply-adds: 13 fetches and 99 multiply-adds for 3x3. */

#include "tile.cuh"

#define SIDE CC_REGISTER_TILE_SIDE
#define THREADS CC_REGISTER_TILE_THREADS
#define TILE (SIDE * THREADS)

/* Neighbours in a row, read and written at once. */
template <typename T> struct alignas(SIDE * sizeof(T)) Strip { T at[SIDE]; };

/* Filtered rows of a tile and its halo. */
template <typename Sum, int TAPS> struct Shared { Strip<Sum> row[TILE + TAPS - 1][THREADS]; };

/* --- along the rows --- */

/* How a tile gets its raw pixels. */
enum Fetch {
  WIDE,   /* free on read, pixels of one sample, no stride: whole strips at once */
  NARROW, /* free on read, no stride */
  ANY,
};

/* The code values from source pixel (x - TAPS / 2, y) on that pixels (x, y) to (x + 3, y) need. */
template <typename Sample, typename Sum, int TAPS, Fetch FETCH>
static __device__ __forceinline__ void
fetch_row(const CcLaunch &launch, const Tile &tile, int x, int y,
          Code<Sum> (&code)[SIDE + TAPS - 1]) {
  if (FETCH == WIDE) {
    const Strip<Sample> *at = (const Strip<Sample> *)(source_row<Sample>(tile.part, y) + x);
    const Strip<Sample> strip[3] = {at[-1], at[0], at[1]};
#pragma unroll
    for (int i = 0; i < SIDE + TAPS - 1; i++) {
      const int from = SIDE - TAPS / 2 + i;
      code[i] = code_of(tile.part, strip[from / SIDE].at[from % SIDE]);
    }
  } else {
#pragma unroll
    for (int i = 0; i < SIDE + TAPS - 1; i++)
      code[i] = fetch<Sample, true>(launch, tile.part, x - TAPS / 2 + i, y, tile.component);
  }
}

/* The sums along source row y for target pixels x to x + 3. */
template <typename Sample, typename Sum, int TAPS, Fetch FETCH>
static __device__ __forceinline__ Strip<Sum>
filter_strip(const CcLaunch &launch, const Tile &tile, int matrix, int x, int y) {
  Strip<Sum> sum = {};
  if (FETCH == ANY) {
#pragma unroll 1
    for (int k = 0; k < TAPS; k++)
#pragma unroll
      for (int i = 0; i < SIDE; i++) {
        const int at = launch.stride * (x + i) - TAPS / 2 + k;
        const int code = fetch<Sample, false>(launch, tile.part, at, y, tile.component);
        sum.at[i] = multiply_add(launch.row[matrix][k], (Code<Sum>)code, sum.at[i]);
      }
  } else {
    Code<Sum> code[SIDE + TAPS - 1];
    fetch_row<Sample, Sum, TAPS, FETCH>(launch, tile, x, y, code);
#pragma unroll
    for (int i = 0; i < SIDE; i++)
#pragma unroll
      for (int k = 0; k < TAPS; k++)
        sum.at[i] = multiply_add(launch.row[matrix][k], code[i + k], sum.at[i]);
  }
  return sum;
}

/* Deals the strips out to the threads. */
template <typename Sample, typename Sum, int TAPS, Fetch FETCH>
static __device__ __forceinline__ void
filter_rows(const CcLaunch &launch, const Tile &tile, int matrix, Shared<Sum, TAPS> &shared) {
  const int stride = FETCH == ANY ? launch.stride : 1;
  const int rows = TILE - stride + TAPS, top = stride * tile.y - TAPS / 2;
  const int column = threadIdx.x;
  constexpr int UNROLL = FETCH == WIDE ? TILE : 1; /* so that many fetches are under way at once */
#pragma unroll UNROLL
  for (int i = 0; i < TILE + TAPS - 1; i += THREADS) {
    const int row = i + threadIdx.y;
    if (row < rows)
      shared.row[row][column] = filter_strip<Sample, Sum, TAPS, FETCH>(
          launch, tile, matrix, tile.x + column * SIDE, top + row);
  }
}

/* --- along the columns --- */

/* Adds a matrix's sums of the thread's pixels to their responses. */
template <typename Sum, int TAPS, bool DENSE>
static __device__ __forceinline__ void
filter_columns(const CcLaunch &launch, int matrix, const Shared<Sum, TAPS> &shared,
               Response<Sum> (&response)[SIDE][SIDE]) {
  const int stride = DENSE ? 1 : launch.stride, top = threadIdx.y * SIDE;
  Sum sum[SIDE][SIDE] = {};
#pragma unroll
  for (int j = 0; j < SIDE; j++) {
    if (stride * j >= SIDE)
      break;
#pragma unroll
    for (int k = 0; k < TAPS; k++) {
      const Strip<Sum> row = shared.row[top + stride * j + k][threadIdx.x];
#pragma unroll
      for (int i = 0; i < SIDE; i++)
        sum[j][i] = multiply_add(launch.column[matrix][k], row.at[i], sum[j][i]);
    }
  }
  run_response(launch.response, [&](CcResponse kind) {
#pragma unroll
    for (int j = 0; j < SIDE; j++)
#pragma unroll
      for (int i = 0; i < SIDE; i++)
        response[j][i].add(kind, matrix, sum[j][i]);
  });
}

/* --- the tile --- */

template <typename Sample, typename Sum, int TAPS>
static __device__ __forceinline__ void
filter_tile(const CcLaunch &launch, const Tile &tile, Shared<Sum, TAPS> &shared,
            Response<Sum> (&response)[SIDE][SIDE]) {
  /* with a strip more to either side, since wide fetches take whole ones */
  const int left = launch.stride * tile.x - SIDE, right = left + TILE + 2 * SIDE - 1;
  const int top = launch.stride * tile.y - TAPS / 2, bottom = top + TILE + TAPS - 2;
  const bool read_free = launch.stride == 1 && is_inside(tile.part, left, top, right, bottom);
  for (int m = 0; m < launch.n_matrices; m++) {
    if (read_free && tile.part.step == 1)
      filter_rows<Sample, Sum, TAPS, WIDE>(launch, tile, m, shared);
    else if (read_free)
      filter_rows<Sample, Sum, TAPS, NARROW>(launch, tile, m, shared);
    else
      filter_rows<Sample, Sum, TAPS, ANY>(launch, tile, m, shared);
    __syncthreads();
    if (launch.stride == 1)
      filter_columns<Sum, TAPS, true>(launch, m, shared, response);
    else
      filter_columns<Sum, TAPS, false>(launch, m, shared, response);
    __syncthreads();
  }
}

template <typename Sample, typename Sum>
static __device__ __forceinline__ void
store_pixels(const CcLaunch &launch, const Tile &tile, bool write_free,
             const Response<Sum> (&response)[SIDE][SIDE]) {
  const CcPart &part = tile.part;
  const int x = tile.x + threadIdx.x * SIDE, top = tile.y + threadIdx.y * SIDE / launch.stride;
  Strip<Sample> word[SIDE];
  run_response(launch.response, [&](CcResponse kind) {
#pragma unroll
    for (int j = 0; j < SIDE; j++)
#pragma unroll
      for (int i = 0; i < SIDE; i++)
        word[j].at[i] = (Sample)(response[j][i].code(kind, part) << part.shift);
  });
#pragma unroll
  for (int j = 0; j < SIDE; j++) {
    if (launch.stride * j >= SIDE)
      break;
    if (write_free && part.step == 1) {
      *(Strip<Sample> *)(target_row<Sample>(part, top + j) + x) = word[j];
    } else {
#pragma unroll
      for (int i = 0; i < SIDE; i++)
        store<Sample, false>(part, x + i, top + j, tile.component, word[j].at[i]);
    }
  }
}

/* The pixels of a tile in a component that is copied or filled. */
template <typename Sample>
static __device__ __forceinline__ void
pass_tile(const CcLaunch &launch, const Tile &tile, int height) {
  for (int y = threadIdx.y; y < height; y += THREADS)
    for (int x = threadIdx.x; x < TILE; x += THREADS)
      store_unfiltered<Sample>(launch, tile.part, tile.x + x, tile.y + y, tile.component);
}

template <typename Sample, typename Sum, int TAPS>
static __device__ __forceinline__ void
register_tile(const CcLaunch &launch) {
  __shared__ Shared<Sum, TAPS> shared;
  const int height = TILE / launch.stride; /* in target pixels */
  const Tile tile = find_tile(launch, TILE, height);
  if (!is_filtered(tile.part, tile.component)) {
    pass_tile<Sample>(launch, tile, height);
    return;
  }
  Response<Sum> response[SIDE][SIDE];
  filter_tile<Sample, Sum, TAPS>(launch, tile, shared, response);
  store_pixels<Sample, Sum>(launch, tile, is_write_free(tile, TILE, height), response);
}

CC_ENTRIES_BY_SIDE(cc_register_tile, THREADS *THREADS, register_tile)
