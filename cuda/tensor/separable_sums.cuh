/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The two products of separable.cu. The first computes sums along rows. The second sums the results
 * along columns. */

#include "products.cuh"
#include "separable_tile.cuh"

/* The template parameters of a kernel: see CC_TENSOR_SEPARABLE_KERNELS. */
template <int BYTES_, int PLANES_, int DIGITS_, bool SIGNED_, int MATRICES_, int BLOCKS_,
          CcRequantizationVariant VARIANT_, int PAIRS_>
struct Variant {
  static constexpr int BYTES = BYTES_, PLANES = PLANES_, DIGITS = DIGITS_, MATRICES = MATRICES_;
  static constexpr int BLOCKS = BLOCKS_, PAIRS = PAIRS_;
  static constexpr bool SIGNED = SIGNED_;
  static constexpr CcRequantizationVariant VARIANT = VARIANT_;
  static constexpr bool WIDE =
      VARIANT == CC_REQUANTIZE_separable_wide || VARIANT == CC_REQUANTIZE_separable_double;
  static constexpr bool DROPPED = VARIANT == CC_REQUANTIZE_separable_dropped;
  static constexpr int APART = CC_TENSOR_SEPARABLE_APART(VARIANT);
  static constexpr int TILE_BYTES = CC_TENSOR_SEPARABLE_TILE_BYTES(PAIRS);
  static constexpr int MAX_STEPS = CC_TENSOR_SEPARABLE_MAX_STEPS(BLOCKS);
  static constexpr int SETS = CC_TENSOR_SEPARABLE_SETS(BYTES, DIGITS);
  static constexpr int EIGHTS = 2 / BYTES; /* groups of eight columns in 16 bytes */
  static constexpr int WEIGHTS = PLANES + DIGITS - 1;
  static constexpr int DOWN_STEPS = (BLOCKS + 1) / 2; /* number of products of 32 rows */
  static_assert(APART < WEIGHTS, "initial values are added to the other sums");
  typedef StagedBlocks<TILE_BYTES, MAX_STEPS, MATRICES * SETS, BLOCKS> Staged;
};

/* --- matrix products --- */

/* Adds to `to` the product of a 16 x 16 matrix of taps and a 16 x 8 matrix of bytes. */
template <bool SIGNED>
static __device__ __forceinline__ void
multiply_add_half(Products &to, unsigned upper, unsigned lower, unsigned bytes) {
  add_product<SIGNED, false>(to.sum, upper, lower, bytes);
}

/* Adds to `to` the product of a 16 x 32 matrix of taps and a 32 x 8 matrix of bytes. */
template <bool SIGNED>
static __device__ __forceinline__ void
multiply_add(Products &to, const uint4 &taps, unsigned first, unsigned second) {
  const unsigned left[4] = {taps.x, taps.y, taps.z, taps.w}, right[2] = {first, second};
  add_product<SIGNED, false>(to.sum, left, right);
}

/* --- the table --- */

/* A lane's part of the table of a plane job. The fragments of row taps go to shared memory. */
template <typename V> struct Table : CcTensorSeparableTable {
  uint4 columns[V::MATRICES][V::DIGITS][V::DOWN_STEPS];

  __device__ __forceinline__ Table(const CcLaunch &launch, const CcPlaneJob &job,
                                   typename V::Staged &staged) {
    const char *from = (const char *)launch.memory_taps + PRIVATE(job).table;
    const uint4 *next = (const uint4 *)(from + CC_TENSOR_SEPARABLE_TABLE_BYTES) + threadIdx.x;
    *(CcTensorSeparableTable *)this = *(const CcTensorSeparableTable *)from;
#pragma unroll
    for (int m = 0; m < V::MATRICES; m++)
#pragma unroll
      for (int d = 0; d < V::DIGITS; d++)
#pragma unroll
        for (int s = 0; s < V::DOWN_STEPS; s++, next += 32)
          columns[m][d][s] = *next;
    const int rows = PRIVATE(job).down * V::MATRICES * V::SETS;
    for (int i = threadIdx.y; i < rows; i += CC_TENSOR_SEPARABLE_WARPS)
      staged.taps[i][threadIdx.x] = next[32 * i];
    if (threadIdx.y == 0 && threadIdx.x == 0) {
      staged.filtered = filtered;
      staged.copied = copied;
    }
  }
};

/* --- rows --- */

/* Converts stored words of two bytes to code values, two at a time. */
struct StoredFormat {
  int shift;
  unsigned mask;
};

/* A lane's part of 32 bytes of 16 rows. Lane 4g + t has bytes 4t to 4t + 3 and 16 + 4t to 19 + 4t
 * of row g, then the same bytes of row g + 8. */
struct Bytes {
  unsigned word[4];
};

template <int BYTES>
static __device__ __forceinline__ Bytes
load_bytes(unsigned address, const StoredFormat &format) {
  Bytes to;
  load_matrices(to.word, address);
  if (BYTES == 2)
#pragma unroll
    for (int i = 0; i < 4; i++)
      to.word[i] = to.word[i] >> format.shift & format.mask;
  return to;
}

/* The 32 bytes in the middle of the 64 bytes of `first` and `second`. */
static __device__ __forceinline__ Bytes
middle_of(const Bytes &first, const Bytes &second) {
  return {first.word[1], second.word[0], first.word[3], second.word[2]};
}

/* Byte `i` of four numbers as a word. */
static __device__ __forceinline__ unsigned
gather_byte(const unsigned (&s)[4], int i) {
  return __byte_perm(__byte_perm(s[0], s[1], i + 16 * (4 + i)),
                     __byte_perm(s[2], s[3], i + 16 * (4 + i)), 0x5410);
}

/* The first COUNT bytes of four numbers, as words. */
template <int COUNT>
static __device__ __forceinline__ void
gather_bytes(unsigned *plane, const unsigned (&s)[4]) {
#pragma unroll
  for (int p = 0; p + 1 < COUNT; p += 2) {
    const unsigned low = __byte_perm(s[0], s[1], p ? 0x7362 : 0x5140);
    const unsigned high = __byte_perm(s[2], s[3], p ? 0x7362 : 0x5140);
    plane[p] = __byte_perm(low, high, 0x5410);
    plane[p + 1] = __byte_perm(low, high, 0x7632);
  }
  if (COUNT % 2)
    plane[COUNT - 1] = gather_byte(s, COUNT - 1);
}

/* A lane's sums along 16 rows, for 16 target bytes and one matrix. half[][0] is for rows 0 to 7,
 * half[][1] for rows 8 to 15. */
template <typename V> struct RowSums {
  Products half[V::SETS][2];

  __device__ __forceinline__ void begin(const int (&offset)[2]) {
#pragma unroll
    for (int set = 0; set < V::SETS; set++)
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int k = 0; k < 4; k++) {
          const int weight = V::BYTES == 1 ? set : 2 * set + k / 2;
          half[set][i].sum[k] = V::SIGNED && weight < 2 ? offset[weight & 1] : 0;
        }
  }

  /* The sum of weight 256^w for row i of the lane's four rows. */
  __device__ __forceinline__ int of_weight(int w, int eight, int i) const {
    return V::BYTES == 1 ? half[w][i / 2].sum[2 * eight + i % 2]
                         : half[w / 2][i / 2].sum[w % 2 * 2 + i % 2];
  }

  /* Splits the lane's sums into bytes, for a group of eight columns. Word plane[p] gets byte p of
   * the sums of the lane's four rows. */
  __device__ __forceinline__ void get_planes(unsigned *plane, int eight) const {
    constexpr int WEIGHTS = V::DIGITS + V::BYTES - 1, FIRST = V::PLANES > 4;
    unsigned s[4], low[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      low[i] = of_weight(0, eight, i);
      unsigned sum = of_weight(WEIGHTS - 1, eight, i);
#pragma unroll
      for (int w = WEIGHTS - 2; w >= FIRST; w--)
        sum = 256 * sum + of_weight(w, eight, i);
      s[i] = FIRST ? sum + ((int)low[i] >> 8) : sum;
    }
    if (FIRST)
      plane[0] = gather_byte(low, 0);
    gather_bytes<V::PLANES - FIRST>(plane + FIRST, s);
  }
};

/* --- columns --- */

/* A lane's sums along rows for 16 target bytes, split into bytes. A ring holds the sums of all
 * blocks that the filter kernel covers. */
template <typename V> struct Ring {
  unsigned word[V::EIGHTS][V::MATRICES][V::PLANES][V::BLOCKS];

  /* Moves down by a block of rows. */
  __device__ __forceinline__ void slide(const RowSums<V> (&sums)[V::MATRICES]) {
#pragma unroll
    for (int e = 0; e < V::EIGHTS; e++)
#pragma unroll
      for (int m = 0; m < V::MATRICES; m++) {
        unsigned plane[V::PLANES];
        sums[m].get_planes(plane, e);
#pragma unroll
        for (int p = 0; p < V::PLANES; p++) {
#pragma unroll
          for (int b = 0; b + 1 < V::BLOCKS; b++)
            word[e][m][p][b] = word[e][m][p][b + 1];
          word[e][m][p][V::BLOCKS - 1] = plane[p];
        }
      }
  }

  /* Adds the products of weight 256^w to `to`. */
  __device__ __forceinline__ void weigh(Products &to, const Table<V> &table, int e, int m,
                                        int w) const {
#pragma unroll
    for (int p = 0; p < V::PLANES; p++)
      if (w - p >= 0 && w - p < V::DIGITS)
#pragma unroll
        for (int s = 0; s < V::DOWN_STEPS; s++) {
          const uint4 &taps = table.columns[m][w - p < V::DIGITS ? w - p : 0][s];
          if (2 * s + 1 < V::BLOCKS)
            multiply_add<V::SIGNED>(to, taps, word[e][m][p][2 * s],
                                    word[e][m][p][2 * s + 1 < V::BLOCKS ? 2 * s + 1 : 0]);
          else
            multiply_add_half<V::SIGNED>(to, taps.x, taps.y, word[e][m][p][2 * s]);
        }
  }

  /* The sums of the weights from `lowest` on, divided by the lowest weight. The sum of the lowest
   * weight begins with `start`. */
  __device__ __forceinline__ Products weigh_from(const Table<V> &table, int e, int m, int lowest,
                                                 int start) const {
    Products sums = {};
#pragma unroll
    for (int w = V::WEIGHTS - 1; w >= lowest; w--) {
#pragma unroll
      for (int i = 0; i < 4; i++)
        sums.sum[i] = (int)(256 * (unsigned)sums.sum[i]) + (w == lowest ? start : 0);
      weigh(sums, table, e, m, w);
    }
    return sums;
  }
};

/* Moves the rings of a pair down by the block of rows at `address` in shared memory. Both groups
 * of the pair use the same loaded bytes. The second group lies 32 bytes further right than the
 * first if PAIRS is 2, and 16 bytes further right if PAIRS is 1. The first step is not part of the
 * loop, because then initial sums of zero need no registers. */
template <typename V>
static __device__ __forceinline__ void
horizontal_pass(Ring<V> (&ring)[2], const Table<V> &table, const typename V::Staged &staged,
                int steps, const StoredFormat &format, unsigned address) {
  RowSums<V> sums[2][V::MATRICES];
#pragma unroll
  for (int k = 0; k < 2; k++)
#pragma unroll
    for (int m = 0; m < V::MATRICES; m++)
      sums[k][m].begin(table.offset[m]);
  Bytes first = load_bytes<V::BYTES>(address, format);
  const auto add_step = [&](int step) {
    const Bytes next = load_bytes<V::BYTES>(address + 32 * (step + 1), format);
    const Bytes bytes[2] = {first, V::PAIRS == 2 ? next : middle_of(first, next)};
#pragma unroll
    for (int m = 0; m < V::MATRICES; m++)
#pragma unroll
      for (int set = 0; set < V::SETS; set++) {
        const uint4 taps = staged.taps[(step * V::MATRICES + m) * V::SETS + set][threadIdx.x];
#pragma unroll
        for (int k = 0; k < 2; k++)
#pragma unroll
          for (int half = 0; half < 2; half++)
            multiply_add<V::SIGNED>(sums[k][m].half[set][half], taps, bytes[k].word[2 * half],
                                    bytes[k].word[2 * half + 1]);
      }
    first = next;
  };
  add_step(0);
#pragma unroll 1
  for (int step = 1; step < steps; step++)
    add_step(step);
#pragma unroll
  for (int k = 0; k < 2; k++)
    ring[k].slide(sums[k]);
}
