/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* register-tile: a separable kernel in one launch. A thread computes 4x4 pixels in registers and
 * shares rows with its vertical neighbours. (The tiled convolution of AMD's OpenCL samples.)
 *
 * 16x8 threads make a tile of 64x32 pixels. Four neighbouring pixels of a row are a strip. A thread
 * has four strips, one below the other. The thread filters its strips along the row in registers.
 * It reads raw pixels through the L1 cache, because neighbouring threads read some of the same
 * pixels. The threads in the first 2r rows of the block each filter one more strip, in the halo
 * above or below the tile. The thread keeps the sums of its own strips in registers. It writes the
 * sums that vertical neighbours need to shared memory. Then the thread reads the sums of the r
 * strips above its own strips and of the r strips below, and filters along the columns, again in
 * registers. Matrices are processed one after another and use the same shared memory.
 *
 * Tiles on the border, and tiles of interleaved samples, cannot read words of samples directly.
 * These tiles first copy their raw samples to shared memory ("staged"). They evaluate the border
 * rule once per row and column. All reads of a thread are in flight at once. This matters because a
 * small image takes as long as its slowest tile, and the slowest tiles are on the border.
 *
 * With a kernel of side 2r+1, the 16 pixels of a thread take 4 + r/4 strips of 3 wide fetches each.
 * They take min(2r, 4) + r/4 strips written to shared memory, and 2r strips read from shared
 * memory. They take (2r+1) * (32 + r) multiply-adds. For 3x3 these are 13 fetches and 99
 * multiply-adds. */

#include "cuda/instructions.cuh"
#include "cuda/tile.cuh"

#define SIDE CC_REGISTER_TILE_SIDE
#define ACROSS CC_REGISTER_TILE_ACROSS
#define DOWN CC_REGISTER_TILE_DOWN
#define THREADS (ACROSS * DOWN)
#define WIDTH (SIDE * ACROSS)
#define HEIGHT (SIDE * DOWN)

/* The sums of SIDE neighbours in a row, read and written at once. */
template <typename Sum> struct alignas(SIDE * sizeof(Sum)) Strip { Sum at[SIDE]; };

/* SIDE samples, read and written at once. */
template <typename Sample> using Word = std::conditional_t<sizeof(Sample) == 1, uint32_t, uint64_t>;

/* A tile with its halo, in source samples. Column 0 is SIDE pixels to the left of the tile's first
 * pixel. Row 0 is the first row of the halo. */
template <typename Sample_, typename Sum_, int TAPS> struct Shape {
  using Sample = Sample_;
  using Sum = Sum_;
  using Code = ::Code<Sum>;
  static constexpr int RADIUS = TAPS / 2, ROWS = HEIGHT + TAPS - 1, COLUMNS = WIDTH + 2 * SIDE;
  static constexpr int CODES = SIDE - 1 + TAPS; /* code values that a strip is computed from */
  static constexpr int WORDS =
      (SIDE - RADIUS + CODES + SIDE - 1) / SIDE; /* words that contain these code values */

  struct Shared {
    Strip<Sum> row[ROWS][ACROSS];              /* sums along the rows */
    Word<Sample> staged[ROWS][COLUMNS / SIDE]; /* raw samples, if the tile is staged */
    int column_from[COLUMNS], row_from[ROWS];  /* source positions of `staged`; -1: outside */
  };
};

/* The source column and row of a tile's column 0 and row 0, before the border rule. */
static __device__ __forceinline__ int
first_column(const Tile &tile) {
  return tile.x - SIDE;
}

template <typename S>
static __device__ __forceinline__ int
first_row(const Tile &tile) {
  return tile.y - S::RADIUS;
}

static __device__ __forceinline__ int
thread_number() {
  return threadIdx.y * ACROSS + threadIdx.x;
}

/* --- integers in floats --- */

/* The last bit of a float of this size has the value 1. Therefore adding or subtracting UNITS
 * converts between integers and floats. Conversion instructions run at a fraction of the rate of an
 * addition. */
#define UNITS 0x1p23f

template <typename S>
static __device__ __forceinline__ typename S::Code
code_in(const CcPlaneJob &job, Word<typename S::Sample> word, int i) {
  using Sample = typename S::Sample;
  if constexpr (sizeof(Sample) == 1)
    return __fsub_rn(__uint_as_float(__byte_perm(word, __float_as_uint(UNITS), 0x7440 | i)), UNITS);
  else
    return code_of(job, (Sample)(word >> (8 * sizeof(Sample) * i)));
}

/* Computes cc_code_f32 in fewer instructions. Rounding comes after clamping, which gives the same
 * result because the bounds are integers. */
struct Clamp {
  const float mul, add, lo, hi;

  __device__ __forceinline__ explicit Clamp(const CcPlaneJob &p)
      : mul(p.mul_f), add(p.add_f), lo((float)p.lo), hi((float)p.hi) {
  }

  __device__ __forceinline__ uint32_t operator()(const Response<float> &response) const {
    const float value = fminf(fmaxf(__fmaf_rn(response.sums.t, mul, add), lo), hi);
    return __float_as_uint(__fadd_rd(value, UNITS)) - __float_as_uint(UNITS);
  }
};

/* --- raw samples --- */

template <typename S>
static __device__ __forceinline__ void
look_up_border(const CcLaunch &launch, const Tile &tile, typename S::Shared &shared) {
  const CcPlaneJob &job = tile.job;
  for (int i = thread_number(); i < S::COLUMNS + S::ROWS; i += THREADS) {
    const int row = i - S::COLUMNS;
    if (row < 0)
      shared.column_from[i] = cc_border_index(first_column(tile) + i, job.src_width, launch.border);
    else
      shared.row_from[row] =
          cc_border_index(first_row<S>(tile) + row, job.src_height, launch.border);
  }
}

template <typename S>
static __device__ __forceinline__ typename S::Sample
look_up_sample(const Tile &tile, const typename S::Shared &shared, int row, int column) {
  using Sample = typename S::Sample;
  const CcPlaneJob &job = tile.job;
  const int x = shared.column_from[column], y = shared.row_from[row];
  /* no branch around the read, so that many reads can be in flight at once */
  const Sample sample = source_row<Sample>(job, max(y, 0))[max(x, 0) * job.step + tile.component];
  return (x | y) < 0 ? (Sample)(job.border_code[tile.component] << job.shift) : sample;
}

/* The threads of a block process N items in rounds. SIZE is the number of items of a thread in a
 * round. SIZE is at most MAX_SIZE, and as small as possible for the same number of rounds. */
template <int N, int MAX_SIZE> struct Batch {
  static constexpr int EACH = (N + THREADS - 1) / THREADS,
                       ROUNDS = (EACH + MAX_SIZE - 1) / MAX_SIZE;
  static constexpr int SIZE = (EACH + ROUNDS - 1) / ROUNDS;
};

template <typename S>
static __device__ __forceinline__ void
stage_samples(const Tile &tile, typename S::Shared &shared) {
  constexpr int FIRST = SIDE - S::RADIUS, NEEDED = WIDTH + 2 * S::RADIUS;
  constexpr int N = S::ROWS * NEEDED, BATCH = Batch<N, 21>::SIZE;
  typename S::Sample *staged = (typename S::Sample *)shared.staged;
#pragma unroll 1
  for (int first = thread_number(); first < N; first += BATCH * THREADS) {
    typename S::Sample sample[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; i++) {
      const int nth = min(first + i * THREADS, N - 1);
      sample[i] = look_up_sample<S>(tile, shared, nth / NEEDED, FIRST + nth % NEEDED);
    }
#pragma unroll
    for (int i = 0; i < BATCH; i++) {
      const int nth = first + i * THREADS;
      if (nth < N)
        staged[nth / NEEDED * S::COLUMNS + FIRST + nth % NEEDED] = sample[i];
    }
  }
}

static __device__ __forceinline__ uint32_t
repeat(unsigned char sample) {
  return sample * 0x01010101u;
}

static __device__ __forceinline__ uint64_t
repeat(unsigned short sample) {
  return sample * 0x0001000100010001ull;
}

/* Copies the samples in words. Pixels have one sample, and rows have at least one word. Columns to
 * the left of the source, and columns to the right of the last whole word of a row, get wrong
 * samples. */
template <typename S>
static __device__ __forceinline__ void
stage_words(const Tile &tile, typename S::Shared &shared) {
  using Sample = typename S::Sample;
  constexpr int WORDS = S::COLUMNS / SIDE, N = S::ROWS * WORDS, BATCH = Batch<N, 9>::SIZE;
  const CcPlaneJob &job = tile.job;
  const int left = first_column(tile), last = (job.src_width & ~(SIDE - 1)) - SIDE;
  const Sample outside = (Sample)(job.border_code[tile.component] << job.shift);
#pragma unroll 1
  for (int first = thread_number(); first < N; first += BATCH * THREADS) {
    Word<Sample> word[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; i++) {
      const int nth = min(first + i * THREADS, N - 1), y = shared.row_from[nth / WORDS];
      const int x = min(max(left + nth % WORDS * SIDE, 0), last);
      word[i] = *(const Word<Sample> *)(source_row<Sample>(job, max(y, 0)) + x);
      word[i] = y < 0 ? repeat(outside) : word[i];
    }
#pragma unroll
    for (int i = 0; i < BATCH; i++) {
      const int nth = first + i * THREADS;
      if (nth < N)
        shared.staged[nth / WORDS][nth % WORDS] = word[i];
    }
  }
}

/* Overwrites the samples that stage_words gets wrong. Half of the threads take the left ends of
 * rows, the other half the right ends. */
template <typename S>
static __device__ __forceinline__ void
stage_ends(const Tile &tile, typename S::Shared &shared) {
  static_assert(S::ROWS <= THREADS / 2, "a thread for each end");
  const int row = thread_number() % (THREADS / 2);
  const bool right = thread_number() >= THREADS / 2;
  const int left = first_column(tile), width = tile.job.src_width;
  const int from = right ? max((width & ~(SIDE - 1)) - left, 0) : SIDE - S::RADIUS;
  const int to = right ? min(width + S::RADIUS - left, S::COLUMNS) : -left;
  if (row < S::ROWS)
#pragma unroll 1
    for (int i = from; i < to; i++)
      ((typename S::Sample *)shared.staged[row])[i] = look_up_sample<S>(tile, shared, row, i);
}

template <typename S>
static __device__ __forceinline__ void
stage(const CcLaunch &launch, const Tile &tile, typename S::Shared &shared) {
  look_up_border<S>(launch, tile, shared);
  wait_for_last_launch();
  __syncthreads();
  if (tile.job.step == 1 && tile.job.src_width >= SIDE) {
    stage_words<S>(tile, shared);
    __syncthreads();
    stage_ends<S>(tile, shared);
  } else {
    stage_samples<S>(tile, shared);
  }
  __syncthreads();
}

template <typename S, bool STAGED>
static __device__ __forceinline__ void
fetch_strip(const Tile &tile, const typename S::Shared &shared, int row,
            typename S::Code (&code)[S::CODES]) {
  using Sample = typename S::Sample;
  const Word<Sample> *at;
  if (STAGED) {
    at = &shared.staged[row][threadIdx.x];
  } else {
    const Sample *line = source_row<Sample>(tile.job, tile.y - S::RADIUS + row);
    at = (const Word<Sample> *)(line + tile.x) + threadIdx.x - 1;
  }
  Word<Sample> word[S::WORDS];
#pragma unroll
  for (int i = 0; i < S::WORDS; i++)
    word[i] = at[i];
#pragma unroll
  for (int i = 0; i < S::CODES; i++) {
    const int from = SIDE - S::RADIUS + i;
    code[i] = code_in<S>(tile.job, word[from / SIDE], from % SIDE);
  }
}

/* --- rows --- */

template <typename S, int TAPS>
static __device__ __forceinline__ Strip<typename S::Sum>
filter_strip(const CcLaunch &launch, int matrix, const typename S::Code (&code)[S::CODES]) {
  Strip<typename S::Sum> sum = {};
#pragma unroll
  for (int i = 0; i < SIDE; i++)
#pragma unroll
    for (int k = 0; k < TAPS; k++)
      sum.at[i] = multiply_add(launch.row[matrix][k], code[i + k], sum.at[i]);
  return sum;
}

/* Filters the strips of the thread. The threads in the first HALO rows of the block also filter one
 * strip of the halo each. */
template <typename S, int TAPS, bool STAGED>
static __device__ __forceinline__ void
filter_rows(const CcLaunch &launch, const Tile &tile, int matrix, typename S::Shared &shared,
            Strip<typename S::Sum> (&strips)[SIDE]) {
  constexpr int R = S::RADIUS, HALO = S::ROWS - HEIGHT;
  const int top = R + threadIdx.y * SIDE;
  typename S::Code code[SIDE][S::CODES];
#pragma unroll
  for (int j = 0; j < SIDE; j++)
    fetch_strip<S, STAGED>(tile, shared, top + j, code[j]);
  if (threadIdx.y < HALO) {
    const int halo = threadIdx.y < R ? threadIdx.y : HEIGHT + threadIdx.y;
    typename S::Code halo_code[S::CODES];
    fetch_strip<S, STAGED>(tile, shared, halo, halo_code);
    shared.row[halo][threadIdx.x] = filter_strip<S, TAPS>(launch, matrix, halo_code);
  }
#pragma unroll
  for (int j = 0; j < SIDE; j++) {
    strips[j] = filter_strip<S, TAPS>(launch, matrix, code[j]);
    if (j < R || j >= SIDE - R)
      shared.row[top + j][threadIdx.x] = strips[j];
  }
}

/* --- columns --- */

/* Adds a matrix's sums of the thread's pixels to their responses. */
template <typename S, int TAPS>
static __device__ __forceinline__ void
filter_columns(const CcLaunch &launch, int matrix, const typename S::Shared &shared,
               const Strip<typename S::Sum> (&strips)[SIDE],
               Response<typename S::Sum> (&response)[SIDE][SIDE]) {
  using Sum = typename S::Sum;
  constexpr int R = S::RADIUS, NEEDED = SIDE - 1 + TAPS;
  Strip<Sum> row[NEEDED];
#pragma unroll
  for (int i = 0; i < NEEDED; i++)
    row[i] =
        i >= R && i < R + SIDE ? strips[i - R] : shared.row[threadIdx.y * SIDE + i][threadIdx.x];
  Sum sum[SIDE][SIDE] = {};
#pragma unroll
  for (int j = 0; j < SIDE; j++)
#pragma unroll
    for (int k = 0; k < TAPS; k++)
#pragma unroll
      for (int i = 0; i < SIDE; i++)
        sum[j][i] = multiply_add(launch.column[matrix][k], row[j + k].at[i], sum[j][i]);
  const auto add = [&](CcResponse kind, int nth) {
#pragma unroll
    for (int j = 0; j < SIDE; j++)
#pragma unroll
      for (int i = 0; i < SIDE; i++)
        response[j][i].add(kind, nth, sum[j][i]);
  };
  if (launch.response == CC_RESPONSE_CLAMP && matrix == 0)
    add(CC_RESPONSE_CLAMP, 0); /* the most frequent case; compiles to a move */
  else
    run_response(launch.response, [&](CcResponse kind) { add(kind, matrix); });
}

/* --- tiles --- */

template <typename S, int TAPS, bool STAGED>
static __device__ __forceinline__ void
filter_tile(const CcLaunch &launch, const Tile &tile, typename S::Shared &shared,
            Response<typename S::Sum> (&response)[SIDE][SIDE]) {
  if (STAGED)
    stage<S>(launch, tile, shared);
  else
    wait_for_last_launch();
#pragma unroll 1
  for (int m = 0; m < launch.n_matrices; m++) {
    Strip<typename S::Sum> strips[SIDE];
    if (m > 0)
      __syncthreads(); /* waits until all threads have read the sums of the previous matrix */
    filter_rows<S, TAPS, STAGED>(launch, tile, m, shared, strips);
    __syncthreads();
    filter_columns<S, TAPS>(launch, m, shared, strips, response);
  }
}

/* Each code value fits a sample. */
static __device__ __forceinline__ uint32_t
pack(const uint32_t (&code)[SIDE], unsigned char) {
  return __byte_perm(__byte_perm(code[0], code[1], 0x0040), __byte_perm(code[2], code[3], 0x0040),
                     0x5410);
}

static __device__ __forceinline__ uint64_t
pack(const uint32_t (&code)[SIDE], unsigned short) {
  return code[0] | code[1] << 16 | (uint64_t)(code[2] | code[3] << 16) << 32;
}

template <typename S>
static __device__ __forceinline__ void
store_pixels(const CcLaunch &launch, const Tile &tile, const Clamp &clamp,
             const Response<typename S::Sum> (&response)[SIDE][SIDE]) {
  using Sample = typename S::Sample;
  const CcPlaneJob &job = tile.job;
  const int x = tile.x + threadIdx.x * SIDE, top = tile.y + threadIdx.y * SIDE;
  const bool wide = is_write_free(tile, WIDTH, HEIGHT) && job.step == 1;
  uint32_t code[SIDE][SIDE];
  const auto finish = [&](auto code_for) {
#pragma unroll
    for (int j = 0; j < SIDE; j++)
#pragma unroll
      for (int i = 0; i < SIDE; i++)
        code[j][i] = (uint32_t)code_for(response[j][i]) << (sizeof(Sample) == 1 ? 0 : job.shift);
  };
  if (launch.response == CC_RESPONSE_CLAMP)
    finish(clamp);
  else
    run_response(launch.response, [&](CcResponse kind) {
      finish([&](const auto &one) { return one.code(kind, job); });
    });
#pragma unroll
  for (int j = 0; j < SIDE; j++) {
    if (wide) {
      *(Word<Sample> *)(target_row<Sample>(job, top + j) + x) = pack(code[j], Sample());
    } else {
#pragma unroll
      for (int i = 0; i < SIDE; i++)
        store<Sample, false>(job, x + i, top + j, tile.component, (int)code[j][i]);
    }
  }
}

template <typename S>
static __device__ __forceinline__ void
copy_or_fill_tile(const CcLaunch &launch, const Tile &tile) {
  for (int y = threadIdx.y; y < HEIGHT; y += DOWN)
    for (int x = threadIdx.x; x < WIDTH; x += ACROSS)
      store_unfiltered<typename S::Sample>(launch, tile.job, tile.x + x, tile.y + y,
                                           tile.component);
}

/* Does the same as find_tile, with only one division if pixels have one sample. */
static __device__ __forceinline__ Tile
find_register_tile(const CcLaunch &launch) {
  const CcPlaneJob &job = find_job(launch, blockIdx.x);
  const unsigned index = blockIdx.x - job.first_tile, across = job.tiles_across;
  const int row = index / across, column = index - row * across;
  const int pixels = job.step == 1 ? column : column / job.step;
  return {job, pixels * WIDTH, row * HEIGHT, column - pixels * job.step};
}

/* Whether the tile's words and the words beside them can be read directly. */
template <typename S>
static __device__ __forceinline__ bool
is_free(const Tile &tile) {
  return tile.job.step == 1 &&
         is_inside(tile.job, tile.x - SIDE, tile.y - S::RADIUS, tile.x + WIDTH + SIDE - 1,
                   tile.y + HEIGHT + S::RADIUS - 1);
}

template <typename S, int TAPS>
static __device__ __forceinline__ void
run_tile(const CcLaunch &launch, typename S::Shared &shared) {
  const Tile tile = find_register_tile(launch);
  if (!is_filtered(tile.job, tile.component)) {
    wait_for_last_launch();
    copy_or_fill_tile<S>(launch, tile);
    return;
  }
  const Clamp clamp(tile.job); /* read early: the constants arrive while the launch waits */
  Response<typename S::Sum> response[SIDE][SIDE];
  if (is_free<S>(tile))
    filter_tile<S, TAPS, false>(launch, tile, shared, response);
  else
    filter_tile<S, TAPS, true>(launch, tile, shared, response);
  store_pixels<S>(launch, tile, clamp, response);
}

template <typename Sample, typename Sum, int TAPS>
static __device__ __forceinline__ void
register_tile(const CcLaunch &launch) {
  using S = Shape<Sample, Sum, TAPS>;
  __shared__ typename S::Shared shared;
  allow_next_launch();
  run_tile<S, TAPS>(launch, shared);
}

#define ENTRY(sample, Sample, sum, Sum, side)                                                      \
  CC_ENTRY(cc_register_tile_##sample##_##sum##_##side, THREADS, register_tile<Sample, Sum, side>)

ENTRY(u8, unsigned char, f32, float, 3)
ENTRY(u8, unsigned char, f32, float, 5)
ENTRY(u8, unsigned char, f32, float, 7)
ENTRY(u16, unsigned short, f32, float, 3)
ENTRY(u16, unsigned short, f32, float, 5)
ENTRY(u16, unsigned short, f32, float, 7)
