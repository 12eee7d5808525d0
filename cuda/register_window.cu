/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* sliding in registers, for what the tensor cores cannot do: separable windows up to 15x15 and
 * others up to 5x5, one or two matrices, samples of 8 and 16 bits, sums in float or int, strides.
 *
 * A warp slides down a strip of 128 samples. Of every source row it converts each sample once, puts
 * the row into its own shared memory, and makes from there the horizontal sums of four samples a
 * lane. Those are added at once to all the output rows that they belong to, of which 2R are under
 * way in registers: so a source row is read, converted and filtered horizontally once, and nothing
 * is kept of it. The next rows are on their way from memory meanwhile, and warps never wait for one
 * another.
 *
 * A strip that lies inside the picture with its halo moves four samples at a time and tests no
 * column (slide_inside). The others, three samples a pixel, and strides go sample by sample
 * (slide_any). Rows outside are the border rule's in both. */

#include "register_window.cuh"

/* --- strips inside the picture: four samples at a time --- */

/* Four neighbouring samples as they are summed. */
template <typename Sum> struct alignas(16) Quad { Sum at[PER_LANE]; };

/* Four neighbouring samples as they are stored: two words of two, or one word of four in x. */
typedef uint2 Words;

static __device__ __forceinline__ Words
load_words(bool wide, const char *address) {
  return wide ? __ldg((const uint2 *)address) : make_uint2(__ldg((const unsigned *)address), 0);
}

static __device__ __forceinline__ void
store_words(bool wide, char *address, Words words) {
  if (wide)
    *(uint2 *)address = words;
  else
    *(unsigned *)address = words.x;
}

/* Packs the low bits of four samples. */
static __device__ __forceinline__ Words
pack_words(bool wide, const unsigned (&low)[PER_LANE]) {
  const unsigned x = __byte_perm(low[0], low[1], 0x5410), y = __byte_perm(low[2], low[3], 0x5410);
  return wide ? make_uint2(x, y) : make_uint2(__byte_perm(x, y, 0x6420), 0);
}

/* Four samples of which each has what value(component) gives. */
template <int STEP, typename GetValue>
static __device__ __forceinline__ Words
spread_words(bool wide, GetValue value) {
  unsigned low[PER_LANE];
#pragma unroll
  for (int i = 0; i < PER_LANE; i++)
    low[i] = value(i % STEP);
  return pack_words(wide, low);
}

/* `bits` are those of the code values in a shifted word of two. */
template <typename Sum, bool WIDE>
static __device__ __forceinline__ Quad<Sum>
decode_words(int shift, unsigned bits, Words words) {
  Quad<Sum> quad;
  if constexpr (WIDE) {
    words.x = words.x >> shift & bits;
    words.y = words.y >> shift & bits;
#pragma unroll
    for (int i = 0; i < PER_LANE; i++)
      quad.at[i] = behind_exponent<Sum>(
          __byte_perm(i < 2 ? words.x : words.y, EXPONENT, i & 1 ? 0x7432 : 0x7410));
  } else {
#pragma unroll
    for (int i = 0; i < PER_LANE; i++)
      quad.at[i] = behind_exponent<Sum>(__byte_perm(words.x, EXPONENT, 0x7440 + i));
  }
  return quad;
}

/* Writes a lane's four samples of target row y when not all of them are filtered, or written. */
template <int STEP>
static __device__ __forceinline__ void
store_masked(const CcPart &part, bool wide, int y, int left, Words filtered) {
  auto mask = [&](int bits) {
    return spread_words<STEP>(wide, [&](int c) { return bits >> c & 1 ? 0xFFFFu : 0; });
  };
  const int offset = left << wide;
  const Words filter = mask(part.filter_mask), copy = mask(part.copy_mask);
  const Words fill = spread_words<STEP>(wide, [&](int c) {
    return part.fill_mask >> c & 1 ? (unsigned)part.fill[c] << part.shift : 0;
  });
  const Words source = load_words(wide, source_row<char>(part, y) + offset);
  const Words word = {(filtered.x & filter.x) | (source.x & copy.x) | fill.x,
                      (filtered.y & filter.y) | (source.y & copy.y) | fill.y};
  char *row = target_row<char>(part, y) + offset;
  const int written = part.filter_mask | part.copy_mask | part.fill_mask;
  if (written == (1 << STEP) - 1) {
    store_words(wide, row, word);
    return;
  }
#pragma unroll
  for (int i = 0; i < PER_LANE; i++)
    if (written >> (i % STEP) & 1)
      store_sample(wide, row + (i << wide),
                   wide ? (i < 2 ? word.x : word.y) >> (16 * (i & 1)) : word.x >> (8 * i));
}

/* A source row in shared memory: the strip's samples with their halo, whose left part ends at a
 * multiple of four. */
template <int K, int STEP> struct Row {
  static constexpr int halo = K / 2 * STEP;
  static constexpr int halo_quads = (halo + PER_LANE - 1) / PER_LANE, own = halo_quads * PER_LANE;
  static constexpr int width = TILE_WIDTH + 2 * own;
  static constexpr int halo_loads = (2 * halo + LANES - 1) / LANES; /* a lane */

  /* Where the halo's sample number j belongs. */
  static __device__ __forceinline__ int halo_place(int j) {
    return j + (j < halo ? own - halo : own + TILE_WIDTH - halo);
  }
};

/* What a lane has loaded of a row. */
template <int HALO_LOADS> struct Loaded {
  Words own;
  unsigned halo[HALO_LOADS];
};

template <typename Sum, int K, Shape SHAPE, int M, int STEP, bool WIDE>
static __device__ __forceinline__ void
slide_inside(const CcLaunch &launch, const Strip &strip, Sum *shared) {
  typedef Row<K, STEP> Row;
  constexpr int AHEAD = K <= 5 ? 4 : 2; /* rows on their way; even, so that buffers alternate */
  const CcPart &part = strip.part;
  const int lane = threadIdx.x, left = strip.left + PER_LANE * lane;
  const bool all = part.filter_mask == (1 << STEP) - 1;
  const int shift = WIDE ? keep(part.shift) : 0;
  const unsigned bits = keep((0xFFFFu >> shift) * 0x10001u);
  const unsigned src_pitch = keep(part.src_pitch), dst_pitch = keep(part.dst_pitch);
  const int n_rows = strip.rows + K - 1;
  SourceRows rows(launch, part, strip.top - K / 2);
  const Finish<Sum> finish(part);
  const char *src = source_row<char>(part, 0) + (left << WIDE);
  char *dst = target_row<char>(part, strip.top) + (left << WIDE);

  Loaded<Row::halo_loads> ahead[AHEAD];
  auto load = [&](bool exists, int r, Loaded<Row::halo_loads> &loaded) {
    const int y = rows.at(r);
    if (exists || y >= 0) {
      const char *own = src + (unsigned long long)(unsigned)y * src_pitch;
      loaded.own = load_words(WIDE, own);
#pragma unroll
      for (int h = 0; h < Row::halo_loads; h++) {
        const int j = lane + h * LANES;
        if (j < 2 * Row::halo)
          loaded.halo[h] = load_sample(
              WIDE, own + (Row::halo_place(j) - Row::own - PER_LANE * lane) * (1 << WIDE));
      }
    } else {
      loaded.own =
          spread_words<STEP>(WIDE, [&](int c) { return part.border_code[c] << part.shift; });
#pragma unroll
      for (int h = 0; h < Row::halo_loads; h++)
        loaded.halo[h] = part.border_code[Row::halo_place(lane + h * LANES) % STEP] << part.shift;
    }
  };
#pragma unroll
  for (int a = 0; a < AHEAD; a++)
    if (a < n_rows)
      load(false, a, ahead[a]);

  Sums<Sum, K, SHAPE, M> sums;
  /* Filters row r, which is in ahead[a], and loads another one there. SIMPLE promises that it
   * exists, that an output row is complete, all of it filtered, and that the response is the usual
   * one. */
  auto filter_row = [&](auto simple, int r, int a) {
    constexpr bool SIMPLE = decltype(simple)::value;
    Sum *row = shared + (a & 1) * Row::width;
    const Quad<Sum> own = decode_words<Sum, WIDE>(shift, bits, ahead[a].own);
    *(Quad<Sum> *)(row + Row::own + PER_LANE * lane) = own;
#pragma unroll
    for (int h = 0; h < Row::halo_loads; h++) {
      const int j = lane + h * LANES;
      if (j < 2 * Row::halo)
        row[Row::halo_place(j)] = decode_sample<Sum>(shift, ahead[a].halo[h]);
    }
    if (SIMPLE || r + AHEAD < n_rows)
      load(SIMPLE, r + AHEAD, ahead[a]);
    __syncwarp();

    Quad<Sum> window[2 * Row::halo_quads + 1];
#pragma unroll
    for (int q = 0; q < 2 * Row::halo_quads + 1; q++)
      window[q] = q == Row::halo_quads ? own : *(Quad<Sum> *)(row + PER_LANE * (lane + q));
    Sum done[M][PER_LANE];
#pragma unroll
    for (int i = 0; i < PER_LANE; i++) {
      Sum v[K];
#pragma unroll
      for (int k = 0; k < K; k++) {
        const int place = Row::own + i + (k - K / 2) * STEP;
        v[k] = window[place / PER_LANE].at[place % PER_LANE];
      }
      sums.add(launch, i, v, done);
    }
    if (!SIMPLE && r < K - 1)
      return;
    unsigned code[PER_LANE];
    finish_samples<Sum, M, SIMPLE>(launch, part, finish, done, code);
    Words words = pack_words(WIDE, code);
    words.x <<= shift;
    words.y <<= shift;
    if (SIMPLE || all)
      store_words(WIDE, dst, words);
    else
      store_masked<STEP>(part, WIDE, strip.top + r - (K - 1), left, words);
    dst += dst_pitch;
  };
  const bool can_be_simple = all && is_usual(launch.response, M) && rows.all_exist(n_rows);
  const int first_simple = can_be_simple ? K - 1 : n_rows, end_simple = n_rows - 2 * AHEAD;
  for (int r = 0; r < n_rows; r += AHEAD) {
    if ((r + AHEAD) % LANES == 0)
      rows.look_up(r + AHEAD);
    if (r >= first_simple && r <= end_simple) {
#pragma unroll
      for (int a = 0; a < AHEAD; a++)
        filter_row(std::true_type(), r + a, a);
    } else {
#pragma unroll
      for (int a = 0; a < AHEAD; a++)
        if (r + a < n_rows)
          filter_row(std::false_type(), r + a, a);
    }
  }
}

/* --- all other strips: sample by sample --- */

/* How many samples a lane loads of a row at most, with the greatest step. */
static constexpr __host__ __device__ int
loads_per_lane(int side, int stride) {
  const int before = side / 2 * MAX_STEP + (stride - 1) * (MAX_STEP - 1);
  const int behind = stride * (TILE_WIDTH - 1) + side / 2 * MAX_STEP;
  return (before + behind + 1 + LANES - 1) / LANES;
}

/* The part's component that source sample `sample` of a row belongs to, and its pixel; both counted
 * on to the left of the row. */
static __device__ __forceinline__ int
locate(const CcPart &part, int sample, int *x) {
  const int before = 64; /* pixels, more than any halo, so that division rounds down */
  sample += before * part.step;
  *x = sample / part.step - before;
  return sample % part.step;
}

/* Works out where the row's samples from `first` on come from, one place a lane and load: not
 * negative, the offset in bytes; negative, the complement of the stored sample that the border has
 * there. */
static __device__ __forceinline__ void
find_places(const CcLaunch &launch, const CcPart &part, int first, int n_samples, int *places) {
  for (int j = threadIdx.x; j < n_samples; j += LANES) {
    int x;
    const int component = locate(part, first + j, &x);
    x = cc_border_index(x, part.src_width, launch.border);
    places[j] = x < 0 ? ~(part.border_code[component] << part.shift)
                      : (x * part.step + component) << has_wide_samples(part);
  }
}

/* Loads a row's samples; `row` is NULL for one of the constant border. */
template <int LOADS>
static __device__ __forceinline__ void
load_places(const CcPart &part, bool wide, const char *row, int first, int n_samples,
            const int *places, unsigned (&stored)[LOADS]) {
#pragma unroll
  for (int i = 0; i < LOADS; i++) {
    const int j = threadIdx.x + i * LANES;
    if (j >= n_samples)
      continue;
    int x;
    if (!row)
      stored[i] = part.border_code[locate(part, first + j, &x)] << part.shift;
    else if (places[j] < 0)
      stored[i] = ~places[j];
    else
      stored[i] = load_sample(wide, row + places[j]);
  }
}

/* Writes target sample `sample` of row y; `source` is the one in the source that it lies on. */
static __device__ __forceinline__ void
store_any(const CcLaunch &launch, const CcPart &part, bool wide, int y, int sample, int source,
          unsigned code) {
  char *address = target_row<char>(part, y) + (sample << wide);
  const int component = sample % part.step;
  if (sample >= part.width * part.step)
    return;
  if (part.filter_mask >> component & 1)
    store_sample(wide, address, code << part.shift);
  else if (part.copy_mask >> component & 1)
    store_sample(
        wide, address,
        load_sample(wide, source_row<char>(part, launch.stride * y) + ((size_t)source << wide)));
  else if (part.fill_mask >> component & 1)
    store_sample(wide, address, part.fill[component] << part.shift);
}

/* Every source row adds to the sums, and with a stride of s every s-th output row is kept.
 * MAX_STRIDE is the greatest stride that the launch may have. */
template <typename Sum, int K, Shape SHAPE, int M, int MAX_STRIDE>
static __device__ __forceinline__ void
slide_any(const CcLaunch &launch, const Strip &strip, Sum *shared, int *places) {
  constexpr int LOADS = loads_per_lane(K, MAX_STRIDE), WIDTH = LOADS * LANES;
  const CcPart &part = strip.part;
  const bool wide = has_wide_samples(part);
  const int stride = MAX_STRIDE == 1 ? 1 : launch.stride, step = part.step, shift = part.shift;
  const int reach = K / 2 * step, lane = threadIdx.x;

  /* Target sample t of component c lies on source sample stride * t - (stride - 1) * c. */
  const int first = stride * strip.left - (stride - 1) * (step - 1) - reach;
  const int n_samples = stride * (strip.left + TILE_WIDTH - 1) + reach - first + 1;
  find_places(launch, part, first, n_samples, places);
  int sample[PER_LANE], source[PER_LANE];
#pragma unroll
  for (int i = 0; i < PER_LANE; i++) {
    sample[i] = strip.left + lane + i * LANES;
    source[i] = stride * sample[i] - (stride - 1) * (sample[i] % step);
  }

  const int n_rows = stride * (strip.rows - 1) + K;
  SourceRows rows(launch, part, stride * strip.top - K / 2);
  const Finish<Sum> finish(part);
  unsigned ahead[LOADS];
  auto load = [&](int r) {
    const int y = rows.at(r);
    load_places(part, wide, y < 0 ? NULL : source_row<char>(part, y), first, n_samples, places,
                ahead);
  };
  load(0);
  Sums<Sum, K, SHAPE, M> sums;
  for (int r = 0; r < n_rows; r++) {
    Sum *row = shared + (r & 1) * WIDTH;
#pragma unroll
    for (int i = 0; i < LOADS; i++)
      if (lane + i * LANES < n_samples)
        row[lane + i * LANES] = decode_sample<Sum>(shift, ahead[i]);
    if ((r + 1) % LANES == 0)
      rows.look_up(r + 1);
    if (r + 1 < n_rows)
      load(r + 1);
    __syncwarp();

    Sum done[M][PER_LANE];
#pragma unroll
    for (int i = 0; i < PER_LANE; i++) {
      Sum v[K];
#pragma unroll
      for (int k = 0; k < K; k++)
        v[k] = row[source[i] - reach - first + k * step];
      sums.add(launch, i, v, done);
    }
    const int kept = r - (K - 1);
    if (kept >= 0 && (kept & (stride - 1)) == 0) {
      unsigned code[PER_LANE];
      finish_samples<Sum, M, false>(launch, part, finish, done, code);
#pragma unroll
      for (int i = 0; i < PER_LANE; i++)
        store_any(launch, part, wide, strip.top + kept / stride, sample[i], source[i], code[i]);
    }
  }
}

/* --- entry points --- */

/* What a warp has in shared memory: two rows, one being filled while the other is read, and where
 * their samples come from. */
template <typename Sum, int K, int MAX_STRIDE> struct alignas(16) Shared {
  static constexpr int any = loads_per_lane(K, MAX_STRIDE) * LANES;
  static constexpr int inside = Row<K, MAX_STEP>::width;
  Sum rows[2 * (any > inside ? any : inside)];
  int places[any];
};

/* Whether slide_inside can run a strip: with its halo it lies inside the source, it lies inside the
 * target, and rows are aligned for four samples at a time. */
static __device__ __forceinline__ bool
is_free(const Strip &strip, int side) {
  const CcPart &part = strip.part;
  const int halo = side / 2 * part.step;
  const unsigned addresses = (unsigned)(part.src | part.dst) | part.src_pitch | part.dst_pitch;
  return part.step != 3 && addresses % (PER_LANE * part.sample_bytes) == 0 && strip.left >= halo &&
         strip.left + TILE_WIDTH + halo <= part.src_width * part.step &&
         strip.left + TILE_WIDTH <= part.width * part.step;
}

/* What there is code of slide_inside for; the rest is rare. */
template <typename Sum, int K, int M, bool WIDE>
static constexpr bool has_inside = std::is_same_v<Sum, float> ? K <= 7 || M == 1 : K <= 5 && WIDE;

template <typename Sum, int K, Shape SHAPE, int M, bool WIDE>
static __device__ __forceinline__ void
slide_free(const CcLaunch &launch, const Strip &strip, Sum *shared) {
  if (strip.part.step == 1)
    slide_inside<Sum, K, SHAPE, M, 1, WIDE>(launch, strip, shared);
  else if (strip.part.step == 2)
    slide_inside<Sum, K, SHAPE, M, 2, WIDE>(launch, strip, shared);
  else
    slide_inside<Sum, K, SHAPE, M, 4, WIDE>(launch, strip, shared);
}

template <typename Sum, int K, Shape SHAPE, int M, int MAX_STRIDE>
static __device__ __forceinline__ void
slide(const CcLaunch &launch) {
  __shared__ Shared<Sum, K, MAX_STRIDE> shared[WARPS];
  Shared<Sum, K, MAX_STRIDE> &own = shared[threadIdx.y];
  const int tile = keep((int)(blockIdx.x * WARPS + threadIdx.y));
  if (tile >= launch.n_tiles)
    return;
  const CcPart &part = find_part(launch, tile);
  const int index = tile - part.first_tile;
  const int tile_rows = CC_OWN(const CcRegisterWindowPart, &part)->tile_rows;
  const int top = index / part.tiles_across * tile_rows;
  const Strip strip = {part, index % part.tiles_across * TILE_WIDTH, top,
                       min(tile_rows, part.height - top)};
  const bool free = MAX_STRIDE == 1 && is_free(strip, K), wide = has_wide_samples(part);
  if constexpr (MAX_STRIDE == 1 && has_inside<Sum, K, M, true>)
    if (free && wide)
      return slide_free<Sum, K, SHAPE, M, true>(launch, strip, own.rows);
  if constexpr (MAX_STRIDE == 1 && has_inside<Sum, K, M, false>)
    if (free && !wide)
      return slide_free<Sum, K, SHAPE, M, false>(launch, strip, own.rows);
  slide_any<Sum, K, SHAPE, M, MAX_STRIDE>(launch, strip, own.rows, own.places);
}

/* How many blocks a multiprocessor should hold at least: as many as there are registers for. */
static constexpr int
blocks_resident(int side, int matrices, int max_stride) {
  const int weight = side * matrices + (max_stride > 1 ? 5 : 0);
  return weight <= 6 ? 5 : weight <= 14 ? 4 : weight <= 20 ? 3 : 2;
}

#define ENTRY(name, Sum, side, shape, matrices, max_stride)                                        \
  extern "C" __global__ void __launch_bounds__(LANES *WARPS,                                       \
                                               blocks_resident(side, matrices, max_stride))        \
      name(const __grid_constant__ CcLaunch launch) {                                              \
    slide<Sum, side, shape, matrices, max_stride>(launch);                                         \
  }

#define ENTRIES(sums, side, shape, m)                                                              \
  ENTRY(cc_register_window_##sums##_##side##_##shape##_m##m, sums, side, shape, m, 1)              \
  ENTRY(cc_register_window_##sums##_##side##_##shape##_m##m##_strided, sums, side, shape, m,       \
        CC_REGISTER_WINDOW_MAX_STRIDE)

CC_REGISTER_WINDOW_KERNELS(ENTRIES)
