/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* sliding: windows of 3x3 and 5x5 on 8-bit samples whose sums span less than 2^16. A thread slides
 * down a strip some words wide. Four samples of a word become two registers of two 16-bit lanes,
 * the even samples and the odd ones, so one integer multiply-add does two of them: the arithmetic
 * is modulo 2^32, and only the complete sum, lifted to be non-negative, has to fit its lane. A
 * neighbour `step` samples away is another lane of the same registers, so every step is the same
 * code. The plan has proved the bound (cuda/program.c). */

#include "finish.cuh"

#define EVEN_LANES 0x00FF00FFu

/* One row's worth of words with the halo left and right, as lanes. */
template <int WORDS, int HALO> struct Lanes {
  unsigned even[WORDS + 2 * HALO], odd[WORDS + 2 * HALO];

  __device__ __forceinline__ explicit Lanes(const unsigned (&word)[WORDS + 2 * HALO]) {
#pragma unroll
    for (int i = 0; i < WORDS + 2 * HALO; i++) {
      even[i] = word[i] & EVEN_LANES;
      odd[i] = __byte_perm(word[i], 0, 0x4341);
    }
  }

  /* The lanes of the samples `distance` to the right of word `word`'s even (parity 0) or odd ones.
   */
  __device__ __forceinline__ unsigned at(int word, int parity, int distance) const {
    const int sample = 4 * (word + HALO) + parity + distance;
    const int base = sample >> 2;
    switch (sample & 3) {
    case 0:
      return even[base];
    case 1:
      return odd[base];
    case 2:
      return __funnelshift_r(even[base], even[base + 1], 16);
    default:
      return __funnelshift_r(odd[base], odd[base + 1], 16);
    }
  }
};

/* Loads the words of a row from `inside` on and their halo. */
template <int WORDS, int HALO>
static __device__ __forceinline__ void
load_interior(const unsigned *inside, unsigned (&word)[WORDS + 2 * HALO]) {
#pragma unroll
  for (int i = 0; i < HALO; i++) {
    word[i] = __ldg(inside - HALO + i);
    word[HALO + WORDS + i] = __ldg(inside + WORDS + i);
  }
  if constexpr (WORDS == 4) {
    const uint4 own = __ldg((const uint4 *)inside);
    word[HALO] = own.x, word[HALO + 1] = own.y, word[HALO + 2] = own.z, word[HALO + 3] = own.w;
  } else {
    const uint2 own = __ldg((const uint2 *)inside);
    word[HALO] = own.x, word[HALO + 1] = own.y;
  }
}

/* The words at byte `at` of ROWS rows from `top` on, byte by byte by the border rule. Out of line,
 * since few threads need it; without branches, so that all its loads are under way at once. */
template <int STEP, int ROWS>
static __device__ __noinline__ void
gather_column(const CcLaunch &launch, int at, int top, unsigned (&word)[ROWS]) {
  int offset[4], outside[4]; /* of each byte: in its row, and what it is outside the picture */
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int sample = at + i + 16 * STEP; /* not negative, so that division rounds down */
    const int x = cc_border_index(sample / STEP - 16, launch.width, launch.border);
    offset[i] = x < 0 ? -1 : x * STEP + sample % STEP;
    outside[i] = launch.border_code[sample % STEP];
  }
#pragma unroll
  for (int j = 0; j < ROWS; j++) {
    const int y = cc_border_index(top + j, launch.height, launch.border);
    const unsigned char *row =
        (const unsigned char *)launch.src + (long long)max(y, 0) * launch.src_pitch;
    word[j] = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int code = row[max(offset[i], 0)];
      word[j] |= (unsigned)(y < 0 || offset[i] < 0 ? outside[i] : code) << (8 * i);
    }
  }
}

/* Loads WORDS words from byte `first` of each of ROWS rows from `top` on, by the border rule: in
 * place what lies inside, and then the few columns that do not. */
template <int STEP, int WORDS, int ROWS>
static __device__ __forceinline__ void
load_border(const CcLaunch &launch, int first, int top, unsigned (&word)[ROWS][WORDS]) {
  const int row_bytes = launch.width * STEP, last = (row_bytes - 1) & ~3;
#pragma unroll
  for (int j = 0; j < ROWS; j++) {
    const int y = cc_border_index(top + j, launch.height, launch.border);
    const char *row = (const char *)launch.src + (long long)max(y, 0) * launch.src_pitch;
#pragma unroll
    for (int i = 0; i < WORDS; i++)
      word[j][i] = *(const unsigned *)(row + min(max(first + 4 * i, 0), last));
  }
  const bool constant_rows =
      launch.border == CC_BORDER_CONSTANT && (top < 0 || top + ROWS > launch.height);
#pragma unroll
  for (int i = 0; i < WORDS; i++) {
    const int at = first + 4 * i;
    if (at >= 0 && at + 4 <= row_bytes && !constant_rows)
      continue;
    unsigned column[ROWS];
    gather_column<STEP>(launch, at, top, column);
#pragma unroll
    for (int j = 0; j < ROWS; j++)
      word[j][i] = column[j];
  }
}

/* --- from sums to words --- */

/* Four results 0..255, each the low byte of a float's bits, as a word. */
static __device__ __forceinline__ unsigned
pack_word(const float (&v)[4]) {
  const unsigned low = __byte_perm(__float_as_uint(v[0]), __float_as_uint(v[1]), 0x0040);
  const unsigned high = __byte_perm(__float_as_uint(v[2]), __float_as_uint(v[3]), 0x0040);
  return __byte_perm(low, high, 0x5410);
}

/* Lane `lane` of a lifted sum as a float, without a conversion: 2^23 + lane has the lane's bits. */
static __device__ __forceinline__ float
lane_sum(unsigned lanes, int lane, float unbias) {
  return __uint_as_float(__byte_perm(lanes, 0x4B000000u, lane ? 0x7632 : 0x7610)) - unbias;
}

/* floor(t * mul + add) within lo..hi, left in the low byte of the float's bits. */
static __device__ __forceinline__ float
finish_float(const CcLaunch &launch, float t) {
  const float v = __fmaf_rn(t, launch.mul_f, launch.add_f);
  return __fadd_rd(fminf(fmaxf(v, (float)launch.lo), (float)launch.hi), 8388608.0f);
}

/* Which last step a kernel has. */
enum Finish {
  SHIFT,    /* (sum + round) >> down, of one non-negative matrix */
  LINEAR,   /* clamp, absolute or offset of one matrix */
  GRADIENT, /* magnitude or magnitude-l1 of two */
};

template <Finish FINISH, int MATRICES>
static __device__ __forceinline__ unsigned
finish_word(const CcLaunch &launch, const unsigned (&even)[MATRICES],
            const unsigned (&odd)[MATRICES]) {
  if constexpr (FINISH == SHIFT) {
    const unsigned low = even[0] >> launch.packed.down & EVEN_LANES;
    const unsigned high = (odd[0] >> launch.packed.down & EVEN_LANES) << 8;
    return low | high;
  } else {
    float v[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      float sum[MATRICES], t;
#pragma unroll
      for (int m = 0; m < MATRICES; m++)
        sum[m] = lane_sum(i & 1 ? odd[m] : even[m], i >> 1, launch.packed.unbias[m]);
      if constexpr (FINISH == LINEAR)
        t = launch.response == CC_RESPONSE_ABSOLUTE ? fabsf(sum[0]) : sum[0];
      else if (launch.response == CC_RESPONSE_MAGNITUDE)
        t = __fsqrt_rn(__fmaf_rn(sum[1], sum[1], __fmul_rn(sum[0], sum[0])));
      else
        t = __fadd_rn(fabsf(sum[0]), fabsf(sum[1]));
      v[i] = finish_float(launch, t);
    }
    return pack_word(v);
  }
}

/* Puts copied and filled samples over the filtered ones. */
static __device__ __forceinline__ unsigned
merge(const CcLaunch &launch, unsigned filtered, unsigned source) {
  return (filtered & launch.packed.filter_bytes) | (source & launch.packed.copy_bytes) |
         launch.packed.fill_bytes;
}

/* Writes words to `row`, of which `left` bytes are inside the picture. */
template <int WORDS, bool INTERIOR>
static __device__ __forceinline__ void
store_row(unsigned char *row, int left, const unsigned (&word)[WORDS]) {
  if (INTERIOR || left >= 4 * WORDS) {
    if constexpr (WORDS == 4)
      *(uint4 *)row = make_uint4(word[0], word[1], word[2], word[3]);
    else
      *(uint2 *)row = make_uint2(word[0], word[1]);
  } else {
#pragma unroll
    for (int i = 0; i < 4 * WORDS; i++)
      if (i < left)
        row[i] = (unsigned char)(word[i / 4] >> (8 * (i & 3)));
  }
}

/* --- the strip --- */

/* A strip of WORDS words by ROWS rows from byte `at` of row `top`, a window of 2R+1 each way. Every
 * input row adds to the output rows that it touches, so at most 2R+1 of them are under way. */
template <int STEP, int R, int WORDS, int ROWS, bool SEPARABLE, Finish FINISH, bool INTERIOR>
static __device__ __forceinline__ void
filter_strip(const CcLaunch &launch, int at, int top) {
  constexpr int HALO = (R * STEP + 3) / 4, SIDE = 2 * R + 1;
  constexpr int MATRICES = FINISH == GRADIENT ? 2 : 1;
  const char *src = (const char *)launch.src + (long long)(top - R) * launch.src_pitch + at;
  char *dst = (char *)launch.dst + (long long)top * launch.dst_pitch + at;
  unsigned raw[ROWS + 2 * R][WORDS + 2 * HALO];
  if constexpr (INTERIOR) {
#pragma unroll
    for (int j = 0; j < ROWS + 2 * R; j++)
      load_interior<WORDS, HALO>((const unsigned *)(src + j * launch.src_pitch), raw[j]);
  } else {
    load_border<STEP>(launch, at - 4 * HALO, top - R, raw);
  }

  unsigned sum[ROWS][2 * WORDS][MATRICES];
#pragma unroll
  for (int j = 0; j < ROWS + 2 * R; j++) {
    const Lanes<WORDS, HALO> lanes(raw[j]);
#pragma unroll
    for (int w = 0; w < 2 * WORDS; w++) {
      unsigned tap[SIDE];
#pragma unroll
      for (int k = 0; k < SIDE; k++)
        tap[k] = lanes.at(w >> 1, w & 1, (k - R) * STEP);
#pragma unroll
      for (int m = 0; m < MATRICES; m++) {
        unsigned row = 0;
        if (SEPARABLE) {
#pragma unroll
          for (int k = 0; k < SIDE; k++)
            row += launch.packed.row[m][k] * tap[k];
        }
#pragma unroll
        for (int out = j - 2 * R; out <= j; out++) {
          if (out < 0 || out >= ROWS)
            continue;
          if (out == j)
            sum[out][w][m] = FINISH == SHIFT ? launch.packed.round : launch.packed.bias[m];
          if (SEPARABLE) {
            sum[out][w][m] += launch.packed.column[m][j - out] * row;
          } else {
#pragma unroll
            for (int k = 0; k < SIDE; k++)
              sum[out][w][m] += launch.packed.tap[(j - out) * SIDE + k] * tap[k];
          }
        }
      }
    }
    const int done = j - 2 * R, y = top + done; /* the output row that is complete now */
    if (done >= 0 && (INTERIOR || y < launch.height)) {
      unsigned word[WORDS];
#pragma unroll
      for (int w = 0; w < WORDS; w++) {
        word[w] = finish_word<FINISH, MATRICES>(launch, sum[done][2 * w], sum[done][2 * w + 1]);
        if (STEP == 4) /* no other step has pixels that are filtered in part */
          word[w] = merge(launch, word[w], raw[done + R][HALO + w]);
      }
      store_row<WORDS, INTERIOR>((unsigned char *)dst, launch.width * STEP - at, word);
      dst += launch.dst_pitch;
    }
  }
}

/* A tile is a warp's strips, side by side; it is interior when it and its halo lie inside the
 * picture. */
template <int STEP, int R, int WORDS, int ROWS, bool SEPARABLE, Finish FINISH>
static __device__ __forceinline__ void
slide(const CcLaunch &launch) {
  constexpr int STRIP = 4 * WORDS, HALO = (R * STEP + 3) / 4 * 4; /* bytes */
  constexpr int TILE = CC_SLIDING_BLOCK_WIDTH * STRIP;
  const int left = blockIdx.x * TILE, row_bytes = launch.width * STEP;
  const int at = left + threadIdx.x * STRIP;
  const int top = (blockIdx.y * CC_SLIDING_BLOCK_HEIGHT + threadIdx.y) * ROWS;
  if (left >= HALO && left + TILE + HALO <= row_bytes && top >= R &&
      top + ROWS + R <= launch.height)
    filter_strip<STEP, R, WORDS, ROWS, SEPARABLE, FINISH, true>(launch, at, top);
  else if (at < row_bytes && top < launch.height)
    filter_strip<STEP, R, WORDS, ROWS, SEPARABLE, FINISH, false>(launch, at, top);
}

#define ENTRY(kind, window, STEP, R, WORDS, ROWS, SEPARABLE, FINISH)                               \
  extern "C" __global__ void __launch_bounds__(CC_SLIDING_BLOCK_WIDTH *CC_SLIDING_BLOCK_HEIGHT)    \
      cc_sliding_##kind##_##window##_s##STEP(const __grid_constant__ CcLaunch launch) {            \
    slide<STEP, R, WORDS, ROWS, SEPARABLE, FINISH>(launch);                                        \
  }

#define ENTRIES(kind, window, ...)                                                                 \
  ENTRY(kind, window, 1, __VA_ARGS__)                                                              \
  ENTRY(kind, window, 2, __VA_ARGS__)                                                              \
  ENTRY(kind, window, 3, __VA_ARGS__)                                                              \
  ENTRY(kind, window, 4, __VA_ARGS__)

CC_SLIDING_KERNELS(ENTRIES)
