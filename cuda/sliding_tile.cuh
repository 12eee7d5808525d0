/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The tiles of sliding.cu: which one a warp has, its source bytes by the border rule, and what it
 * writes. Bytes are counted within rows. A warp's 128 target bytes are 16 windows; lane 4g + t
 * reads a quarter of windows g and g + 8 and writes two bytes of each. */

#include "sliding.h"
#include "tile.cuh"

/* Lets the launch after this one get ready, and waits until those before have ended: with the
 * launch attribute that program.c sets, the device prepares one launch while another runs. */
static __device__ __forceinline__ void
wait_for_launches_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

struct WarpTile {
  const CcPart &part;
  int x, y; /* first byte and row of the target */
  int in;   /* the lane's bytes of source rows; as many more lie 64 bytes further */
  int out;  /* the lane's two bytes of target rows; two more lie 64 bytes further */
  int lane;
};

template <int BYTES>
static __device__ __forceinline__ int
source_bytes(const CcPart &part) {
  return part.src_width * part.step * BYTES;
}

template <int BYTES>
static __device__ __forceinline__ int
target_bytes(const CcPart &part) {
  return part.width * part.step * BYTES;
}

/* n / d for n >= 0, d > 0 and `inverse` about 1 / d: quicker than the division of integers. */
static __device__ __forceinline__ int
divide(int n, int d, float inverse) {
  int q = (int)((float)n * inverse);
  while (n - q * d < 0)
    q--;
  while (n - q * d >= d)
    q++;
  return q;
}

/* Tiles on the left and right border come first in the list and then those at the bottom: they take
 * longest, and a launch that began them last would wait for them. */
static __device__ __forceinline__ void
place_tile(const CcPart &part, int index, int &column, int &row) {
  const int inner = part.tiles_across - 2, down = part.sliding.tiles_down;
  if (index < 2 * down && inner > 0) {
    column = index & 1 ? inner + 1 : 0;
    row = index >> 1;
  } else {
    /* all columns when there are no more than two */
    const int across = inner > 0 ? inner : part.tiles_across, left = inner > 0 ? 2 * down : 0;
    row = divide(index - left, across, part.sliding.inverse);
    column = index - left - row * across + (inner > 0);
  }
  row = row ? row - 1 : down - 1;
}

/* The warp's tile, which is none when its index is beyond the launch's tiles. */
template <int K>
static __device__ __forceinline__ WarpTile
find_warp_tile(const CcLaunch &launch) {
  const int index = blockIdx.x * CC_SLIDING_WARPS + threadIdx.y;
  const CcPart &part = find_part(launch, index);
  int column, row;
  place_tile(part, index - part.first_tile, column, row);
  const int lane = threadIdx.x, g = lane >> 2, t = lane & 3;
  const int x = column * CC_SLIDING_TILE_BYTES;
  const int window = x + CC_SLIDING_WINDOW * g;
  return {part,           x,   row * CC_SLIDING_ROWS(K), window - CC_SLIDING_REACH(K) + K / 4 * t,
          window + 2 * t, lane};
}

/* Whether nothing of the tile is outside, neither where it reads nor where it writes. */
template <int BYTES, int K>
static __device__ __forceinline__ bool
is_free(const WarpTile &tile, int reach) {
  const CcPart &part = tile.part;
  constexpr int rows = CC_SLIDING_ROWS(K);
  return tile.x >= CC_SLIDING_REACH(K) && tile.y >= reach &&
         tile.x + CC_SLIDING_TILE_BYTES + CC_SLIDING_REACH(K) <= source_bytes<BYTES>(part) &&
         tile.y + rows + reach <= part.src_height &&
         tile.x + CC_SLIDING_TILE_BYTES <= target_bytes<BYTES>(part) &&
         tile.y + rows <= part.height;
}

/* --- reading --- */

/* A lane's bytes of two windows, 4 or 8 of each. */
template <int K> struct Quarters { unsigned word[2][K / 16]; };

/* n / step for 0 <= n < 128. */
static __device__ __forceinline__ int
divide_by_step(const CcPart &part, int n) {
  const int inverse = part.step == 1 ? 256 : part.step == 2 ? 128 : part.step == 3 ? 86 : 64;
  return n * inverse >> 8;
}

/* The component of the sample at byte `at` >= -16 of a row. */
template <int BYTES>
static __device__ __forceinline__ int
component_at(const CcPart &part, int at) {
  const unsigned sample = at / BYTES + 48; /* 48: nothing is negative, whatever the step */
  return part.step == 3 ? sample % 3 : sample & (part.step - 1);
}

/* The word at byte `at` of a row of the constant border. */
template <int BYTES>
static __device__ __forceinline__ unsigned
border_word(const CcPart &part, int at) {
  unsigned word = 0;
#pragma unroll
  for (int i = 0; i < 4; i += BYTES)
    word |= (unsigned)part.border_code[component_at<BYTES>(part, at + i)] << part.shift << 8 * i;
  return word;
}

/* The word at byte `at`, a little outside, of row y, which may be outside (-1 for the constant
 * border), by the border rule. Without branches, so that all loads are under way at once. */
template <int BYTES>
static __device__ __forceinline__ unsigned
gather_word(const CcLaunch &launch, const CcPart &part, int at, int y) {
  const char *row = source_row<char>(part, max(y, 0));
  /* samples are counted from the nearer end of the row, so that there are few */
  const int end = at < 0 ? 0 : part.src_width, first = at / BYTES - end * part.step;
  unsigned word = 0;
#pragma unroll
  for (int i = 0; i < 4 / BYTES; i++) {
    const int sample = first + i + 16 * part.step, pixel = divide_by_step(part, sample);
    const int component = sample - pixel * part.step;
    const int x = cc_border_index(end + pixel - 16, part.src_width, launch.border);
    const int inside = max(x, 0) * part.step + component;
    const unsigned stored = BYTES == 1 ? __ldg((const unsigned char *)row + inside)
                                       : __ldg((const unsigned short *)row + inside);
    word |= (x < 0 || y < 0 ? part.border_code[component] << part.shift : stored) << 8 * BYTES * i;
  }
  return word;
}

/* Words outside of the rows of a tile: two on the left, and four from the last incomplete or
 * missing one on. */
#define OUTSIDE_WORDS 6
typedef unsigned Outside[CC_SLIDING_MAX_LOADS][OUTSIDE_WORDS];

/* The lane's bytes of N rows from `top` on by the border rule. A lane looks up one row for all: its
 * index and its words outside. */
template <int BYTES, int K, int N>
static __device__ __forceinline__ void
load_border_rows(const CcLaunch &launch, const WarpTile &tile, int top, Outside &outside,
                 Quarters<K> (&row)[N]) {
  const CcPart &part = tile.part;
  const int row_bytes = source_bytes<BYTES>(part), right = row_bytes & -4;
  const int end = min(tile.x + CC_SLIDING_TILE_BYTES, row_bytes) + CC_SLIDING_REACH(K);
  const int own_y = cc_border_index(top + tile.lane, part.src_height, launch.border);
#pragma unroll 1
  for (int i = 0; i < OUTSIDE_WORDS; i++) {
    const int at = i < 2 ? 4 * i - 8 : right + 4 * (i - 2);
    if (at >= tile.x - CC_SLIDING_REACH(K) && at < end && tile.lane < N)
      outside[tile.lane][i] = gather_word<BYTES>(launch, part, at, own_y);
  }
  __syncwarp();
  const bool constant = launch.border == CC_BORDER_CONSTANT;
  const char *src = (const char *)part.src + tile.in;
  const long long pitch = part.src_pitch;
#pragma unroll
  for (int w = 0; w < K / 8; w++) {
    const int half = w / (K / 16), at = tile.in + 64 * half + 4 * (w % (K / 16));
    const bool inside = at >= 0 && at + 4 <= row_bytes;
    /* further right nothing is needed */
    const int place = at < 0 ? (at + 8) / 4 : min(2 + (at - right) / 4, OUTSIDE_WORDS - 1);
    const unsigned border = constant ? border_word<BYTES>(part, at) : 0;
#pragma unroll
    for (int j = 0; j < N; j++) {
      const int y = __shfl_sync(~0u, own_y, j);
      unsigned word = border;
      if (inside && y >= 0)
        word = __ldg((const unsigned *)(src + y * pitch + at - tile.in));
      if (!inside)
        word = outside[j][place];
      row[j].word[half][w % (K / 16)] = word;
    }
  }
}

/* The lane's bytes of N rows from `top` on, all under way at once; all are inside. */
template <int K, int N>
static __device__ __forceinline__ void
load_rows(const WarpTile &tile, int top, Quarters<K> (&row)[N]) {
  const CcPart &part = tile.part;
  const char *from = source_row<char>(part, top) + tile.in;
  const long long pitch = part.src_pitch;
#pragma unroll
  for (int j = 0; j < N; j++, from += pitch)
#pragma unroll
    for (int half = 0; half < 2; half++)
      if constexpr (K == 16) {
        row[j].word[half][0] = __ldg((const unsigned *)(from + 64 * half));
      } else {
        const uint2 two = __ldg((const uint2 *)(from + 64 * half));
        row[j].word[half][0] = two.x;
        row[j].word[half][K / 16 - 1] = two.y;
      }
}

/* Takes from words of two bytes what is not part of their code value. */
template <int BYTES, int K>
static __device__ __forceinline__ Quarters<K>
code_bits(const CcPart &part, Quarters<K> row) {
  const unsigned mask = (0xFFFFu << part.shift & 0xFFFFu) * 0x10001u;
  if (BYTES == 2)
#pragma unroll
    for (int i = 0; i < K / 8; i++)
      row.word[i / (K / 16)][i % (K / 16)] &= mask;
  return row;
}

/* --- writing --- */

/* What becomes of four bytes of a target row of which none is filtered. */
struct Masks {
  unsigned copy, fill, written;
};

/* The masks of the bytes at byte `at` of a row. */
template <int BYTES>
static __device__ __forceinline__ Masks
masks_at(const CcPart &part, int at) {
  Masks masks = {0, 0, 0};
#pragma unroll
  for (int i = 0; i < 4; i += BYTES) {
    const int component = component_at<BYTES>(part, at + i);
    const unsigned bits = (BYTES == 1 ? 0xFFu : 0xFFFFu) << 8 * i;
    if (part.copy_mask >> component & 1)
      masks.copy |= bits;
    else if (part.fill_mask >> component & 1)
      masks.fill |= (unsigned)part.fill[component] << part.shift << 8 * i;
    if ((part.copy_mask | part.fill_mask) >> component & 1)
      masks.written |= bits;
  }
  return masks;
}

/* Writes those of the four bytes of `word` that are `written`, of which `left` lie in the target.
 */
static __device__ __forceinline__ void
store_bytes(char *to, int left, unsigned written, unsigned word) {
#pragma unroll
  for (int i = 0; i < 4; i++)
    if (i < left && written >> 8 * i & 0xFF)
      to[i] = (char)(word >> 8 * i);
}

/* A tile of a part that is only copied and filled; four bytes a lane. */
template <int BYTES>
static __device__ __forceinline__ void
pass_tile(const WarpTile &tile, int rows) {
  const CcPart &part = tile.part;
  const int at = tile.x + 4 * tile.lane, left = target_bytes<BYTES>(part) - at;
  if (left <= 0)
    return;
  const Masks masks = masks_at<BYTES>(part, at);
#pragma unroll 4
  for (int y = tile.y; y < min(tile.y + rows, part.height); y++) {
    const char *from = source_row<char>(part, y) + at;
    char *to = target_row<char>(part, y) + at;
    unsigned source = 0;
    if (masks.copy && left >= 4)
      source = __ldg((const unsigned *)from);
    else if (masks.copy)
      for (int i = 0; i < left; i++)
        source |= (unsigned)__ldg((const unsigned char *)from + i) << 8 * i;
    const unsigned word = (source & masks.copy) | masks.fill;
    if (left >= 4 && masks.written == ~0u)
      *(unsigned *)to = word;
    else
      store_bytes(to, left, masks.written, word);
  }
}
