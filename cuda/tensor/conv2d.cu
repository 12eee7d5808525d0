/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tensor-core in one stage (conv2d), for sums that are exact. A row of taps is applied to
 * neighbouring bytes of a source row by a matrix product. The left matrix holds windows: these
 * bytes and the bytes around them. In the right matrix, each column is the row of taps, shifted by
 * one byte more than the column before. One mma instruction multiplies 16 windows of 32 bytes and
 * computes 8 target bytes of each window, with 32-bit sums. A warp moves down its part of a tile.
 * Registers hold the source rows that the current target rows need. For each target row, the warp
 * adds the products of all rows of taps.
 *
 * Neighbours `step` samples away, other widths of the filter kernel and copied components only
 * change the matrices, so all formats share the code. Samples of two bytes are summed as low and
 * high bytes, and taps of more than a byte as two digits. The sums are exact, so their order does
 * not matter. requantization.c has proved on the host that the output stage is right. */

#include "cuda/output_stage.cuh"
#include "grey.cuh"
#include "output_stage.cuh"
#include "products.cuh"

template <int WINDOW, int HEIGHT> struct Taps;
struct GradientTaps;

/* The template parameters of a kernel: see CC_TENSOR_CORE_KERNELS. */
template <int BYTES_, int WINDOW_, int DIGITS_, int MATRICES_, int HEIGHT_,
          CcRequantizationVariant VARIANT_>
struct Variant {
  static constexpr int BYTES = BYTES_, WINDOW = WINDOW_, DIGITS = DIGITS_, MATRICES = MATRICES_;
  static constexpr int HEIGHT = HEIGHT_;
  static constexpr CcRequantizationVariant VARIANT = VARIANT_;
  static constexpr bool GRADIENT = CC_TENSOR_CORE_IS_GRADIENT(WINDOW, MATRICES, HEIGHT, VARIANT);
  static constexpr int GROUPS = CC_TENSOR_CORE_GROUPS(WINDOW);
  static constexpr int CENTRE = 8 * GROUPS;          /* target bytes of a window */
  static constexpr int SAMPLES = CENTRE / 4 / BYTES; /* samples of a lane, per window */
  static constexpr int WINDOWS =
      CC_TENSOR_CORE_SPAN_BYTES / CC_TENSOR_CORE_CENTRE(WINDOW); /* windows of a warp */
  static constexpr int SETS = WINDOWS / 16; /* sets of 16 windows; a set is multiplied at once */
  static constexpr int DEPTH = WINDOW == 32 ? 1 : 2;        /* source rows in a Windows */
  static constexpr int RING = (HEIGHT + DEPTH - 1) / DEPTH; /* Windows for DEPTH target rows */
  typedef ByteTile<1> Tile;
  typedef Staged<HEIGHT> StagedRows;
  typedef std::conditional_t<GRADIENT, ::GradientTaps, ::Taps<WINDOW, HEIGHT>> Taps;
};

/* --- taps --- */

/* A lane's taps for 8 target bytes, of one matrix and digit, for windows of 32 bytes. */
template <int HEIGHT> struct Taps<32, HEIGHT> {
  uint2 row[HEIGHT];

  __device__ __forceinline__ void load(const char *from, int pitch) {
#pragma unroll
    for (int r = 0; r < HEIGHT; r++)
      row[r] = load_now((const uint2 *)(from + r * pitch));
  }

  __device__ __forceinline__ Products add_to(Products sums, const Windows *windows, int) const {
#pragma unroll
    for (int r = 0; r < HEIGHT; r++)
      sums = multiply_add(windows[r], row[r], sums);
    return sums;
  }
};

/* A lane's taps for 8 target bytes, for windows of 16 bytes. Two rows of taps are multiplied at
 * once, and one row is left over. If the first row of taps is applied to the first row of a
 * Windows, the last row is left over. If it is applied to the second row, the first row is left
 * over. */
template <int HEIGHT> struct Taps<16, HEIGHT> {
  uint2 pair[2][HEIGHT / 2];
  unsigned left[2];

  __device__ __forceinline__ void load(const char *from, int pitch) {
    const auto row = [=](int r) { return load_now((const unsigned *)(from + r * pitch)); };
#pragma unroll
    for (int second = 0; second < 2; second++) {
#pragma unroll
      for (int i = 0; i < HEIGHT / 2; i++)
        pair[second][i] = {row(2 * i + second), row(2 * i + 1 + second)};
      left[second] = row(second ? 0 : HEIGHT - 1);
    }
  }

  __device__ __forceinline__ Products add_to(Products sums, const Windows *windows,
                                             int second) const {
#pragma unroll
    for (int i = 0; i < HEIGHT / 2; i++)
      sums = multiply_add(windows[i + second], pair[second][i], sums);
    return multiply_add_row(windows[second ? 0 : HEIGHT / 2], second, left[second], sums);
  }
};

/* The taps of a gradient. The first and the last row of taps are multiplied at once, in either
 * order. */
struct GradientTaps {
  uint2 ends;
  unsigned middle;

  __device__ __forceinline__ void load(const char *from, int pitch) {
    const auto row = [=](int r) { return load_now((const unsigned *)(from + r * pitch)); };
    ends = {row(0), row(2)};
    middle = row(1);
  }
};

/* A lane's part of the table of a plane job: taps and initial sums. */
template <typename V> struct Table {
  typename V::Taps taps[V::GROUPS][V::MATRICES][V::DIGITS];
  Products start[V::GROUPS];

  __device__ __forceinline__ Table(const CcLaunch &launch, const CcPlaneJob &job) {
    constexpr int pitch = CC_TENSOR_CORE_ROW_BYTES(V::WINDOW);
    const char *table = (const char *)launch.memory_taps + PRIVATE(job).table;
    const char *lane_taps = table + pitch / 32 * threadIdx.x;
#pragma unroll
    for (int m = 0; m < V::MATRICES; m++)
#pragma unroll
      for (int d = 0; d < V::DIGITS; d++)
#pragma unroll
        for (int g = 0; g < V::GROUPS; g++)
          taps[g][m][d].load(
              lane_taps + (m * V::DIGITS + d) * V::HEIGHT * pitch + V::WINDOW / 4 * g, pitch);
    const int4 *starts = (const int4 *)(table + V::MATRICES * V::DIGITS * V::HEIGHT * pitch);
#pragma unroll
    for (int g = 0; g < V::GROUPS; g++) {
      const int4 four = load_now(starts + V::GROUPS * (threadIdx.x & 3) + g);
      start[g] = {four.x, four.y, four.z, four.w};
    }
  }
};

/* The numbers of the requantization for a lane's samples. The first sample of lane 4g + t is number
 * SAMPLES * t of a centre. */
template <typename V> struct Numbers {
  CcTensorCoreNumbers sample[V::SAMPLES];
  bool passes[V::SAMPLES];
  unsigned excess; /* excess of each of the lane's bytes */

  __device__ __forceinline__ Numbers(const CcPlaneJob &job) : excess(0) {
#pragma unroll
    for (int i = 0; i < V::SAMPLES; i++) {
      const int n = V::SAMPLES == 4 ? i : (V::SAMPLES * (threadIdx.x & 3) + i) & 3;
      sample[i] = PRIVATE(job).numbers[n];
      excess |= PRIVATE(job).excess[n] << 8 * i;
      passes[i] = PRIVATE(job).passes >> n & 1;
    }
  }
};

/* A lane's sums of a target row. */
template <typename V> struct Sums {
  Products product[V::GROUPS][V::MATRICES][V::DIGITS];

  /* The first source row is row `row` of `windows`. */
  __device__ __forceinline__ Sums(const Table<V> &table, const Windows *windows, int row) {
#pragma unroll
    for (int g = 0; g < V::GROUPS; g++)
#pragma unroll
      for (int m = 0; m < V::MATRICES; m++)
#pragma unroll
        for (int d = 0; d < V::DIGITS; d++)
          product[g][m][d] = table.taps[g][m][d].add_to(
              m == 0 && d == V::DIGITS - 1 ? table.start[g] : Products{}, windows, row);
  }

  /* For a gradient. The middle source row is row `row` of `middle`. */
  __device__ __forceinline__ Sums(const Table<V> &table, const Windows &ends, const Windows &middle,
                                  int row) {
    const GradientTaps &first = table.taps[0][0][0], &second = table.taps[0][1][0];
    const Products begun = multiply_add_row(middle, row, first.middle, table.start[0]);
    product[0][0][0] = multiply_add(ends, first.ends, begun);
    product[0][1][0] = multiply_add(ends, second.ends, Products{});
  }

  /* The sum of matrix m for byte i of a lane's bytes of window g, or of window g + 8 if `half` is
   * 1. It is combined from the sums of the digits. */
  __device__ __forceinline__ int of_byte(int m, int half, int i) const {
    const Products(&digit)[V::DIGITS] = product[i / 2][m];
    const int at = 2 * half + i % 2, low = digit[V::DIGITS - 1].sum[at];
    return V::DIGITS == 1 ? low : low + 256 * digit[0].sum[at];
  }

  /* The sum of matrix m for sample i, computed from stored words. With the variant wide the sum is
   * modulo 2^32. */
  __device__ __forceinline__ int of_sample(int m, int half, int i) const {
    if (V::BYTES == 1)
      return of_byte(m, half, i);
    return of_byte(m, half, 2 * i) + 256 * of_byte(m, half, 2 * i + 1);
  }
};

/* --- output stages --- */

static __device__ __forceinline__ int
scaled(const CcPlaneJob &job, const CcTensorCoreNumbers &n, int t) {
  return (t * n.factor.i + n.addend.i) >> PRIVATE(job).down;
}

/* The approximate root of (x^2 + y^2) * factor. x^2 + y^2 is below 2^23. With FAR it may be larger
 * and then counts as 2^23 - 1. Floats with the exponent of 2^23 grow by 1 when their bits grow by
 * 1, so x^2 + y^2 can be added to the bits. */
template <bool FAR>
static __device__ __forceinline__ float
scaled_root(int x, int y, float factor) {
  const int bits = x * x + (y * y + 0x4B000000);
  const float behind = __int_as_float(FAR ? min(bits, 0x4B7FFFFF) : bits);
  const float squares = __fmaf_rn(behind, factor, -8388608.0f * factor);
  return approximate_root(squares);
}

/* The code value of a sample of two bytes, computed from the sums of its low bytes and its high
 * bytes. Products are computed from stored words, which are shifted left by `shift`. The addend is
 * shifted likewise. */
static __device__ __forceinline__ int
wide_code(const CcPlaneJob &job, const CcTensorCoreNumbers &n, int low, int high) {
  const long long begun = (long long)low * n.factor.i + PRIVATE(job).low;
  const long long product = (long long)high * (256 * n.factor.i) + begun;
  return min(max((int)(product >> PRIVATE(job).down), job.lo), job.hi);
}

/* The code value of a sample. With samples of one byte, the code value is not yet saturated, and
 * `excess` is not yet subtracted. With the variant bytes, the result is a sum whose bytes contain
 * the code value. */
template <typename V>
static __device__ __forceinline__ int
code(const CcLaunch &launch, const CcPlaneJob &job, const CcTensorCoreNumbers &n, bool passes,
     const int (&s)[V::MATRICES]) {
  if constexpr (V::VARIANT == CC_REQUANTIZE_conv2d_bytes ||
                V::VARIANT == CC_REQUANTIZE_conv2d_whole)
    return s[0];
  else if constexpr (V::VARIANT == CC_REQUANTIZE_conv2d_absolute)
    return abs(s[0]);
  else if constexpr (V::VARIANT == CC_REQUANTIZE_conv2d_scale && V::MATRICES == 2)
    return scaled(job, n, abs(s[0]) + abs(s[1]));
  else if constexpr (V::VARIANT == CC_REQUANTIZE_conv2d_scale)
    return scaled(job, n, s[0]);
  else if constexpr (V::VARIANT == CC_REQUANTIZE_conv2d_scaleabs)
    return scaled(job, n, abs(s[0]));
  else if constexpr (V::VARIANT == CC_REQUANTIZE_conv2d_root && V::BYTES == 1)
    return __float2int_rn(scaled_root<false>(s[0], s[1], n.factor.f));
  else if constexpr (V::VARIANT == CC_REQUANTIZE_conv2d_lifted)
    return __float2int_rn(scaled_root<false>(s[0], s[1], n.factor.f) + n.addend.f);
  else if constexpr (V::VARIANT == CC_REQUANTIZE_conv2d_far)
    return __float2int_rn(scaled_root<true>(s[0], s[1], n.factor.f) + n.addend.f);
  else {
    int value;
    if constexpr (V::VARIANT == CC_REQUANTIZE_conv2d_root)
      value = min(root_word(s[0], s[1]) + n.addend.i, job.hi);
    else if constexpr (V::VARIANT == CC_REQUANTIZE_conv2d_clamp)
      value = min(max((s[0] + n.addend.i) >> PRIVATE(job).down, job.lo), job.hi);
    else {
      const int t = launch.response == CC_RESPONSE_ABSOLUTE ? abs(s[0]) : s[0];
      const long long product = (long long)t * n.factor.i + PRIVATE(job).low;
      value = min(max((int)(product >> PRIVATE(job).down), job.lo), job.hi);
    }
    return passes ? s[0] : value;
  }
}

/* The byte permutation that selects the code values of samples i and i + 1 from their results of
 * code(): one byte each, or two bytes each for samples of two bytes. */
template <typename V>
static __device__ __forceinline__ unsigned
selector(const Numbers<V> &numbers, int i) {
  constexpr bool whole = V::VARIANT != CC_REQUANTIZE_conv2d_bytes;
  const unsigned first = whole ? 0 : numbers.sample[i].factor.i;
  const unsigned second = whole ? 0 : numbers.sample[min(i + 1, V::SAMPLES - 1)].factor.i;
  return V::BYTES == 1 ? first + 0x40 + 0x10 * second : 0x11 * first + 0x5410 + 0x1100 * second;
}

template <typename V>
static constexpr bool has_excess = V::VARIANT == CC_REQUANTIZE_conv2d_scaleabs ||
                                   V::VARIANT == CC_REQUANTIZE_conv2d_lifted ||
                                   V::VARIANT == CC_REQUANTIZE_conv2d_far ||
                                   (V::VARIANT == CC_REQUANTIZE_conv2d_scale && V::MATRICES == 2);

template <typename V>
static __device__ __forceinline__ void
finish_samples(const CcLaunch &launch, const CcPlaneJob &job, const Numbers<V> &numbers,
               const Sums<V> &sums, int half, bool shifted, int (&value)[V::SAMPLES]) {
#pragma unroll
  for (int i = 0; i < V::SAMPLES; i++) {
    int s[V::MATRICES];
#pragma unroll
    for (int m = 0; m < V::MATRICES; m++)
      s[m] = sums.of_sample(m, half, i) >> (shifted ? job.shift : 0);
    if constexpr (V::VARIANT == CC_REQUANTIZE_conv2d_wide)
      value[i] = numbers.passes[i] ? s[0]
                                   : wide_code(job, numbers.sample[i], sums.of_byte(0, half, 2 * i),
                                               sums.of_byte(0, half, 2 * i + 1));
    else
      value[i] = code<V>(launch, job, numbers.sample[i], numbers.passes[i], s);
  }
}

/* A lane's CENTRE / 4 target bytes of window g, or of window g + 8 if `half` is 1. */
template <typename V>
static __device__ __forceinline__ unsigned
finish(const CcLaunch &launch, const CcPlaneJob &job, const Numbers<V> &numbers,
       const Sums<V> &sums, int half) {
  constexpr bool bytes = V::VARIANT == CC_REQUANTIZE_conv2d_bytes;
  constexpr bool shifted = V::BYTES == 2 && !bytes && V::VARIANT != CC_REQUANTIZE_conv2d_root;
  int value[V::SAMPLES];
  finish_samples(launch, job, numbers, sums, half, shifted, value);
  if constexpr (V::BYTES == 2) {
    const unsigned word = __byte_perm(value[0], value[V::SAMPLES - 1], selector(numbers, 0));
    if (bytes)
      return word & (0xFFFFu << job.shift & 0xFFFFu) * 0x10001u;
    return shifted ? word << job.shift : word;
  } else if constexpr (bytes) {
    const unsigned low = __byte_perm(value[0], value[1], selector(numbers, 0));
    if (V::SAMPLES == 2)
      return low;
    const unsigned high = __byte_perm(value[V::SAMPLES - 2], value[V::SAMPLES - 1],
                                      selector(numbers, V::SAMPLES - 2));
    return __byte_perm(low, high, 0x5410);
  } else {
    const unsigned high = saturate_bytes(value[V::SAMPLES - 2], value[V::SAMPLES - 1], 0);
    const unsigned word = V::SAMPLES == 2 ? high : saturate_bytes(value[0], value[1], high);
    return has_excess<V> ? word - numbers.excess : word;
  }
}

/* --- tiles --- */

/* The staged rows that a warp currently uses, in registers. */
template <typename V, bool GRADIENT = V::GRADIENT> struct Rows {
  static constexpr int KNOWN = V::RING - 1; /* Windows that stay loaded for the next target rows */

  const unsigned char *from; /* the row to be read next */
  Windows ring[V::SETS][V::RING];

  __device__ __forceinline__ explicit Rows(const unsigned char *first) : from(first) {
#pragma unroll
    for (int r = 0; r < KNOWN; r++)
      load(r + 1);
  }

  __device__ __forceinline__ void load(int at) {
#pragma unroll
    for (int set = 0; set < V::SETS; set++)
      ring[set][at] = load_windows<V::WINDOW>(from + 16 * CC_TENSOR_CORE_CENTRE(V::WINDOW) * set);
    from += V::DEPTH * STAGED_BYTES;
  }

  /* Moves to target row i of a span. */
  __device__ __forceinline__ void slide_to(int i) {
    if (i % V::DEPTH != 0)
      return;
#pragma unroll
    for (int set = 0; set < V::SETS; set++)
#pragma unroll
      for (int r = 0; r < KNOWN; r++)
        ring[set][r] = ring[set][r + 1];
#pragma unroll
    for (int r = KNOWN; r < V::RING; r++)
      load(r);
  }

  __device__ __forceinline__ Sums<V> sums(const Table<V> &table, int set, int i) const {
    return Sums<V>(table, ring[set], i % V::DEPTH);
  }
};

/* For a gradient, a Windows holds source rows r and r + 2. One product then applies the first and
 * the last row of taps. Source row r is in half r / 2 % 2 of of_parity[r % 2]. */
template <typename V> struct Rows<V, true> {
  const unsigned char *from; /* the lane's byte of the row to be read next */
  Windows of_parity[V::SETS][2];

  __device__ __forceinline__ explicit Rows(const unsigned char *first)
      : from(first + V::CENTRE * (threadIdx.x >> 2) + 4 * (threadIdx.x & 3)) {
    load(0);
    load(1);
  }

  __device__ __forceinline__ void load(int r) {
#pragma unroll
    for (int set = 0; set < V::SETS; set++)
      load_row_of_windows(of_parity[set][r % 2], r / 2 % 2, from + 16 * V::CENTRE * set);
    from += STAGED_BYTES;
  }

  __device__ __forceinline__ void slide_to(int i) {
    static_assert(CC_TENSOR_CORE_SPAN_ROWS % 4 == 0,
                  "a span begins with the first half of the first");
    load(i + 2);
  }

  __device__ __forceinline__ Sums<V> sums(const Table<V> &table, int set, int i) const {
    return Sums<V>(table, of_parity[set][i % 2], of_parity[set][(i + 1) % 2], (i + 1) / 2 % 2);
  }
};

/* FREE: all bytes that the tile writes lie inside the target. */
template <typename V, bool FREE>
static __device__ __forceinline__ void
filter_rows(const CcLaunch &launch, const typename V::Tile &tile, const Table<V> &table,
            const Numbers<V> &numbers, const typename V::StagedRows &staged) {
  typedef typename V::Tile Tile;
  const CcPlaneJob &job = tile.job;
  const int g = threadIdx.x >> 2, t = threadIdx.x & 3;
  const int x = tile.x + tile.warp_x() + V::CENTRE * g + V::CENTRE / 4 * t;
  const int y = tile.y + tile.warp_y();
  char *to = target_row<char>(job, y) + x;
  const long long pitch = job.dst_pitch;
  const int below = job.height - y, left = target_bytes<V::BYTES>(job) - x;
  Rows<V> rows(
      &staged.row[tile.warp_y()][tile.warp_x() + VECTOR - CC_TENSOR_CORE_RADIUS(V::WINDOW)]);
#pragma unroll 1
  for (int first = 0; first < tile.warp_rows(); first += CC_TENSOR_CORE_SPAN_ROWS)
#pragma unroll
    for (int i = first; i < first + CC_TENSOR_CORE_SPAN_ROWS; i++, to += pitch) {
      rows.slide_to(i - first);
#pragma unroll
      for (int set = 0; set < V::SETS; set++) {
        const Sums<V> sums = rows.sums(table, set, i - first);
#pragma unroll
        for (int half = 0; half < 2; half++) {
          const unsigned word = finish<V>(launch, job, numbers, sums, half);
          const int at = V::CENTRE * (16 * set + 8 * half);
          if (FREE || i < below)
            store_bytes<V::CENTRE / 4>(to + at, FREE ? 4 : left - at, word);
        }
      }
    }
}

template <typename V>
static __device__ __forceinline__ void
filter_conv2d(const CcLaunch &launch) {
  __shared__ typename V::StagedRows staged;
  const typename V::Tile tile = find_byte_tile<V::BYTES>(launch);
  allow_next_launch();
  if (!tile.job.filter_mask) {
    wait_for_last_launch();
    copy_or_fill_tile<V::BYTES>(launch, tile);
    return;
  }
  /* may be read before the wait, because no launch writes the table */
  const Table<V> table(launch, tile.job);
  const Numbers<V> numbers(tile.job);
  /* read before the wait, so that constant memory is read while the launch waits */
  const int grey_step = V::BYTES == 1 && PRIVATE(tile.job).colors ? tile.job.step : 0;
  wait_for_last_launch();
  stage_rows<V::BYTES>(launch, tile, staged);
  if (V::BYTES == 1 && grey_step == 4)
    make_own_grey(tile, staged);
  finish_copies();
  if (V::BYTES == 1 && grey_step == 3)
    make_luma(tile, staged);
  stage_sides<V::BYTES, false>(launch, tile, staged);
  if (V::BYTES == 2 && tile.job.shift)
    keep_code_bits(tile, staged);
  if (is_write_free<V::BYTES>(tile))
    filter_rows<V, true>(launch, tile, table, numbers, staged);
  else
    filter_rows<V, false>(launch, tile, table, numbers, staged);
}

/* The number of blocks that a multiprocessor should hold at once. The fewer blocks, the more
 * registers the compiler may use for each thread. Gradients get one block less than other kernels
 * with as many products, because they need fewer moves with more registers. */
static constexpr int
blocks_resident(int window, int digits, int matrices, int height, CcRequantizationVariant finish) {
  const int products = window / 16 * digits * matrices * height;
  if (CC_TENSOR_CORE_IS_GRADIENT(window, matrices, height, finish))
    return 6;
  return products <= 5 || (window == 32 && products <= 10) ? CC_TENSOR_CORE_MAX_BLOCKS
         : products <= 10                                  ? 7
         : products <= 20                                  ? 4
                                                           : 3;
}

#define ENTRY(bytes, window, digits, matrices, height, finish)                                     \
  extern "C" __global__ void __launch_bounds__(                                                    \
      32 * CC_TENSOR_CORE_WARPS,                                                                   \
      blocks_resident(window, digits, matrices, height, CC_REQUANTIZE_conv2d_##finish))            \
      cc_tensor_core_u##bytes##_w##window##_d##digits##_m##matrices##_h##height##_##finish(        \
          const __grid_constant__ CcLaunch launch) {                                               \
    filter_conv2d<                                                                                 \
        Variant<bytes, window, digits, matrices, height, CC_REQUANTIZE_conv2d_##finish>>(launch);  \
  }

CC_TENSOR_CORE_KERNELS(ENTRY)
