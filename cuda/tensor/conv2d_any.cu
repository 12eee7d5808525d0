/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tensor-core in one stage, for passes for which conv2d.cu has no kernel. The kernels here loop
 * over matrices, digits and rows. The kernels of conv2d.cu have separate code for each combination.
 * A warp computes some rows of 16 neighbouring windows at a time. A row of taps is loaded once for
 * all of these rows. Source rows move through registers. */

#include "cuda/output_stage.cuh"
#include "conv2d_any_kernels.h"
#include "output_stage.cuh"
#include "pixels.cuh"
#include "products.cuh"

/* The template parameters of a kernel: see CC_TENSOR_CORE_ANY_KERNELS. */
template <int BYTES_, int HEIGHT_, CcRequantizationVariant VARIANT_> struct Variant {
  static constexpr int BYTES = BYTES_, HEIGHT = HEIGHT_;
  static constexpr CcRequantizationVariant VARIANT = VARIANT_;
  static constexpr bool PAIRED = HEIGHT < CC_TENSOR_CORE_ANY_MAX_HEIGHT;
  static constexpr bool WIDE =
      VARIANT == CC_REQUANTIZE_any_wide || VARIANT == CC_REQUANTIZE_any_double;
  /* whether sums are kept as the bits of floats */
  static constexpr bool FLOATS =
      BYTES == 1 && (VARIANT == CC_REQUANTIZE_any_root || VARIANT == CC_REQUANTIZE_any_float);
  static constexpr int ROWS = VARIANT == CC_REQUANTIZE_any_double          ? 2
                              : WIDE || VARIANT == CC_REQUANTIZE_any_float ? 4
                                                                           : 8;
  /* whether the numbers of the requantization also give the code values of samples that are not
   * filtered */
  static constexpr bool PASSES =
      BYTES == 1 && (VARIANT == CC_REQUANTIZE_any_scale || VARIANT == CC_REQUANTIZE_any_root);
  static constexpr int SAMPLES = 2 / BYTES; /* samples of a lane, per window */
  static constexpr int MARGIN = PAIRED ? 16 : CC_TENSOR_CORE_ANY_MAX_MARGIN;
  static constexpr int PITCH = CC_TENSOR_CORE_TILE_BYTES + 2 * MARGIN;
  /* source rows of a tile with 2 spans; some windows are computed but not written, and their source
   * rows are included */
  static constexpr int STAGED = 2 * CC_TENSOR_CORE_TILE_ROWS + (PAIRED ? HEIGHT - 1 : HEIGHT + 2);
};

/* --- tiles --- */

typedef ByteTile<0> AnyTile;

/* A tile's source rows, PITCH bytes apart; see Staged. */
template <int PITCH> struct AnyStaged {
  unsigned char (*row)[PITCH];
  const CcTensorCoreJob &priv;
  int height;

  __device__ __forceinline__ int width() const {
    return CC_TENSOR_CORE_TILE_BYTES + 2 * priv.margin;
  }
  __device__ __forceinline__ int margin() const {
    return priv.margin;
  }
  __device__ __forceinline__ int radius() const {
    return priv.radius;
  }
  __device__ __forceinline__ int above() const {
    return height / 2;
  }
  __device__ __forceinline__ int rows(const AnyTile &tile) const {
    return tile.spans * CC_TENSOR_CORE_TILE_ROWS - tile.stride() + height;
  }
};

template <int PITCH, typename Copy>
static __device__ __forceinline__ void
for_vectors_left(const AnyStaged<PITCH> &staged, int rows, Copy copy) {
  const int left = 2 * staged.margin() / VECTOR, vector = threadIdx.x & 7;
  static_assert(2 * CC_TENSOR_CORE_ANY_MAX_MARGIN <= 8 * VECTOR, "a quarter of a warp for a row");
  for (int row = 4 * threadIdx.y + (threadIdx.x >> 3); row < rows; row += 4 * CC_TENSOR_CORE_WARPS)
    if (vector < left)
      copy(row, VECTOR * (VECTORS + vector));
}

template <int PITCH>
static __device__ __forceinline__ void
stage_inside(const AnyTile &tile, const char *from, AnyStaged<PITCH> &staged) {
  const int pitch = tile.job.src_pitch;
  for_vectors(staged, staged.rows(tile), [&](int row, int byte) {
    start_copy(&staged.row[row][byte], from + (long long)row * pitch + byte);
  });
}

/* --- sums --- */

/* A lane's source bytes: the lane's first byte of window g, and the distance in bytes to window g +
 * 8. */
struct Source {
  const unsigned char *first;
  int far;

  __device__ __forceinline__ unsigned word(int at) const {
    return *(const unsigned *)(first + at);
  }
};

/* Adds the products of one chunk, matrix and digit to the sums of ROWS rows. Uses every STRIDE-th
 * row of `height` rows of taps. The source rows of these rows of taps are `down` bytes apart.
 * Window g + 8 is `far` bytes away. */
template <int ROWS, int STRIDE>
static __device__ __forceinline__ void
add_rows(Products (&sums)[ROWS], const unsigned char *first, int far, int down, const uint2 *tap,
         int height) {
  const unsigned char *second = first + far;
  uint2 now = __ldg(tap);
  Windows ring[ROWS];
  const auto load = [&](Windows &to, int row) {
    to = {*(const unsigned *)(first + row * down), *(const unsigned *)(second + row * down),
          *(const unsigned *)(first + row * down + 16),
          *(const unsigned *)(second + row * down + 16)};
  };
#pragma unroll
  for (int r = 0; r < ROWS - 1; r++)
    load(ring[r], r);
#pragma unroll 1
  for (int left = height; left > 0;) {
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      load(ring[(i + ROWS - 1) % ROWS], i + ROWS - 1);
      uint2 next = now;
      left -= STRIDE;
      if (left > 0)
        next = __ldg(tap + 32 * STRIDE * (i + 1));
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        sums[r] = multiply_add(ring[(i + r) % ROWS], now, sums[r]);
      if (left <= 0)
        break;
      now = next;
    }
    first += ROWS * down;
    second += ROWS * down;
    tap += 32 * STRIDE * ROWS;
  }
}

template <int PITCH, int ROWS>
static __device__ __forceinline__ void
add_chunks(Products (&sums)[ROWS], const Source &source, const uint2 *taps, int chunks, int height,
           int stride) {
#pragma unroll 1
  for (int chunk = 0; chunk < chunks; chunk++) {
    const unsigned char *first = source.first + CC_TENSOR_CORE_ANY_CHUNK * chunk;
    const uint2 *tap = taps + 32 * chunk * height;
    if (stride == 1)
      add_rows<ROWS, 1>(sums, first, 8 * CC_TENSOR_CORE_ANY_BYTES, PITCH, tap, height);
    else
#pragma unroll 1
      for (int phase = 0; phase < min(stride, height); phase++)
        if (stride == 2)
          add_rows<ROWS, 2>(sums, first + phase * PITCH, source.far, 2 * PITCH, tap + 32 * phase,
                            height - phase);
        else
          add_rows<ROWS, 4>(sums, first + phase * PITCH, source.far, 4 * PITCH, tap + 32 * phase,
                            height - phase);
  }
}

/* A lane's taps for pairs of source rows. They are loaded digit by digit, matrix after matrix.
 * While the taps of one digit are used, the taps of the next digit are loaded. */
template <int HEIGHT> struct PairTaps {
  const unsigned *next, *last;
  unsigned ahead[HEIGHT];

  __device__ __forceinline__ PairTaps(const char *table, int digits)
      : next((const unsigned *)table + threadIdx.x), last(next + 32 * HEIGHT * (digits - 1)) {
    load();
  }
  __device__ __forceinline__ void load() {
#pragma unroll
    for (int r = 0; r < HEIGHT; r++)
      ahead[r] = __ldg(next + 32 * r);
  }
  __device__ __forceinline__ void take(unsigned (&tap)[HEIGHT]) {
#pragma unroll
    for (int r = 0; r < HEIGHT; r++)
      tap[r] = ahead[r];
    if (next < last) {
      next += 32 * HEIGHT;
      load();
    }
  }
};

/* Pairs of source rows for windows of 16 bytes. */
template <typename V> struct Pairs {
  static constexpr int COUNT = (V::ROWS + V::HEIGHT - 1) / 2;
  Windows pair[COUNT];

  __device__ __forceinline__ explicit Pairs(const Source &source) {
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
      const int row = 2 * i * V::PITCH;
      pair[i] = {source.word(row), source.word(row + source.far), source.word(row + V::PITCH),
                 source.word(row + V::PITCH + source.far)};
    }
  }

  /* Adds products to the sums, like add_chunks. If IsNew is true, the sums start from `begin`. If
   * the first row of taps is applied to the second row of a pair, the first row of taps is
   * multiplied separately. Otherwise the last row of taps is multiplied separately. */
  template <typename IsNew>
  __device__ __forceinline__ void add_to(Products (&sums)[V::ROWS], const Products &begin, IsNew,
                                         const unsigned (&tap)[V::HEIGHT]) const {
#pragma unroll
    for (int i = 0; i < V::HEIGHT / 2; i++)
#pragma unroll
      for (int r = 0; r < V::ROWS; r++)
        sums[r] = multiply_add(pair[r / 2 + i + r % 2],
                               make_uint2(tap[2 * i + r % 2], tap[2 * i + 1 + r % 2]),
                               IsNew::value && i == 0 ? begin : sums[r]);
#pragma unroll
    for (int r = 0; r < V::ROWS; r++)
      sums[r] = multiply_add_row(pair[r % 2 ? r / 2 : (r + V::HEIGHT - 1) / 2], r % 2,
                                 tap[r % 2 ? 0 : V::HEIGHT - 1], sums[r]);
  }
};

/* --- output stages --- */

template <typename V> struct Numbers {
  typedef std::conditional_t<V::BYTES == 1 && V::VARIANT != CC_REQUANTIZE_any_high, int, long long>
      Low;
  int lo, hi, down, shift;
  CcTap factor[V::SAMPLES], addend[V::SAMPLES];
  Low low[V::SAMPLES];
  float mul, add;
  unsigned passes; /* bit i is set if sample i of the lane is not filtered */
  unsigned writes; /* bit i is set if sample i of the lane is written */

  __device__ __forceinline__ explicit Numbers(const CcPlaneJob &job)
      : lo(keep(job.lo)), hi(keep(job.hi)), down(keep(PRIVATE(job).down)), shift(keep(job.shift)),
        mul(keep(job.mul_f)), add(keep(job.add_f)) {
    const int first = V::SAMPLES * threadIdx.x & 3;
    const unsigned all = job.filter_mask | job.copy_mask | job.fill_mask;
    passes = PRIVATE(job).passes >> first & ((1u << V::SAMPLES) - 1);
    writes = job.step == 3 && all ? 3 : 0;
#pragma unroll
    for (int i = 0; i < V::SAMPLES; i++) {
      if (job.step != 3)
        writes |= (all >> (first + i) % job.step & 1) << i;
      const CcTensorCoreNumbers &numbers = PRIVATE(job).numbers[first + i];
      factor[i].i = keep(numbers.factor.i);
      addend[i].i = keep(numbers.addend.i);
      low[i] = keep(passes >> i & 1 ? (Low)0 : (Low)PRIVATE(job).low);
    }
    passes = keep(passes);
    writes = keep(writes & ((1u << V::SAMPLES) - 1));
  }
};

/* The state that an output stage keeps of the sums of a sample. */
template <typename V, CcRequantizationVariant VARIANT = V::VARIANT> struct Kept;

/* for the variants scale, high and wide */
template <typename V, CcRequantizationVariant VARIANT> struct Kept {
  typedef std::conditional_t<V::WIDE, long long, int> Sum;
  Sum t;

  __device__ __forceinline__ void add(CcResponse response, bool is_first, Sum sum) {
    const Sum absolute = sum < 0 ? -sum : sum;
    if (response == CC_RESPONSE_MAGNITUDE_L1)
      t = is_first ? absolute : t + absolute;
    else if (response == CC_RESPONSE_ABSOLUTE)
      t = is_first ? absolute : max(t, absolute);
    else
      t = is_first ? sum : max(t, sum);
  }
  __device__ __forceinline__ int passed() const {
    return (int)t;
  }
  __device__ __forceinline__ int code(CcResponse, const CcPlaneJob &, const Numbers<V> &n,
                                      int i) const {
    return (int)(((typename Numbers<V>::Low)t * n.factor[i].i + n.low[i]) >> n.down);
  }
};

template <typename V> struct Kept<V, CC_REQUANTIZE_any_root> {
  typedef std::conditional_t<V::BYTES == 1, float, int> Sum;
  Sum t; /* one byte: the sum of squares; two bytes: the first sum, then the root */

  __device__ __forceinline__ void add(CcResponse, bool is_first, Sum sum) {
    if constexpr (V::BYTES == 1)
      t = is_first ? sum * sum : __fmaf_rn(sum, sum, t);
    else
      t = is_first ? sum : root_word(t, sum);
  }
  __device__ __forceinline__ int passed() const {
    return (int)t;
  }
  __device__ __forceinline__ int code(CcResponse, const CcPlaneJob &, const Numbers<V> &n,
                                      int i) const {
    if constexpr (V::BYTES == 2)
      return t + n.addend[i].i;
    /* the bits of the float code + none are the integer FLOAT_BITS + rounded code */
    const float none = __int_as_float(CC_TENSOR_CORE_FLOAT_BITS);
    const float code = __fmaf_rn(approximate_root((float)t), n.factor[i].f, n.addend[i].f);
    return __float_as_int(__fadd_rn(code, none)) - CC_TENSOR_CORE_FLOAT_BITS;
  }
};

/* For the variants float and double: the response as output_stage_shared.h defines it. */
template <typename V, typename Sum_> struct KeptResponse {
  typedef Sum_ Sum;
  Response<Sum> response;
  Sum first;

  __device__ __forceinline__ void add(CcResponse name, bool is_first, Sum sum) {
    if (is_first) {
      response = {};
      first = sum;
    }
    response.add(name, !is_first, sum);
  }
  __device__ __forceinline__ int passed() const {
    return (int)first;
  }
  __device__ __forceinline__ int code(CcResponse name, const CcPlaneJob &job, const Numbers<V> &n,
                                      int) const {
    if constexpr (std::is_same_v<Sum, float>) {
      const float t = cc_sums_t_f32(&response.sums, name);
      return name == CC_RESPONSE_DIRECTION ? cc_code_of_turns(t, n.mul, n.add, n.hi)
                                           : cc_code_f32(t, n.mul, n.add, n.lo, n.hi);
    } else {
      return response.code(name, job);
    }
  }
};

template <typename V> struct Kept<V, CC_REQUANTIZE_any_float> : KeptResponse<V, float> {};
template <typename V> struct Kept<V, CC_REQUANTIZE_any_double> : KeptResponse<V, long long> {};

/* Calls run() with the response as a compile-time constant. The variants scale, high and wide
 * compute the response offset like clamp, so run() gets clamp. Only responses that the variant
 * supports are compiled. */
template <CcRequantizationVariant VARIANT, typename Run>
static __device__ __forceinline__ void
run_variant_response(CcResponse response, Run run) {
  if constexpr (VARIANT == CC_REQUANTIZE_any_root)
    run(CC_RESPONSE_MAGNITUDE);
  else if constexpr (VARIANT == CC_REQUANTIZE_any_float || VARIANT == CC_REQUANTIZE_any_double)
    run_response(response, run);
  else if (response == CC_RESPONSE_MAGNITUDE_L1)
    run(CC_RESPONSE_MAGNITUDE_L1);
  else if (response == CC_RESPONSE_ABSOLUTE)
    run(CC_RESPONSE_ABSOLUTE);
  else
    run(CC_RESPONSE_CLAMP);
}

/* --- units --- */

/* A unit is ROWS rows of 16 windows. A warp computes one unit at a time. */
template <typename V> struct Unit {
  /* number of samples of a lane in a row: first those of window g, then those of window g + 8 */
  static constexpr int COUNT = 2 * V::SAMPLES;
  typedef typename Kept<V>::Sum Sum;

  const CcLaunch &launch;
  const CcPlaneJob &job;
  const Numbers<V> &numbers;
  Kept<V> kept[V::ROWS][COUNT];

  __device__ __forceinline__ Unit(const CcLaunch &launch_, const CcPlaneJob &job_,
                                  const Numbers<V> &numbers_)
      : launch(launch_), job(job_), numbers(numbers_) {
  }

  /* The sum of sample i of a row, combined from the sums of its bytes. */
  static __device__ __forceinline__ auto byte_sums(const Products &sums, int i) {
    typedef std::conditional_t<V::WIDE, long long, int> Whole;
    return V::BYTES == 1 ? (Whole)sums.sum[i]
                         : (Whole)sums.sum[2 * i % 4] + (Whole)256 * sums.sum[(2 * i + 1) % 4];
  }

  __device__ __forceinline__ Sum sum_of(int sum) const {
    if constexpr (V::FLOATS)
      return __fadd_rn(__int_as_float(sum), -__int_as_float(CC_TENSOR_CORE_FLOAT_BITS));
    else
      return (Sum)(V::BYTES == 1 ? sum : sum >> numbers.shift);
  }

  __device__ __forceinline__ Sum sum_of(long long sum) const {
    return V::BYTES == 1 ? sum : sum >> numbers.shift;
  }

  /* Computes the sums of a matrix. add(sums, d, begin, is_new) adds the products of digit d to the
   * sums, or to `begin` if the sums are new. */
  template <typename Add>
  __device__ __forceinline__ void sum_up(bool is_first, int2 start, Add add) {
    const int digits = PRIVATE(job).digits, bits = V::FLOATS ? CC_TENSOR_CORE_FLOAT_BITS : 0;
    const int x = (is_first ? start.x : 0) + bits, y = (is_first ? start.y : 0) + bits;
    Products sums[V::ROWS] = {};
    long long whole[V::WIDE ? V::ROWS : 1][COUNT] = {};
    const auto begin = [&](int d) {
      const int even = d == digits - 1 ? x : 0, odd = d == digits - 1 ? y : 0;
      return Products{{even, odd, even, odd}};
    };
    if constexpr (V::PAIRED)
      add(sums, 0, begin(0), std::true_type());
#pragma unroll 1
    for (int d = V::PAIRED; d < digits; d++) {
      const Products from = begin(d);
#pragma unroll
      for (int r = 0; r < V::ROWS; r++)
#pragma unroll
        for (int i = 0; i < 4; i++)
          sums[r].sum[i] = (V::WIDE ? 0 : 256 * sums[r].sum[i]) + from.sum[i];
      add(sums, d, from, std::false_type());
      if constexpr (V::WIDE)
        for_all([&](int r, int i) { whole[r][i] = 256 * whole[r][i] + byte_sums(sums[r], i); });
    }
    run_variant_response<V::VARIANT>(launch.response, [&](CcResponse response) {
      for_all([&](int r, int i) {
        if constexpr (V::WIDE)
          kept[r][i].add(response, is_first, sum_of(whole[r][i]));
        else
          kept[r][i].add(response, is_first, sum_of(byte_sums(sums[r], i)));
      });
    });
  }

  /* Writes the unit's rows. The first is row `from_top` of the tile. Window g begins at byte
   * `from_left` of the tile, and window g + 8 is `far` bytes away. */
  __device__ __forceinline__ void write(const AnyTile &tile, int from_left, int from_top,
                                        int far) const {
    const int rows = min(tile.rows(), job.height - tile.y) - from_top;
    const int left = min(tile.bytes(), target_bytes<V::BYTES>(job) - tile.x) - from_left;
    char *to = target_row<char>(job, tile.y + from_top) + tile.x + from_left;
    constexpr int all = (1 << V::SAMPLES) - 1;
    int value[V::ROWS][COUNT];
    const auto get_codes = [&](CcResponse response) {
      for_all([&](int r, int i) {
        value[r][i] = kept[r][i].code(response, job, numbers, i % V::SAMPLES);
      });
    };
    if constexpr (V::VARIANT == CC_REQUANTIZE_any_float || V::VARIANT == CC_REQUANTIZE_any_double)
      run_response(launch.response, get_codes);
    else
      get_codes(launch.response); /* the same code for all responses */
    if (V::BYTES == 2 || numbers.lo != 0 || numbers.hi != 255)
      for_all([&](int r, int i) {
        const bool passes = V::PASSES && numbers.passes >> i % V::SAMPLES & 1;
        value[r][i] =
            cc_clamp_code(value[r][i], passes ? 0 : numbers.lo, passes ? 255 : numbers.hi);
      });
    if (!V::PASSES && PRIVATE(job).passes)
      for_all([&](int r, int i) {
        if (numbers.passes >> i % V::SAMPLES & 1)
          value[r][i] = kept[r][i].passed();
      });
    if (PRIVATE(job).pixel) {
      write_pixels(tile, from_left, from_top, value);
      return;
    }
    if (numbers.writes != all) {
      if (numbers.writes)
        write_some(to, value, rows, left, far);
      return;
    }
    constexpr int next = 8 * CC_TENSOR_CORE_ANY_BYTES;
    const long long pitch = job.dst_pitch;
    if (rows >= V::ROWS && left >= next + 2 && (V::PAIRED || far == next)) {
#pragma unroll
      for (int r = 0; r < V::ROWS; r++, to += pitch) {
        store_bytes<2>(to, 2, word_of(value[r], 0));
        store_bytes<2>(to + next, 2, word_of(value[r], 1));
      }
      return;
    }
#pragma unroll
    for (int r = 0; r < V::ROWS; r++, to += pitch)
      if (r < rows) {
        store_bytes<2>(to, left, word_of(value[r], 0));
        store_bytes<2>(to + far, left - far, word_of(value[r], 1));
      }
  }

  __device__ __forceinline__ void write_pixels(const AnyTile &tile, int from_left, int from_top,
                                               const int (&value)[V::ROWS][COUNT]) const {
    PixelWriter<V::BYTES> pixels(job, shared_of_launch(), tile.x + from_left, tile.y + from_top,
                                 from_left, from_top);
    const int below = min(tile.rows(), job.height - tile.y) - from_top;
#pragma unroll
    for (int r = 0; r < V::ROWS; r++, pixels.end_row())
      if (r < below)
#pragma unroll
        for (int half = 0; half < 2; half++)
          pixels.store(8 * CC_TENSOR_CORE_ANY_BYTES * half, word_of(value[r], half));
  }

  /* Like write, but writes only one of each two neighbouring 8-bit samples. Another pass writes the
   * other. */
  __device__ __forceinline__ void write_some(char *to, const int (&value)[V::ROWS][COUNT], int rows,
                                             int left, int far) const {
    const int at = numbers.writes >> 1; /* index of the sample that this pass writes, 0 or 1 */
#pragma unroll
    for (int r = 0; r < V::ROWS; r++, to += job.dst_pitch)
#pragma unroll
      for (int half = 0; half < 2; half++)
        if (r < rows && left - half * far > at)
          to[half * far + at] = (char)(word_of(value[r], half) >> 8 * at);
  }

  template <typename Run> static __device__ __forceinline__ void for_all(Run run) {
#pragma unroll
    for (int r = 0; r < V::ROWS; r++)
#pragma unroll
      for (int i = 0; i < COUNT; i++)
        run(r, i);
  }

  __device__ __forceinline__ unsigned word_of(const int (&value)[COUNT], int half) const {
    if constexpr (V::BYTES == 2)
      return (unsigned)value[half] << numbers.shift;
    else
      return saturate_bytes(value[2 * half], value[2 * half + COUNT - 3], 0);
  }
};

template <typename V>
static __device__ __forceinline__ void
filter_tile(const CcLaunch &launch, const AnyTile &tile, const AnyStaged<V::PITCH> &staged) {
  const CcPlaneJob &job = tile.job;
  const CcTensorCoreJob &priv = PRIVATE(job);
  const int g = threadIdx.x >> 2, t = threadIdx.x & 3, stride = V::PAIRED ? 1 : tile.stride();
  const int height = V::PAIRED ? V::HEIGHT : launch.window_height;
  const int window = V::PAIRED ? 16 : CC_TENSOR_CORE_ANY_CHUNK * priv.chunks;
  const int lead = CC_TENSOR_CORE_ANY_LEAD(window, stride);
  const int phases = V::PAIRED ? 1 : CC_TENSOR_CORE_ANY_PHASES(job.step, stride);
  /* `apart` is the number of target bytes from one window to the next. `across` is the number of
   * units side by side. */
  const int apart = phases * CC_TENSOR_CORE_ANY_BYTES;
  const int across = phases == 3 ? 3 : tile.bytes() / (16 * CC_TENSOR_CORE_ANY_BYTES);
  const int units = across * ((tile.rows() + V::ROWS - 1) / V::ROWS);
  const int digit_bytes = height * 32 * (V::PAIRED ? 4 : 8 * priv.chunks);
  const int taps_bytes = launch.n_matrices * priv.digits * digit_bytes;
  const char *tables = (const char *)launch.memory_taps + priv.table;
  const Numbers<V> numbers(job);
#pragma unroll 1
  for (int u = (threadIdx.y + blockIdx.x) % CC_TENSOR_CORE_WARPS; u < units;
       u += CC_TENSOR_CORE_WARPS) {
    const int row = phases == 3 ? u / 3 : u >> (across >> 1), column = u - row * across;
    const int x = column * (phases == 3 ? CC_TENSOR_CORE_ANY_BYTES : 16 * CC_TENSOR_CORE_ANY_BYTES);
    const int phase = phases == 3 ? (tile.x + x) / V::BYTES % 3 : 0;
    const char *table = tables + phase * (taps_bytes + CC_TENSOR_CORE_ANY_START_BYTES);
    const int y = row * V::ROWS, at = staged.margin() - lead + stride * (x + apart * g) + 4 * t;
    const Source source = {&staged.row[stride * y][at], 8 * stride * apart};
    const int2 start = __ldg((const int2 *)(table + taps_bytes) + 2 * t);
    const std::conditional_t<V::PAIRED, Pairs<V>, Source> pairs(source);
    PairTaps<V::PAIRED ? V::HEIGHT : 1> pair_taps(table, launch.n_matrices * priv.digits);
    Unit<V> unit(launch, job, numbers);
    const auto sum_up = [&](int m, bool is_first) {
      const char *taps = table + m * priv.digits * digit_bytes;
      unit.sum_up(is_first, start,
                  [&](Products(&sums)[V::ROWS], int d, const Products &begin, auto is_new) {
                    if constexpr (V::PAIRED) {
                      unsigned tap[V::HEIGHT];
                      pair_taps.take(tap);
                      pairs.add_to(sums, begin, is_new, tap);
                    } else
                      add_chunks<V::PITCH>(sums, source,
                                           (const uint2 *)(taps + d * digit_bytes) + threadIdx.x,
                                           priv.chunks, height, stride);
                  });
    };
    sum_up(0, true);
#pragma unroll 1
    for (int m = 1; m < launch.n_matrices; m++)
      sum_up(m, false);
    unit.write(tile, x + apart * g + 2 * t, y, 8 * apart);
  }
}

template <typename V>
static __device__ __forceinline__ void
filter_any(const CcLaunch &launch) {
  alignas(VECTOR) __shared__ unsigned char row[V::STAGED][V::PITCH];
  AnyTile tile = {find_job(launch, blockIdx.x), V::PAIRED ? 1 : launch.stride, 0, 0, 0};
  const CcPlaneJob &job = tile.job;
  place_tile<V::BYTES>(tile);
  allow_next_launch();
  wait_for_last_launch();
  if (!job.filter_mask) {
    copy_or_fill_tile<V::BYTES>(launch, tile);
    return;
  }
  AnyStaged<V::PITCH> staged = {row, PRIVATE(job), V::PAIRED ? V::HEIGHT : launch.window_height};
  if (PRIVATE(job).pixel)
    stage_pixels<V::BYTES>(launch, tile, staged, shared_of_launch());
  else
    stage_rows<V::BYTES>(launch, tile, staged);
  finish_copies();
  stage_sides<V::BYTES, true>(launch, tile, staged);
  if (V::BYTES == 2 && job.shift)
    keep_code_bits(tile, staged);
  filter_tile<V>(launch, tile, staged);
}

#define ENTRY(bytes, height, finish)                                                               \
  extern "C" __global__ void __launch_bounds__(32 * CC_TENSOR_CORE_WARPS,                          \
                                               CC_TENSOR_CORE_ANY_MAX_BLOCKS)                      \
      cc_tensor_core_any_u##bytes##_h##height##_##finish(                                          \
          const __grid_constant__ CcLaunch launch) {                                               \
    filter_any<Variant<bytes, height, CC_REQUANTIZE_any_##finish>>(launch);                        \
  }

CC_TENSOR_CORE_ANY_KERNELS(ENTRY)
