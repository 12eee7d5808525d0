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
#include "tensor_separable_tile.cuh"

/* What a kernel is made for: see CC_TENSOR_SEPARABLE_KERNELS. */
template <int BYTES_, int PLANES_, int DIGITS_, bool SIGNED_, int MATRICES_, int BLOCKS_,
          CcTensorSeparableSums SUMS_>
struct Variant {
  static constexpr int BYTES = BYTES_, PLANES = PLANES_, DIGITS = DIGITS_, MATRICES = MATRICES_;
  static constexpr int BLOCKS = BLOCKS_;
  static constexpr bool SIGNED = SIGNED_;
  static constexpr CcTensorSeparableSums SUMS = SUMS_;
  static constexpr bool WIDE = SUMS == CC_TENSOR_SEPARABLE_SUMS_wide;
  static constexpr int PAIRS = CC_TENSOR_SEPARABLE_PAIRS(BYTES, PLANES, MATRICES, BLOCKS);
  static constexpr int TILE_BYTES = CC_TENSOR_SEPARABLE_TILE_BYTES(PAIRS);
  static constexpr int MOST_STEPS = CC_TENSOR_SEPARABLE_MOST_STEPS(BLOCKS);
  static constexpr int SETS = CC_TENSOR_SEPARABLE_SETS(BYTES, DIGITS);
  static constexpr int EIGHTS = 2 / BYTES; /* columns of 16 bytes, eight at a time */
  static constexpr int WEIGHTS = PLANES + DIGITS - 1;
  static constexpr int DOWN_STEPS = (BLOCKS + 1) / 2; /* of 32 rows */
  typedef StagedBlocks<TILE_BYTES, MOST_STEPS> Staged;
};

/* --- matrix products --- */

/* Four sums of a lane: of lane 4g + t row g of the product, columns 2t and 2t + 1, and then the
 * same of row g + 8. */
struct Products {
  int sum[4];
};

#define MULTIPLY(shape, type, ...)                                                                 \
  asm("mma.sync.aligned." shape ".row.col.s32." type ".u8.s32 " __VA_ARGS__)

/* Adds to `to` the product of a matrix of taps, 16 x 16, with one of bytes, 16 x 8. */
template <bool SIGNED>
static __device__ __forceinline__ void
multiply_add_half(Products &to, unsigned upper, unsigned lower, unsigned bytes) {
#if __CUDA_ARCH__ >= 800
#define OPERANDS                                                                                   \
  "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+r"(to.sum[0]),                                \
                                                   "+r"(to.sum[1]),                                \
                                                   "+r"(to.sum[2]),                                \
                                                   "+r"(to.sum[3])                                 \
      : "r"(upper), "r"(lower), "r"(bytes)
  if (SIGNED)
    MULTIPLY("m16n8k16", "s8", OPERANDS);
  else
    MULTIPLY("m16n8k16", "u8", OPERANDS);
#undef OPERANDS
#else
  /* Turing multiplies 8 rows at a time */
#define OPERANDS(i, taps)                                                                          \
  "{%0,%1}, {%2}, {%3}, {%0,%1};" : "+r"(to.sum[i]), "+r"(to.sum[i + 1]) : "r"(taps), "r"(bytes)
  if (SIGNED) {
    MULTIPLY("m8n8k16", "s8", OPERANDS(0, upper));
    MULTIPLY("m8n8k16", "s8", OPERANDS(2, lower));
  } else {
    MULTIPLY("m8n8k16", "u8", OPERANDS(0, upper));
    MULTIPLY("m8n8k16", "u8", OPERANDS(2, lower));
  }
#undef OPERANDS
#endif
}

/* The same of 16 x 32 and 32 x 8. */
template <bool SIGNED>
static __device__ __forceinline__ void
multiply_add(Products &to, const uint4 &taps, unsigned first, unsigned second) {
#if __CUDA_ARCH__ >= 800
#define OPERANDS                                                                                   \
  "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(to.sum[0]),                       \
                                                            "+r"(to.sum[1]),                       \
                                                            "+r"(to.sum[2]),                       \
                                                            "+r"(to.sum[3])                        \
      : "r"(taps.x), "r"(taps.y), "r"(taps.z), "r"(taps.w), "r"(first), "r"(second)
  if (SIGNED)
    MULTIPLY("m16n8k32", "s8", OPERANDS);
  else
    MULTIPLY("m16n8k32", "u8", OPERANDS);
#undef OPERANDS
#else
  multiply_add_half<SIGNED>(to, taps.x, taps.y, first);
  multiply_add_half<SIGNED>(to, taps.z, taps.w, second);
#endif
}

/* --- the table --- */

/* A lane's share of the table of a part. */
template <typename V> struct Table : CcTensorSeparableTable {
  const uint4 *rows; /* fragments of the lane */
  uint4 columns[V::MATRICES][V::DIGITS][V::DOWN_STEPS];

  __device__ __forceinline__ Table(const CcLaunch &launch, const CcPart &part) {
    const char *from = (const char *)launch.memory_taps + OWN(part).table;
    *(CcTensorSeparableTable *)this = *(const CcTensorSeparableTable *)from;
    rows = (const uint4 *)(from + CC_TENSOR_SEPARABLE_TABLE_BYTES) + threadIdx.x;
    const uint4 *next = rows + 32 * V::MATRICES * V::SETS * steps;
#pragma unroll
    for (int m = 0; m < V::MATRICES; m++)
#pragma unroll
      for (int d = 0; d < V::DIGITS; d++)
#pragma unroll
        for (int s = 0; s < V::DOWN_STEPS; s++, next += 32)
          columns[m][d][s] = *next;
  }
};

/* --- rows --- */

/* How source bytes become what is multiplied. */
struct SourceForm {
  int shift;
  unsigned mask; /* of stored words, two at a time */
  bool grey;     /* pixels of four bytes become grey */
};

/* Reads 32 bytes of each of 16 rows: of lane 4g + t bytes 4t and on of row g, then bytes 16 + 4t
 * and on, and then both of row g + 8. */
template <int BYTES>
static __device__ __forceinline__ void
load_bytes(unsigned (&word)[4], unsigned address, const CcPart &part, const SourceForm &form) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
               : "r"(address)
               : "memory");
  if (BYTES == 2)
#pragma unroll
    for (int i = 0; i < 4; i++)
      word[i] = word[i] >> form.shift & form.mask;
  else if (form.grey)
#pragma unroll
    for (int i = 0; i < 4; i++)
      word[i] = grey_of(part, word[i]);
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

/* A lane's sums along 16 rows for 16 bytes of them, of one matrix: for rows 0 to 7 and 8 to 15. */
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
          half[set][i].sum[k] = weight < 2 ? offset[weight & 1] : 0;
        }
  }

  /* The sum of weight 256^w for row i of the lane's four. */
  __device__ __forceinline__ int of_weight(int w, int eight, int i) const {
    return V::BYTES == 1 ? half[w][i / 2].sum[2 * eight + i % 2]
                         : half[w / 2][i / 2].sum[w % 2 * 2 + i % 2];
  }

  /* The bytes of the sums for eight columns, as words of the lane's four rows. */
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

/* The sums along rows that the lane has of 16 bytes, byte by byte, of the blocks of a window. */
template <typename V> struct Ring {
  unsigned word[V::EIGHTS][V::MATRICES][V::PLANES][V::BLOCKS];

  /* Slides by the block at `address` in shared memory. */
  __device__ __forceinline__ void slide(const Table<V> &table, const CcPart &part,
                                        const SourceForm &form, unsigned address) {
    RowSums<V> sums[V::MATRICES];
#pragma unroll
    for (int m = 0; m < V::MATRICES; m++)
      sums[m].begin(table.offset[m]);
#pragma unroll 1
    for (int step = 0; step < table.steps; step++) {
      unsigned bytes[4];
      load_bytes<V::BYTES>(bytes, address + 32 * step, part, form);
#pragma unroll
      for (int m = 0; m < V::MATRICES; m++)
#pragma unroll
        for (int set = 0; set < V::SETS; set++) {
          const uint4 taps = __ldg(table.rows + 32 * ((m * V::SETS + set) * table.steps + step));
          multiply_add<V::SIGNED>(sums[m].half[set][0], taps, bytes[0], bytes[1]);
          multiply_add<V::SIGNED>(sums[m].half[set][1], taps, bytes[2], bytes[3]);
        }
    }
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

  /* Adds to `to` the products of weight 256^w. */
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

  /* The sums of the weights from `lowest` on, divided by that; the lowest begins with `start`. */
  __device__ __forceinline__ Products weigh_from(const Table<V> &table, int e, int m, int lowest,
                                                 int start) const {
    Products sums = {};
#pragma unroll
    for (int w = V::WEIGHTS - 1; w >= lowest; w--) {
#pragma unroll
      for (int i = 0; i < 4; i++)
        sums.sum[i] = 256 * sums.sum[i] + (w == lowest ? start : 0);
      weigh(sums, table, e, m, w);
    }
    return sums;
  }
};

/* --- last steps --- */

/* The sums of one matrix for a lane's four samples of eight columns: two of row g, two of row g
 * + 8.
 */
template <typename V> struct Sums {
  typedef std::conditional_t<V::WIDE, long long, int> Sum;
  Sum of[4];

  __device__ __forceinline__ void make(const Ring<V> &ring, const Table<V> &table, int e, int m) {
    const int(&start)[4] = table.start[m];
    Products low = {start[0], start[0], start[0], start[0]};
    ring.weigh(low, table, e, m, 0);
    if constexpr (!V::WIDE) {
      const Products high = ring.weigh_from(table, e, m, 1, start[1]);
#pragma unroll
      for (int i = 0; i < 4; i++)
        of[i] = V::SUMS == CC_TENSOR_SEPARABLE_SUMS_linear
                    ? high.sum[i] * table.lift + (low.sum[i] >> table.drop)
                    : high.sum[i] * 256 + low.sum[i];
    } else {
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

/* The code value of a sample's sums; for bytes not yet saturated. */
template <typename V>
static __device__ __forceinline__ int
code(const CcLaunch &launch, const CcPart &part, const Table<V> &table,
     const typename Sums<V>::Sum (&s)[V::MATRICES]) {
  if constexpr (V::SUMS == CC_TENSOR_SEPARABLE_SUMS_linear) {
    const int value = scale_down(table, max(s[0], table.least));
    return V::BYTES == 1 ? value : min(max(value, part.lo), part.hi);
  } else if (!V::WIDE && table.finish == CC_TENSOR_SEPARABLE_FINISH_float) {
    return code_by_response<float>(launch, part, s);
  } else if (V::MATRICES == 1 && !V::WIDE && table.finish == CC_TENSOR_SEPARABLE_FINISH_absolute) {
    const int n = (int)(s[0] < 0 ? -s[0] : s[0]) + table.addend;
    return min(max(scale_down(table, n), part.lo), part.hi);
  } else if (V::MATRICES == 2 && !V::WIDE && table.finish == CC_TENSOR_SEPARABLE_FINISH_root) {
    const float x = (float)s[0], y = (float)s[V::MATRICES - 1];
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(__fmaf_rn(x, x, __fmul_rn(y, y))));
    return min(max(__float2int_rd(__fmaf_rn(root, table.scale, table.lift_f)), part.lo), part.hi);
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
  if constexpr (V::BYTES == 2)
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

/* Writes what a warp has of a pair: 2 x 16 bytes of 16 rows. */
static __device__ __forceinline__ void
store_pair(const CcPart &part, const CcTensorSeparableTable &table, const Target &target, int at,
           const uint2 (&words)[2]) {
  const bool passes = table.filtered != ~(uint64_t)0;
#pragma unroll
  for (int half = 0; half < 2; half++) {
    const long long row = 8 * half;
    uint64_t word = half ? join(words[0].y, words[1].y) : join(words[0].x, words[1].x);
    if (8 * half >= target.below)
      continue;
    const int left = target.left - at;
    if (passes)
      word = merge_unfiltered(part, table, target.from + row * part.src_pitch + at, left, word);
    store_word(target.to + row * part.dst_pitch + at, left, word);
  }
}

/* The block's tile, of which all is staged that is needed first. */
template <typename V>
static __device__ __forceinline__ void
filter_tile(const CcLaunch &launch, const SeparableTile &tile, const Table<V> &table,
            typename V::Staged &staged) {
  typedef typename V::Staged Staged;
  constexpr int AHEAD = Staged::N - 1; /* blocks that are on their way */
  constexpr int REACH_DOWN = CC_TENSOR_SEPARABLE_REACH_DOWN(V::BLOCKS);
  const CcPart &part = tile.part;
  const int reach = CC_TENSOR_SEPARABLE_REACH_ACROSS(table.steps);
  const Span span = {tile.x - reach, V::TILE_BYTES + 2 * reach};
  const int blocks = tile.rows / BLOCK_ROWS + V::BLOCKS - 1, top = tile.y - REACH_DOWN;
  const SourceForm form = {part.shift, (0xFFFFu >> part.shift) * 0x10001u,
                           V::BYTES == 1 && OWN(part).colors != 0};
  const bool sides = has_sides<V::BYTES>(part, span);
  const int lane = threadIdx.x, g = lane >> 2, t = lane & 3;
  const int warp_x = 32 * V::PAIRS * threadIdx.y;
  const unsigned source =
      (unsigned)__cvta_generic_to_shared(&staged.row[0][lane % 8 + lane / 16 * 8][0]) + warp_x +
      (lane / 8 % 2) * 16;
  const int x = tile.x + warp_x + (t & 1) * 12 + 4 * t;
  Target target = {target_row<char>(part, tile.y + g) + x, source_row<char>(part, tile.y + g) + x,
                   part.height - tile.y - g, target_bytes<V::BYTES>(part) - x};
  Ring<V> ring[V::PAIRS][2];
#pragma unroll 1
  for (int i = -AHEAD; i < blocks; i++) {
    if (i >= 0) {
      wait_for_groups<AHEAD - 1>();
      __syncthreads();
      if (sides)
        stage_both_sides<V::BYTES>(launch, part, span, top + BLOCK_ROWS * i, reach,
                                   staged.row[i % Staged::N]);
    }
    const int next = i + AHEAD;
    if (next < blocks)
      stage_block<V::BYTES>(launch, part, span, top + BLOCK_ROWS * next,
                            staged.row[next % Staged::N]);
    end_group();
    if (i < 0)
      continue;
    const unsigned block = source + i % Staged::N * (BLOCK_ROWS * Staged::PITCH);
#pragma unroll
    for (int pair = 0; pair < V::PAIRS; pair++) {
      uint2 words[2];
#pragma unroll
      for (int k = 0; k < 2; k++)
        ring[pair][k].slide(table, part, form, block + 16 * (2 * pair + k));
      if (i < V::BLOCKS - 1)
        continue;
#pragma unroll
      for (int k = 0; k < 2; k++)
        words[k] = finish(launch, part, table, ring[pair][k]);
      store_pair(part, table, target, 32 * pair, words);
    }
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
  const Table<V> table(launch, tile.part); /* no launch writes it */
  wait_for_last_launch();
  filter_tile<V>(launch, tile, table, staged);
}

#define SIGN_u false
#define SIGN_s true

#define ENTRY(bytes, planes, digits, sign, matrices, blocks, sums)                                   \
  extern "C" __global__ void __launch_bounds__(                                                      \
      32 * CC_TENSOR_SEPARABLE_WARPS,                                                                \
      CC_TENSOR_SEPARABLE_RESIDENT(bytes, planes, digits, matrices, blocks))                         \
      cc_tensor_separable_u##bytes##_p##planes##_d##digits##sign##_m##matrices##_b##blocks##_##sums( \
          const __grid_constant__ CcLaunch launch) {                                                 \
    filter_separable<Variant<bytes, planes, digits, SIGN_##sign, matrices, blocks,                   \
                             CC_TENSOR_SEPARABLE_SUMS_##sums>>(launch);                              \
  }

CC_TENSOR_SEPARABLE_KERNELS(ENTRY)
