/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* sliding on the tensor cores, for exact kernels that are separable: a window's rows first, then
 * its columns, each as products of matrices of bytes.
 *
 * A warp goes down its part of a tile, 16 source rows at a time. The first product is that of a
 * matrix whose rows are the row of taps, shifted by a byte each, with 8 of the source rows. Its
 * sums are exact and not negative, and a lane has those of one column in four source rows. So each
 * of their bytes makes a word that is, as it is, what the second product needs: that of a matrix
 * whose rows are the column of taps, shifted by a row each, with those sums of this block of rows
 * and those before it, which registers keep. Products of the bytes of weight 256^p and of digits of
 * weight 256^d have weight 256^(p + d), and are put together from the top.
 *
 * Neighbours `step` samples away and other window widths are only other matrices, so every format
 * is the same code. The sums are exact, so their order does not matter; the host has proved that
 * the last step is right (tensor_separable.c). */

#include "finish.cuh"
#include "tensor_separable_sums.cuh"

/* --- last steps --- */

/* The sums of one matrix for a lane's four samples of eight columns: two of row g, two of
 * row g + 8. */
template <typename V> struct Sums {
  typedef std::conditional_t<V::WIDE, long long, int> Sum;
  Sum of[4];

  __device__ __forceinline__ void make(const Ring<V> &ring, const Table<V> &table, int e, int m) {
    const int(&start)[4] = table.start[m];
    if constexpr (!V::WIDE && !V::DROPPED) {
      const Products all = ring.weigh_from(table, e, m, 0, start[0]);
#pragma unroll
      for (int i = 0; i < 4; i++)
        of[i] = all.sum[i];
      return;
    }
    Products low = {start[0], start[0], start[0], start[0]};
    ring.weigh(low, table, e, m, 0);
    if constexpr (V::DROPPED) {
      const Products high = ring.weigh_from(table, e, m, 1, start[1]);
#pragma unroll
      for (int i = 0; i < 4; i++)
        of[i] = high.sum[i] + (low.sum[i] >> 8);
    } else if constexpr (V::WIDE) {
      Products second = {start[1], start[1], start[1], start[1]};
      Products third = {start[2], start[2], start[2], start[2]};
      ring.weigh(second, table, e, m, 1);
      ring.weigh(third, table, e, m, 2);
      const Products high = ring.weigh_from(table, e, m, 3, start[3]);
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int a = low.sum[i], b = second.sum[i] + (a >> 8), c = third.sum[i] + (b >> 8);
        const int top = (V::WEIGHTS > 3 ? high.sum[i] : start[3]) + (c >> 8);
        const unsigned rest = __byte_perm(__byte_perm(a, b, 0x40), c, 0x3410);
        of[i] = (long long)((unsigned long long)(unsigned)(top >> 8) << 32 |
                            __byte_perm(rest, top, 0x4210));
      }
    }
  }
};

/* Two numbers as bytes, saturated, the first in the lower one; above them the low half of `rest`.
 */
static __device__ __forceinline__ unsigned
saturate_two(int low, int high, unsigned rest) {
  unsigned bytes;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(high), "r"(low), "r"(rest));
  return bytes;
}

/* (n * multiplier >> 32) >> down, of n that is not negative. */
static __device__ __forceinline__ int
scale_down(const CcTensorSeparableTable &table, int n) {
  return (int)(__umulhi((unsigned)n, table.multiplier) >> table.down);
}

/* v, below 2^31, rounded down. */
static __device__ __forceinline__ int
floor_of(double v) {
  return __double2loint(__dadd_rd(v, 0x1.8p52));
}

/* A whole number below 2^51. */
static __device__ __forceinline__ double
double_of(long long n) {
  const long long biased = n + __double_as_longlong(0x1.8p52);
  return __dadd_rn(__longlong_as_double(biased), -0x1.8p52);
}

static __device__ __forceinline__ float
approximate_root(float n) {
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(n));
  return root;
}

/* The root of n = x^2 + y^2 to the nearest, when that is at most 65535; else at least 65535. Up to
 * there the float is wrong by less than 0.1, so the nearest is r, the integer below the float, or
 * the next: that when n > (r + 1/2)^2, or n - r^2 > r. */
static __device__ __forceinline__ int
root_word(int x, int y) {
  const float fx = (float)x, fy = (float)y;
  const int r = __float2int_rz(approximate_root(__fmaf_rn(fx, fx, __fmul_rn(fy, fy))));
  const unsigned square = (unsigned)x * (unsigned)x + (unsigned)y * (unsigned)y;
  const int below = (int)((unsigned)r * (unsigned)(r + 1) - square); /* needs few bits */
  return r - (below >> 31);
}

/* The code value of a sample's sums as engine/last_step_shared.h says. */
template <typename Kind, typename Sum, int MATRICES>
static __device__ __forceinline__ int
code_by_response(const CcLaunch &launch, const CcPart &part, const Sum (&s)[MATRICES]) {
  Response<Kind> response;
#pragma unroll
  for (int m = 0; m < MATRICES; m++)
    response.add(launch.response, m, (Kind)s[m]);
  return response.code(launch.response, part);
}

/* The code value of a sample's sums; for bytes not yet saturated, and of low and high a number that
 * holds it. */
template <typename V>
static __device__ __forceinline__ int
code(const CcLaunch &launch, const CcPart &part, const Table<V> &table,
     const typename Sums<V>::Sum (&s)[V::MATRICES]) {
  if constexpr (V::SUMS == CC_TENSOR_SEPARABLE_SUMS_low) {
    return s[0] * (int)table.multiplier;
  } else if constexpr (V::SUMS == CC_TENSOR_SEPARABLE_SUMS_high) {
    return (int)__umulhi((unsigned)s[0], table.multiplier);
  } else if constexpr (V::SUMS == CC_TENSOR_SEPARABLE_SUMS_linear || V::DROPPED) {
    const int value = scale_down(table, max(s[0], table.least));
    return V::BYTES == 1 ? value : min(max(value, part.lo), part.hi);
  } else if (!V::WIDE && table.finish == CC_TENSOR_SEPARABLE_FINISH_float) {
    return code_by_response<float>(launch, part, s);
  } else if (V::MATRICES == 1 && !V::WIDE && table.finish == CC_TENSOR_SEPARABLE_FINISH_absolute) {
    const int n = (int)(s[0] < 0 ? -s[0] : s[0]) + table.addend;
    return min(max(scale_down(table, n), part.lo), part.hi);
  } else if (V::MATRICES == 2 && !V::WIDE && table.finish == CC_TENSOR_SEPARABLE_FINISH_root) {
    /* behind the exponent of 2^23 a float and its bits count alike */
    const float x = __int_as_float((int)s[0]) - 12582912.0f;
    const float y = __int_as_float((int)s[V::MATRICES - 1]) - 12582912.0f;
    const float root = approximate_root(__fmaf_rn(x, x, __fmul_rn(y, y)));
    return min(max(__float2int_rd(__fmaf_rn(root, table.scale, table.lift)), part.lo), part.hi);
  } else if (V::MATRICES == 2 && !V::WIDE && table.finish == CC_TENSOR_SEPARABLE_FINISH_word) {
    return min(root_word((int)s[0], (int)s[V::MATRICES - 1]) + table.addend, part.hi);
  } else if (V::MATRICES == 1 && V::WIDE && table.finish == CC_TENSOR_SEPARABLE_FINISH_real) {
    const double t = double_of(s[0]);
    const int value = floor_of(__fma_rn(table.absolute ? fabs(t) : t, part.mul, part.add));
    return min(max(value, part.lo), part.hi);
  }
  return code_by_response<std::conditional_t<V::WIDE, long long, int>>(launch, part, s);
}

/* The code values of eight columns: those of row g and of row g + 8, two each. */
template <typename V>
static __device__ __forceinline__ void
finish_eight(const CcLaunch &launch, const CcPart &part, const Table<V> &table, const Ring<V> &ring,
             int e, int (&value)[4]) {
  Sums<V> sums[V::MATRICES];
#pragma unroll
  for (int m = 0; m < V::MATRICES; m++)
    sums[m].make(ring, table, e, m);
#pragma unroll
  for (int i = 0; i < 4; i++) {
    typename Sums<V>::Sum s[V::MATRICES];
#pragma unroll
    for (int m = 0; m < V::MATRICES; m++)
      s[m] = sums[m].of[i];
    value[i] = code(launch, part, table, s);
  }
}

/* A lane's 4 bytes of row g, and of row g + 8. */
template <typename V>
static __device__ __forceinline__ uint2
finish(const CcLaunch &launch, const CcPart &part, const Table<V> &table, const Ring<V> &ring) {
  int value[V::EIGHTS][4];
#pragma unroll
  for (int e = 0; e < V::EIGHTS; e++)
    finish_eight(launch, part, table, ring, e, value[e]);
  if constexpr (V::SUMS == CC_TENSOR_SEPARABLE_SUMS_low ||
                V::SUMS == CC_TENSOR_SEPARABLE_SUMS_high) {
    unsigned two[2][V::EIGHTS];
#pragma unroll
    for (int e = 0; e < V::EIGHTS; e++)
#pragma unroll
      for (int row = 0; row < 2; row++)
        two[row][e] = __byte_perm(value[e][2 * row], value[e][2 * row + 1], table.pick);
    if (V::BYTES == 2)
      return make_uint2(two[0][0] << part.shift, two[1][0] << part.shift);
    return make_uint2(__byte_perm(two[0][0], two[0][V::EIGHTS - 1], 0x5410),
                      __byte_perm(two[1][0], two[1][V::EIGHTS - 1], 0x5410));
  } else if constexpr (V::BYTES == 2)
    return make_uint2(__byte_perm(value[0][0], value[0][1], 0x5410) << part.shift,
                      __byte_perm(value[0][2], value[0][3], 0x5410) << part.shift);
  else
    return make_uint2(
        saturate_two(value[0][0], value[0][1], saturate_two(value[1][0], value[1][1], 0)),
        saturate_two(value[0][2], value[0][3], saturate_two(value[1][2], value[1][3], 0)));
}

/* --- tiles --- */

/* Where a warp writes. */
struct Target {
  char *to;         /* the lane's 8 bytes of a pair in row g of a block */
  const char *from; /* the same of the source */
  int below, left;  /* rows and bytes of the target from there on */
};

/* Of words for 16 bytes and for the next 16 in a row, 4 for each lane, makes 8 neighbouring bytes:
 * an even lane of the first 16, for itself and the next lane, an odd one of the others. */
static __device__ __forceinline__ uint64_t
join(unsigned first, unsigned second) {
  const bool odd = threadIdx.x & 1;
  const unsigned other = __shfl_xor_sync(~0u, odd ? first : second, 1);
  const unsigned low = odd ? other : first, high = odd ? second : other;
  return (uint64_t)high << 32 | low;
}

/* Writes what a warp has of a pair: 2 x 16 bytes of 16 rows. FREE: all of them lie inside. */
template <bool FREE>
static __device__ __forceinline__ void
store_pair(const CcPart &part, const CcTensorSeparableTable &table, const Target &target, int at,
           const uint2 (&words)[2]) {
  const bool passes = table.filtered != ~(uint64_t)0;
#pragma unroll
  for (int half = 0; half < 2; half++) {
    uint64_t word = half ? join(words[0].y, words[1].y) : join(words[0].x, words[1].x);
    const long long row = 8 * half;
    const int left = FREE ? WORD : target.left - at;
    if (!FREE && row >= target.below)
      continue;
    if (passes)
      word = merge_unfiltered(part, table, target.from + row * part.src_pitch + at, left, word);
    store_word(target.to + row * part.dst_pitch + at, left, word);
  }
}

/* Filters the block's tile. FREE: all that it reads and writes lies inside, but for rows above and
 * below that are read. ONE: a single step makes the sums along rows. */
template <typename V, bool FREE, bool ONE>
static __device__ __forceinline__ void
filter_tile(const CcLaunch &launch, const SeparableTile &tile, const Span &span,
            typename V::Staged &staged) {
  typedef typename V::Staged Staged;
  constexpr int AHEAD = Staged::N - 1; /* blocks that are on their way */
  constexpr int REACH_DOWN = CC_TENSOR_SEPARABLE_REACH_DOWN(V::BLOCKS);
  const CcPart &part = tile.part;
  const int blocks = tile.rows / BLOCK_ROWS + V::BLOCKS - 1, top = tile.y - REACH_DOWN;

  const SourceForm form = {part.shift, (0xFFFFu >> part.shift) * 0x10001u,
                           V::BYTES == 1 && OWN(part).colors != 0};
  const int lane = threadIdx.x, g = lane >> 2, t = lane & 3;
  const int warp_x = 32 * V::PAIRS * threadIdx.y;
  const int x = tile.x + warp_x + (t & 1) * 12 + 4 * t;
  const unsigned source =
      (unsigned)__cvta_generic_to_shared(&staged.row[0][lane % 8 + lane / 16 * 8][0]) + warp_x +
      (lane / 8 % 2) * 16;
  Target target = {target_row<char>(part, tile.y + g) + x, source_row<char>(part, tile.y + g) + x,
                   part.height - tile.y - g, target_bytes<V::BYTES>(part) - x};
  Stager<V::BYTES, V::TILE_BYTES, FREE, ONE, Staged> stager(launch, part, span, top, staged);
  const Table<V> table(launch, part);
  const RowTaps<V, ONE> rows(table, OWN(part).down);
  Ring<V> ring[V::PAIRS][2];
  unsigned block = 0;
#pragma unroll 1
  for (int i = -AHEAD; i < blocks; i++) {
    if (i >= 0) {
      wait_for_groups<AHEAD - 1>();
      __syncthreads();
      if (!FREE)
        stager.stage_outside(i, top + BLOCK_ROWS * i);
    }
    stager.start(i + AHEAD < blocks);
    if (i < 0)
      continue;
#pragma unroll
    for (int pair = 0; pair < V::PAIRS; pair++) {
      uint2 words[2];
      slide_pair<V, ONE>(ring[pair], table, rows, part, form, source + block + 32 * pair);
      if (i < V::BLOCKS - 1)
        continue;
#pragma unroll
      for (int k = 0; k < 2; k++)
        words[k] = finish(launch, part, table, ring[pair][k]);
      store_pair<FREE>(part, table, target, 32 * pair, words);
    }
    block = block == AHEAD * sizeof staged.row[0] ? 0 : block + sizeof staged.row[0];
    if (i < V::BLOCKS - 1)
      continue;
    target.to += (long long)BLOCK_ROWS * part.dst_pitch;
    target.from += (long long)BLOCK_ROWS * part.src_pitch;
    target.below -= BLOCK_ROWS;
  }
}

/* A tile of a part that is only copied and filled. */
template <typename V>
static __device__ __forceinline__ void
pass_separable_tile(const CcLaunch &launch, const SeparableTile &tile) {
  typedef Stored<V::BYTES> Sample;
  const CcPart &part = tile.part;
  const int end = min(tile.x + V::TILE_BYTES, target_bytes<V::BYTES>(part)) / V::BYTES;
  const int all = (1 << part.step) - 1;
  if (V::BYTES * tile.x % WORD == 0 && part.copy_mask == all) {
#pragma unroll 1
    for (int y = tile.y + threadIdx.y; y < min(tile.y + tile.rows, part.height);
         y += CC_TENSOR_SEPARABLE_WARPS)
#pragma unroll 1
      for (int x = tile.x + WORD * threadIdx.x; x < end * V::BYTES; x += 32 * WORD) {
        const int left = end * V::BYTES - x;
        const char *from = source_row<char>(part, y) + x;
        if (left >= WORD)
          *(uint64_t *)(target_row<char>(part, y) + x) = __ldg((const unsigned long long *)from);
        else
          for (int i = 0; i < left; i++)
            target_row<char>(part, y)[x + i] = __ldg(from + i);
      }
    return;
  }
#pragma unroll 1
  for (int i = tile.x / V::BYTES + threadIdx.x; i < end; i += 32) {
    const int x = pixel_of(part, i), component = i - x * part.step;
#pragma unroll 4
    for (int y = tile.y + threadIdx.y; y < tile.y + tile.rows; y += CC_TENSOR_SEPARABLE_WARPS)
      store_unfiltered<Sample>(launch, part, x, y, component);
  }
}

template <typename V>
static __device__ __forceinline__ void
filter_separable(const CcLaunch &launch) {
  __shared__ typename V::Staged staged;
  const SeparableTile tile = find_separable_tile<V::BYTES, V::TILE_BYTES>(launch);
  allow_next_launch();
  if (!tile.part.filter_mask) {
    wait_for_last_launch();
    pass_separable_tile<V>(launch, tile);
    return;
  }
  const int steps = OWN(tile.part).down, reach = CC_TENSOR_SEPARABLE_REACH_ACROSS(steps);
  const Span span = {tile.x - reach, V::TILE_BYTES + 2 * reach, reach};
  wait_for_last_launch();
  if (!is_free<V::BYTES, V::TILE_BYTES>(tile, span, CC_TENSOR_SEPARABLE_REACH_DOWN(V::BLOCKS)))
    filter_tile<V, false, false>(launch, tile, span, staged);
  else if (V::MAY_BE_ONE && steps == 1)
    filter_tile<V, true, V::MAY_BE_ONE>(launch, tile, span, staged);
  else
    filter_tile<V, true, false>(launch, tile, span, staged);
}

#define SIGN_u false
#define SIGN_s true

#define ENTRY(bytes, planes, digits, sign, matrices, blocks, sums)                                   \
  extern "C" __global__ void __launch_bounds__(                                                      \
      32 * CC_TENSOR_SEPARABLE_WARPS, CC_TENSOR_SEPARABLE_RESIDENT(CC_TENSOR_SEPARABLE_WEIGHT(       \
                                          bytes, planes, digits, matrices, blocks)))                 \
      cc_tensor_separable_u##bytes##_p##planes##_d##digits##sign##_m##matrices##_b##blocks##_##sums( \
          const __grid_constant__ CcLaunch launch) {                                                 \
    filter_separable<Variant<bytes, planes, digits, SIGN_##sign, matrices, blocks,                   \
                             CC_TENSOR_SEPARABLE_SUMS_##sums>>(launch);                              \
  }

CC_TENSOR_SEPARABLE_KERNELS(ENTRY)
