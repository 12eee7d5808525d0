/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tensor-core in two stages (separable), for sums that are exact. Rows are summed first, then
 * columns. Both stages are products of matrices of bytes.
 *
 * A warp moves down its part of a tile, 16 source rows at a time. The first product multiplies a
 * matrix of row taps by 8 of the source rows. Each row of this matrix is the row of taps, shifted
 * by one byte more than the row before. The sums are exact and not negative. For each group of
 * eight columns, a lane has the sums of one column in four source rows. Byte p of these four sums
 * makes a word, which is directly an operand fragment of the second product. The second product
 * multiplies a matrix of column taps by the sums of this block of rows and of the blocks before it.
 * Registers keep the sums of those blocks. Each row of the matrix is the column of taps, shifted by
 * one row more than the row before. Products of bytes of weight 256^p and digits of weight 256^d
 * have weight 256^(p + d). They are combined from the highest weight down.
 *
 * As in conv2d.cu, formats and widths of the filter kernel only change the matrices, and the host
 * has proved that the output stage is right. */

#include "cuda/output_stage.cuh"
#include "output_stage.cuh"
#include "separable_sums.cuh"

/* --- output stages --- */

/* The sums of one matrix for a lane's four samples of a group of eight columns: two samples of row
 * g, two samples of row g + 8. */
template <typename V> struct Sums {
  typedef std::conditional_t<V::WIDE, long long, int> Sum;
  Sum of[4];

  __device__ __forceinline__ void make(const Ring<V> &ring, const Table<V> &table, int e, int m) {
    const int(&start)[5] = table.start[m];
    Products apart[V::APART + 1];
#pragma unroll
    for (int w = 0; w < V::APART; w++) {
      apart[w] = {start[w], start[w], start[w], start[w]};
      ring.weigh(apart[w], table, e, m, w);
    }
    apart[V::APART] = ring.weigh_from(table, e, m, V::APART, start[V::APART]);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      if constexpr (V::APART == 0) {
        of[i] = apart[0].sum[i];
      } else if constexpr (V::APART == 1) {
        of[i] = apart[1].sum[i] + (apart[0].sum[i] >> 8);
      } else {
        const int a = apart[0].sum[i], b = apart[1].sum[i] + (a >> 8);
        const int c = apart[2].sum[i] + (b >> 8), d = apart[3].sum[i] + (c >> 8);
        const int top = (V::APART > 3 ? apart[V::APART].sum[i] : 0) + (d >> 8);
        const unsigned rest = __byte_perm(__byte_perm(a, b, 0x40), c, 0x3410);
        of[i] = (long long)((unsigned long long)(unsigned)top << 32 | __byte_perm(rest, d, 0x4210));
      }
    }
  }
};

/* Rounds v down. The magnitude of v is below 2^31. */
static __device__ __forceinline__ int
floor_of(double v) {
  return __double2loint(__dadd_rd(v, 0x1.8p52));
}

/* Converts an integer with a magnitude below 2^51. */
static __device__ __forceinline__ double
double_of(long long n) {
  const long long biased = n + __double_as_longlong(0x1.8p52);
  return __dadd_rn(__longlong_as_double(biased), -0x1.8p52);
}

/* The code value of a sample's sums. With samples of one byte, the code value may not yet be
 * saturated. With the variants low and high, the result is a number whose bytes contain the code
 * value. */
template <typename V>
static __device__ __forceinline__ int
code(const CcLaunch &launch, const CcPlaneJob &job, const Table<V> &table,
     const typename Sums<V>::Sum (&s)[V::MATRICES]) {
  if constexpr (V::VARIANT == CC_REQUANTIZE_separable_low) {
    return s[0] * (int)table.multiplier;
  } else if constexpr (V::VARIANT == CC_REQUANTIZE_separable_high) {
    return (int)__umulhi((unsigned)s[0], table.multiplier);
  } else if constexpr (V::VARIANT == CC_REQUANTIZE_separable_scale || V::DROPPED) {
    const bool absolute = !V::DROPPED && table.absolute;
    const unsigned n = absolute     ? 2u * abs(s[0]) + table.addend
                       : V::DROPPED ? max(s[0], 0)
                                    : 2u * max(s[0], 0);
    const int value = (int)(__umulhi(n, table.multiplier) >> table.down);
    return V::BYTES == 1 && !absolute ? value : min(max(value, job.lo), job.hi);
  } else if constexpr (V::VARIANT == CC_REQUANTIZE_separable_root) {
    const float none = __int_as_float(CC_TENSOR_CORE_FLOAT_BITS);
    const float x = __int_as_float(s[0]) - none;
    const float y = __int_as_float(s[V::MATRICES - 1]) - none;
    const float root = approximate_root(__fmaf_rn(x, x, __fmul_rn(y, y)));
    return min(max(__float2int_rd(__fmaf_rn(root, table.scale, table.lift)), job.lo), job.hi);
  } else if constexpr (V::VARIANT == CC_REQUANTIZE_separable_word) {
    return min(root_word(s[0], s[V::MATRICES - 1]) + (int)table.addend, job.hi);
  } else if constexpr (V::VARIANT == CC_REQUANTIZE_separable_wide) {
    const double t = double_of(s[0]);
    const int value = floor_of(__fma_rn(table.absolute ? fabs(t) : t, job.mul, job.add));
    return min(max(value, job.lo), job.hi);
  } else {
    Response<long long> response;
#pragma unroll
    for (int m = 0; m < V::MATRICES; m++)
      response.add(launch.response, m, s[m]);
    return response.code(launch.response, job);
  }
}

/* Computes a lane's code values of a group of eight columns: two of row g, then two of row g +
 * 8. */
template <typename V>
static __device__ __forceinline__ void
finish_eight(const CcLaunch &launch, const CcPlaneJob &job, const Table<V> &table,
             const Ring<V> &ring, int e, int (&value)[4]) {
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
    value[i] = code(launch, job, table, s);
  }
}

/* A lane's 4 bytes of row g, and of row g + 8. */
template <typename V>
static __device__ __forceinline__ uint2
finish(const CcLaunch &launch, const CcPlaneJob &job, const Table<V> &table, const Ring<V> &ring) {
  int value[V::EIGHTS][4];
#pragma unroll
  for (int e = 0; e < V::EIGHTS; e++)
    finish_eight(launch, job, table, ring, e, value[e]);
  if constexpr (V::VARIANT == CC_REQUANTIZE_separable_low ||
                V::VARIANT == CC_REQUANTIZE_separable_high) {
    unsigned two[2][V::EIGHTS];
#pragma unroll
    for (int e = 0; e < V::EIGHTS; e++)
#pragma unroll
      for (int row = 0; row < 2; row++)
        two[row][e] = __byte_perm(value[e][2 * row], value[e][2 * row + 1], table.pick);
    if (V::BYTES == 2)
      return make_uint2(two[0][0] << job.shift, two[1][0] << job.shift);
    return make_uint2(__byte_perm(two[0][0], two[0][V::EIGHTS - 1], 0x5410),
                      __byte_perm(two[1][0], two[1][V::EIGHTS - 1], 0x5410));
  } else if constexpr (V::BYTES == 2)
    return make_uint2(__byte_perm(value[0][0], value[0][1], 0x5410) << job.shift,
                      __byte_perm(value[0][2], value[0][3], 0x5410) << job.shift);
  else
    return make_uint2(
        saturate_bytes(value[0][0], value[0][1], saturate_bytes(value[1][0], value[1][1], 0)),
        saturate_bytes(value[0][2], value[0][3], saturate_bytes(value[1][2], value[1][3], 0)));
}

/* --- tiles --- */

struct Target {
  char *to;        /* the lane's bytes of row g of a block */
  int below, left; /* rows and bytes from `to` to the end of the target */
};

/* Exchanges words between lanes t and t ^ `other`. The lane in which bit `other` is clear exchanges
 * its `second` for the other lane's `first`. */
static __device__ __forceinline__ void
swap_words(unsigned &first, unsigned &second, int other) {
  const bool upper = threadIdx.x & other;
  const unsigned given = __shfl_xor_sync(~0u, upper ? first : second, other);
  (upper ? first : second) = given;
}

/* Collects neighbouring bytes of a row in each lane. The warp computes 2 x PAIRS groups of 16
 * bytes. At first, lane t has bytes 4t to 4t + 3 of each group. */
template <int PAIRS>
static __device__ __forceinline__ void
join(unsigned (&word)[2 * PAIRS]) {
#pragma unroll
  for (int pair = 0; pair < PAIRS; pair++)
    swap_words(word[2 * pair], word[2 * pair + 1], 1);
  if (PAIRS == 2)
#pragma unroll
    for (int i = 0; i < 2; i++)
      swap_words(word[i], word[2 * PAIRS - 2 + i], 2);
}

/* The source bytes at the position of the target bytes that a lane writes in row g, or in row g + 8
 * if `half` is 1. Block `i` is the last block that the filter kernel covers. `byte` is the position
 * of the source bytes in staged rows. */
template <typename V>
static __device__ __forceinline__ const unsigned *
bytes_below(const typename V::Staged &staged, int i, int half, int byte) {
  constexpr int N = V::Staged::N, RADIUS = CC_TENSOR_SEPARABLE_RADIUS_Y(V::BLOCKS);
  const int row = RADIUS + 8 * half, block = i + N - (V::BLOCKS - 1) + row / BLOCK_ROWS;
  return (const unsigned *)&staged
      .row[(unsigned)block % N][row % BLOCK_ROWS + (threadIdx.x >> 2)][byte];
}

/* Waits until block i of the tile's source rows is staged, and starts to stage block i + AHEAD.
 * There are `blocks` blocks, and the first begins with source row `top`. Pixels of `grey_step`
 * samples are converted to grey. If `grey_step` is 0, no pixels are converted. */
template <typename V, bool FREE>
static __device__ __forceinline__ void
load_block(Stager<V::BYTES, V::TILE_BYTES, FREE, typename V::Staged> &stager, int i, int blocks,
           int top, int grey_step) {
  constexpr int AHEAD = V::Staged::AHEAD;
  wait_for_groups<AHEAD - 1>();
  if (grey_step == 4)
    stager.make_own_grey(i);
  __syncthreads();
  if (V::BYTES == 1 && grey_step == 3)
    stager.make_luma(i);
  if (!FREE)
    stager.stage_outside(i, top + BLOCK_ROWS * i);
  stager.start(i + AHEAD < blocks);
}

/* Computes a lane's words of row g and of row g + 8 of a pair, from the sums along rows in
 * `ring`. */
template <typename V>
static __device__ __forceinline__ void
vertical_pass(unsigned (&word)[2][2 * V::PAIRS], int pair, const Ring<V> (&ring)[2],
              const CcLaunch &launch, const CcPlaneJob &job, const Table<V> &table) {
#pragma unroll
  for (int k = 0; k < 2; k++) {
    const uint2 both = finish(launch, job, table, ring[k]);
    word[0][pair + V::PAIRS * k] = both.x;
    word[1][pair + V::PAIRS * k] = both.y;
  }
}

/* Writes the words of all pairs, and the copied and filled bytes if `passes`. Block i is the last
 * block that the filter kernel covers. The lane's first byte is byte `lane_x` of the tile. */
template <typename V, bool FREE>
static __device__ __forceinline__ void
store_block(const Target &target, unsigned (&word)[2][2 * V::PAIRS], const CcPlaneJob &job,
            const Span &span, const typename V::Staged &staged, bool passes, int i, int lane_x) {
  constexpr int EACH = WORD * V::PAIRS; /* bytes of a row that a lane writes */
#pragma unroll
  for (int half = 0; half < 2; half++) {
    join<V::PAIRS>(word[half]);
    if (!FREE && 8 * half >= target.below)
      continue;
    if (passes)
      merge_unfiltered(staged.filtered, staged.copied, PRIVATE(job).fill,
                       bytes_below<V>(staged, i, half, span.radius + lane_x), word[half]);
    store_words<EACH>(target.to + 8ll * half * job.dst_pitch, FREE ? EACH : target.left,
                      word[half]);
  }
}

/* FREE: all bytes that the tile reads and writes lie inside the source and the target. */
template <typename V, bool FREE>
static __device__ __forceinline__ void
filter_tile(const CcLaunch &launch, const SeparableTile &tile, const Span &span,
            const Table<V> &table, typename V::Staged &staged) {
  typedef typename V::Staged Staged;
  const CcPlaneJob &job = tile.job;
  const int blocks = tile.rows / BLOCK_ROWS + V::BLOCKS - 1, steps = PRIVATE(job).down;
  const int top = tile.y - CC_TENSOR_SEPARABLE_RADIUS_Y(V::BLOCKS);
  const int grey_step = PRIVATE(job).colors ? job.step : 0;
  const StoredFormat format = {job.shift, (0xFFFFu >> job.shift) * 0x10001u};
  const bool passes = CC_TENSOR_SEPARABLE_COPIES(V::BLOCKS) && (job.copy_mask | job.fill_mask) != 0;
  const int lane = threadIdx.x, g = lane >> 2, t = lane & 3;
  const int warp_x = 32 * V::PAIRS * threadIdx.y;
  const int lane_x = warp_x + (V::PAIRS == 2 ? 16 * t : (t & 1) * 16 + (t & 2) * 4);
  const unsigned source =
      (unsigned)__cvta_generic_to_shared(&staged.row[0][lane % 8 + lane / 16 * 8][0]) + warp_x +
      (lane / 8 % 2) * 16;
  Target target = {target_row<char>(job, tile.y + g) + tile.x + lane_x, job.height - tile.y - g,
                   target_bytes<V::BYTES>(job) - tile.x - lane_x};
  Stager<V::BYTES, V::TILE_BYTES, FREE, Staged> stager(launch, job, span, top, staged);
#pragma unroll 1
  for (int i = 0; i < Staged::AHEAD; i++)
    stager.start(i < blocks);
  Ring<V> ring[V::PAIRS][2];
  unsigned block = 0;
  const auto end_block = [&] {
    block = block == (Staged::N - 1) * sizeof staged.row[0] ? 0 : block + sizeof staged.row[0];
  };
#pragma unroll 1
  for (int i = 0; i < V::BLOCKS - 1; i++) {
    load_block<V, FREE>(stager, i, blocks, top, grey_step);
#pragma unroll
    for (int pair = 0; pair < V::PAIRS; pair++)
      horizontal_pass<V>(ring[pair], table, staged, steps, format, source + block + 16 * pair);
    end_block();
  }
#pragma unroll 1
  for (int i = V::BLOCKS - 1; i < blocks; i++) {
    unsigned word[2][2 * V::PAIRS];
    load_block<V, FREE>(stager, i, blocks, top, grey_step);
#pragma unroll
    for (int pair = 0; pair < V::PAIRS; pair++) {
      horizontal_pass<V>(ring[pair], table, staged, steps, format, source + block + 16 * pair);
      vertical_pass<V>(word, pair, ring[pair], launch, job, table);
    }
    store_block<V, FREE>(target, word, job, span, staged, passes, i, lane_x);
    end_block();
    target.to += (long long)BLOCK_ROWS * job.dst_pitch;
    target.below -= BLOCK_ROWS;
  }
}

template <typename V>
static __device__ __forceinline__ void
filter_separable(const CcLaunch &launch) {
  __shared__ typename V::Staged staged;
  const SeparableTile tile = find_separable_tile<V::BYTES, V::TILE_BYTES>(launch);
  allow_next_launch();
  if (!tile.job.filter_mask) {
    wait_for_last_launch();
    copy_or_fill_rows<V::BYTES, CC_TENSOR_SEPARABLE_WARPS>(
        launch, tile.job, tile.x, tile.x + V::TILE_BYTES, tile.y + threadIdx.y, tile.y + tile.rows);
    return;
  }
  const int radius = CC_TENSOR_SEPARABLE_RADIUS_X(PRIVATE(tile.job).down);
  const Span span = {tile.x - radius, V::TILE_BYTES + 2 * radius, radius};
  const Table<V> table(launch, tile.job, staged);
  wait_for_last_launch();
  if (is_free<V::BYTES, V::TILE_BYTES>(tile, span, CC_TENSOR_SEPARABLE_RADIUS_Y(V::BLOCKS)))
    filter_tile<V, true>(launch, tile, span, table, staged);
  else
    filter_tile<V, false>(launch, tile, span, table, staged);
}

#define SIGN_u false
#define SIGN_s true

#define ENTRY(bytes, planes, digits, sign, matrices, blocks, sums, pairs, resident)                  \
  extern "C" __global__ void __launch_bounds__(32 * CC_TENSOR_SEPARABLE_WARPS, resident)             \
      cc_tensor_separable_u##bytes##_p##planes##_d##digits##sign##_m##matrices##_b##blocks##_##sums( \
          const __grid_constant__ CcLaunch launch) {                                                 \
    filter_separable<Variant<bytes, planes, digits, SIGN_##sign, matrices, blocks,                   \
                             CC_REQUANTIZE_separable_##sums, pairs>>(launch);                        \
  }

CC_TENSOR_SEPARABLE_KERNELS(ENTRY)
