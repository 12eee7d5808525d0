/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* sliding: exact kernels on the tensor cores. A row of the window is applied to 8 neighbouring
 * bytes of a row as a product of the bytes around them with a matrix, whose columns are the row of
 * taps shifted by a byte each; one instruction does this for 16 such windows, 128 bytes, with
 * 32-bit sums. A warp keeps the rows of its tile in registers and adds the products of a window's
 * rows into the sums of each target row, sliding down.
 *
 * Neighbours `step` samples away and other window widths are only other matrices, so every format
 * is the same code. Samples of two bytes are sums over low and high bytes, taps of more than a byte
 * sums over two digits. The sums are exact, so their order does not matter; the plan has proved
 * that the last step is right (sliding_finish.c). */

#include "finish.cuh"
#include "sliding.h"
#include "sliding_tile.cuh"

/* --- matrix products --- */

/* A lane's share of the matrix for a row of taps. */
template <int K> struct Taps { unsigned word[K / 16]; };

/* A lane's sums, of lane 4g + t: columns 2t and 2t + 1 of window g, then of window g + 8. */
struct Products {
  int sum[4];
};

/* sums += windows * taps, over the warp. */
static __device__ __forceinline__ void
multiply_add(Products &to, const Quarters<16> &row, const Taps<16> &taps) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+r"(to.sum[0]), "+r"(to.sum[1]), "+r"(to.sum[2]), "+r"(to.sum[3])
      : "r"(row.word[0][0]), "r"(row.word[1][0]), "r"(taps.word[0]));
#else
  /* Turing multiplies 8 windows at a time */
#pragma unroll
  for (int half = 0; half < 2; half++)
    asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+r"(to.sum[2 * half]), "+r"(to.sum[2 * half + 1])
        : "r"(row.word[half][0]), "r"(taps.word[0]));
#endif
}

static __device__ __forceinline__ void
multiply_add(Products &to, const Quarters<32> &row, const Taps<32> &taps) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+r"(to.sum[0]), "+r"(to.sum[1]), "+r"(to.sum[2]), "+r"(to.sum[3])
      : "r"(row.word[0][0]), "r"(row.word[1][0]), "r"(row.word[0][1]), "r"(row.word[1][1]),
        "r"(taps.word[0]), "r"(taps.word[1]));
#else
#pragma unroll
  for (int w = 0; w < 2; w++)
    multiply_add(to, Quarters<16>{{{row.word[0][w]}, {row.word[1][w]}}}, Taps<16>{{taps.word[w]}});
#endif
}

/* --- last steps --- */

/* Two numbers as bytes, saturated; the first in the lower one. */
static __device__ __forceinline__ unsigned
saturate_bytes(int low, int high) {
  unsigned bytes;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(bytes) : "r"(high), "r"(low));
  return bytes;
}

static __device__ __forceinline__ int
scaled(const CcPart &part, int t) {
  return (t * part.sliding.finish.factor + part.sliding.finish.addend) >> part.sliding.finish.down;
}

/* The root of x^2 + y^2, which is below 2^23, scaled, to the nearest. Integers are formed behind
 * the exponent of 2^23, where a float and its bits count alike. */
static __device__ __forceinline__ int
scaled_root(const CcPart &part, int x, int y) {
  const float squares = __int_as_float(x * x + (y * y + 0x4B000000)) - 8388608.0f;
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(squares));
  return __float_as_int(__fmaf_rn(root, part.sliding.finish.mul, 8388608.0f + part.lo)) -
         0x4B000000;
}

/* The code value of a pixel's sums as engine/plan.h says: Sum is float, or int for double. */
template <typename Sum>
static __device__ __forceinline__ int
code_of_sums(const CcLaunch &launch, const CcPart &part, int n, int first, int second) {
  Response<Sum> response;
  response.add(launch.response, 0, (Sum)first);
  if (n == 2)
    response.add(launch.response, 1, (Sum)second);
  return response.code(launch.response, part);
}

/* The code value of a pixel, in 0..255 only once it is saturated. */
template <CcSlidingFinish FINISH, int MATRICES>
static __device__ __forceinline__ int
code(const CcLaunch &launch, const CcPart &part, const int (&s)[MATRICES]) {
  if constexpr (FINISH == CC_SLIDING_FINISH_scale && MATRICES == 2)
    return scaled(part, abs(s[0]) + abs(s[1]));
  else if constexpr (FINISH == CC_SLIDING_FINISH_scale)
    return scaled(part, s[0]);
  else if constexpr (FINISH == CC_SLIDING_FINISH_scaleabs)
    return scaled(part, abs(s[0]));
  else if constexpr (FINISH == CC_SLIDING_FINISH_root)
    return scaled_root(part, s[0], s[1]);
  else if constexpr (FINISH == CC_SLIDING_FINISH_clamp)
    return min(max((s[0] + part.sliding.finish.start) >> part.sliding.finish.down, part.lo),
               part.hi);
  else if constexpr (FINISH == CC_SLIDING_FINISH_float)
    return code_of_sums<float>(launch, part, MATRICES, s[0], s[MATRICES - 1]);
  else
    return code_of_sums<int>(launch, part, MATRICES, s[0], s[MATRICES - 1]);
}

/* --- tiles --- */

template <int DIGITS, int MATRICES> struct Sums {
  Products product[MATRICES][DIGITS];

  /* Sum i of matrix m, put together from its digits. */
  __device__ __forceinline__ int at(int m, int i) const {
    const int low = product[m][0].sum[i];
    return DIGITS == 1 ? low : low + CC_SLIDING_DIGIT * product[m][DIGITS - 1].sum[i];
  }
};

/* The two bytes that a lane writes to window g, or with HALF 1 to window g + 8: two samples of a
 * byte or one of two. */
template <int BYTES, int DIGITS, int MATRICES, CcSlidingFinish FINISH, int HALF>
static __device__ __forceinline__ unsigned
finish(const CcLaunch &launch, const CcPart &part, const Sums<DIGITS, MATRICES> &sums) {
  int first[MATRICES], second[MATRICES];
#pragma unroll
  for (int m = 0; m < MATRICES; m++) {
    first[m] = sums.at(m, 2 * HALF);
    second[m] = sums.at(m, 2 * HALF + 1);
  }
  if constexpr (BYTES == 2) {
#pragma unroll
    for (int m = 0; m < MATRICES; m++)
      first[m] = (first[m] + 256 * second[m]) >> part.shift;
    return (unsigned)code<FINISH>(launch, part, first) << part.shift;
  } else {
    return saturate_bytes(code<FINISH>(launch, part, first), code<FINISH>(launch, part, second));
  }
}

/* The taps of a kernel in a lane. */
template <int K, int DIGITS, int MATRICES, int HEIGHT> struct TapRows {
  Taps<K> row[MATRICES][DIGITS][HEIGHT];

  __device__ __forceinline__ TapRows(const CcLaunch &launch, const WarpTile &tile) {
    const char *table = (const char *)launch.memory_taps + tile.part.sliding.fragments;
    const Taps<K> *own = (const Taps<K> *)table + tile.lane;
#pragma unroll
    for (int i = 0; i < MATRICES * DIGITS * HEIGHT; i++)
#pragma unroll
      for (int w = 0; w < K / 16; w++)
        row[i / (DIGITS * HEIGHT)][i / HEIGHT % DIGITS][i % HEIGHT].word[w] =
            __ldg(&own[32 * i].word[w]);
  }
};

/* The sums of a target row whose window begins at row[0]. */
template <int K, int DIGITS, int MATRICES, int HEIGHT>
static __device__ __forceinline__ Sums<DIGITS, MATRICES>
sum_window(const TapRows<K, DIGITS, MATRICES, HEIGHT> &taps, const Quarters<K> *row) {
  Sums<DIGITS, MATRICES> sums;
#pragma unroll
  for (int m = 0; m < MATRICES; m++)
#pragma unroll
    for (int d = 0; d < DIGITS; d++) {
      sums.product[m][d] = {};
#pragma unroll
      for (int r = 0; r < HEIGHT; r++)
        multiply_add(sums.product[m][d], row[r], taps.row[m][d][r]);
    }
  return sums;
}

/* The matrix that gives the source bytes themselves. */
template <int K>
static __device__ __forceinline__ Taps<K>
identity_taps(const WarpTile &tile) {
  Taps<K> taps;
#pragma unroll
  for (int w = 0; w < K / 16; w++) {
    const int place = CC_SLIDING_REACH(K) + tile.lane / 4 - (tile.lane % 4 * (K / 4) + 4 * w);
    taps.word[w] = place >= 0 && place < 4 ? 1u << 8 * place : 0;
  }
  return taps;
}

/* Puts what is copied and filled between filtered bytes. */
template <int K> struct Merger {
  Taps<K> identity;
  unsigned filter, copy, fill; /* of both of the lane's pairs, which lie alike in a pixel */

  __device__ __forceinline__ void start(const WarpTile &tile) {
    const int shift = 8 * (tile.out & 7);
    identity = identity_taps<K>(tile);
    filter = (unsigned)(tile.part.sliding.filter_bytes >> shift);
    copy = (unsigned)(tile.part.sliding.copy_bytes >> shift);
    fill = (unsigned)(tile.part.sliding.fill_bytes >> shift);
  }

  __device__ __forceinline__ void merge(const Quarters<K> &source, unsigned &a, unsigned &b) const {
    Products bytes = {};
    multiply_add(bytes, source, identity);
    a = (a & filter) | (__byte_perm(bytes.sum[0], bytes.sum[1], 0x0040) & copy) | fill;
    b = (b & filter) | (__byte_perm(bytes.sum[2], bytes.sum[3], 0x0040) & copy) | fill;
  }
};

/* Writes a pair of bytes, of which `left` lie in the target. */
static __device__ __forceinline__ void
store_pair(char *to, int left, unsigned pair) {
  if (left > 1)
    *(unsigned short *)to = (unsigned short)pair;
  else if (left == 1)
    *to = (char)pair;
}

/* Everything is unrolled, so that the rows of the tile are in registers. FREE: the tile lies
 * inside, where it reads and where it writes. MERGE: not all components are filtered. */
template <int BYTES, int K, int DIGITS, int MATRICES, int HEIGHT, CcSlidingFinish FINISH, bool FREE,
          bool MERGE>
static __device__ __forceinline__ void
filter_tile(const CcLaunch &launch, const WarpTile &tile, Outside &outside) {
  constexpr int ROWS = CC_SLIDING_ROWS(K), N = ROWS + HEIGHT - 1;
  const CcPart &part = tile.part;
  Quarters<K> row[N];
  if constexpr (FREE)
    load_rows(tile, tile.y - HEIGHT / 2, row);
  else
    load_border_rows<BYTES>(launch, tile, tile.y - HEIGHT / 2, outside, row);
  const TapRows<K, DIGITS, MATRICES, HEIGHT> taps(launch, tile);
  Merger<K> merger;
  if (MERGE)
    merger.start(tile);
  char *to = target_row<char>(part, tile.y) + tile.out;
  const long long pitch = part.dst_pitch;
  const int rows = part.height - tile.y, left = target_bytes<BYTES>(part) - tile.out;
#pragma unroll
  for (int j = 0; j < N; j++)
    row[j] = code_bits<BYTES>(part, row[j]);
#pragma unroll
  for (int y = 0; y < ROWS; y++, to += pitch) {
    const Sums<DIGITS, MATRICES> sums = sum_window(taps, row + y);
    unsigned a = finish<BYTES, DIGITS, MATRICES, FINISH, 0>(launch, part, sums);
    unsigned b = finish<BYTES, DIGITS, MATRICES, FINISH, 1>(launch, part, sums);
    if (MERGE)
      merger.merge(row[y + HEIGHT / 2], a, b);
    if (FREE || y < rows) {
      store_pair(to, FREE ? 2 : left, a);
      store_pair(to + 64, FREE ? 2 : left - 64, b);
    }
  }
}

template <int BYTES, int K, int DIGITS, int MATRICES, int HEIGHT, CcSlidingFinish FINISH>
static __device__ __forceinline__ void
slide(const CcLaunch &launch) {
  __shared__ Outside outside[CC_SLIDING_WARPS];
  const WarpTile tile = find_warp_tile<K>(launch);
  wait_for_launches_before();
  const CcPart &part = tile.part;
  Outside &own = outside[threadIdx.y];
  if ((int)(blockIdx.x * CC_SLIDING_WARPS + threadIdx.y) >= launch.n_tiles)
    return;
  if (!part.filter_mask)
    pass_tile<BYTES>(tile, CC_SLIDING_ROWS(K));
  else if (!is_free<BYTES, K>(tile, HEIGHT / 2))
    filter_tile<BYTES, K, DIGITS, MATRICES, HEIGHT, FINISH, false, true>(launch, tile, own);
  else if (part.filter_mask == (1 << part.step) - 1)
    filter_tile<BYTES, K, DIGITS, MATRICES, HEIGHT, FINISH, true, false>(launch, tile, own);
  else
    filter_tile<BYTES, K, DIGITS, MATRICES, HEIGHT, FINISH, true, true>(launch, tile, own);
}

/* Blocks that a multiprocessor should hold at once: as many as tiles inside leave registers for.
 * Tiles on the border would take more. */
static constexpr int
blocks_resident(int k, int digits, int matrices, int height) {
  const int products = digits * matrices * height;
  return products > 6 ? 1 : k == 16 && products == 5 ? 6 : 7;
}

#define ENTRY(bytes, k, digits, matrices, height, finish)                                          \
  extern "C" __global__ void __launch_bounds__(32 * CC_SLIDING_WARPS,                              \
                                               blocks_resident(k, digits, matrices, height))       \
      cc_sliding_u##bytes##_k##k##_d##digits##_m##matrices##_h##height##_##finish(                 \
          const __grid_constant__ CcLaunch launch) {                                               \
    slide<bytes, k, digits, matrices, height, CC_SLIDING_FINISH_##finish>(launch);                 \
  }

CC_SLIDING_KERNELS(ENTRY)
