/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Canny's edges in three launches. cc_suppress_TYPE_SUM_SIZE finds the weak and strong pixels of a
 * tile, and grows the strong ones within the tile. Components of weak pixels that are left, and
 * that reach the border of the tile, can be connected to strong pixels of other tiles. Their runs
 * are the nodes of a union-find forest, in which a component of a tile is a tree. cc_hysteresis
 * joins the trees of runs that touch across tiles. Node 0 stands for all strong pixels.
 * cc_edges_TYPE writes the samples: a run is an edge if its root is node 0. The time does not
 * depend on how long a line of weak pixels is. Source of the union by compare-and-swap: D. P.
 * Playne and K. Hawick, "A New Algorithm for Parallel Connected-Component Labelling on GPUs", IEEE
 * Transactions on Parallel and Distributed Systems 29(6), 2018. */

#include "canny.h"
#include "cuda/instructions.cuh"
#include "luma.cuh"

#define PRIVATE(job) (*CC_PRIVATE(const CcCannyJob, &(job)))
#define TILE CC_CANNY_TILE
#define ALL ~0u

/* The map in scratch memory. */
struct Map {
  unsigned *rest, *strong, *label;
  int tiles_across, tiles_down;

  __device__ __forceinline__ Map(const CcLaunch &launch)
      : tiles_across(PRIVATE(launch.job[0]).tiles_across),
        tiles_down(PRIVATE(launch.job[0]).tiles_down) {
    const long long n_words = (long long)tiles_across * tiles_down * TILE;
    rest = (unsigned *)launch.scratch;
    strong = rest + n_words;
    label = strong + n_words;
  }

  /* The number of the word of row y of the map in column `tile_x` of tiles. */
  __device__ __forceinline__ int word(int tile_x, int y) const {
    return ((y >> 5) * tiles_across + tile_x) * TILE + (y & 31);
  }

  /* A word of `words`, or 0 outside of the map. */
  __device__ __forceinline__ unsigned load(const unsigned *words, int tile_x, int y) const {
    return tile_x >= 0 && tile_x < tiles_across && y >= 0 && y < tiles_down * TILE
               ? words[word(tile_x, y)]
               : 0;
  }
};

/* The neighbouring tiles that a block processes, one after another in a warp or one in each warp.
 * The last ones of a row may not exist. */
#define STRIP CC_CANNY_STRIP
struct Strip {
  int tile_x, tile_y;

  __device__ __forceinline__ Strip(const CcLaunch &launch) {
    const CcCannyJob &priv = PRIVATE(launch.job[0]);
    const int across = (priv.tiles_across + STRIP - 1) / STRIP;
    tile_x = (int)blockIdx.x % across * STRIP;
    tile_y = (int)blockIdx.x / across;
  }
};

/* --- runs of pixels in a word --- */

/* Fills the runs of `weak` that have a pixel of `seeds`, from the seed to the last pixel of the
 * run: the sum carries to its end. */
static __device__ __forceinline__ unsigned
fill_upwards(unsigned seeds, unsigned weak) {
  return (((weak + seeds) ^ weak) | seeds) & weak;
}

static __device__ __forceinline__ unsigned
fill_runs(unsigned seeds, unsigned weak) {
  const unsigned up = fill_upwards(seeds & weak, weak);
  return up | __brev(fill_upwards(__brev(up), __brev(weak)));
}

/* The pixels that touch a pixel of the words of three tiles, in the rows above or below. */
static __device__ __forceinline__ unsigned
widen(unsigned left, unsigned word, unsigned right) {
  return word | word << 1 | word >> 1 | left >> 31 | right << 31;
}

/* Removes the first run from `runs`, and returns its pixels. */
static __device__ __forceinline__ unsigned
take_run(unsigned &runs) {
  const unsigned first = runs & -runs, run = (runs ^ (runs + first)) & runs;
  runs &= ~run;
  return run;
}

/* The node of a run. Two runs of a word begin at least two pixels apart. */
static __device__ __forceinline__ unsigned
node_of(int word, unsigned run) {
  return 1 + (unsigned)word * CC_CANNY_LABELS + (unsigned)(__ffs((int)run) - 1) / 2;
}

/* --- the forest --- */

/* A label is the number of a node that is closer to the root, or of the root itself. A thread may
 * replace it by a later node on the same path at any time. */
static __device__ __forceinline__ unsigned
find_root(unsigned *label, unsigned node) {
  volatile unsigned *labels = label - 1; /* node 0 has no label */
  while (node != 0) {
    const unsigned next = labels[node];
    if (next == node || next == 0)
      return next;
    const unsigned after = labels[next];
    labels[node] = after;
    node = after;
  }
  return 0;
}

/* Joins two trees: the root with the higher number gets the other as its parent. */
static __device__ __forceinline__ void
join(unsigned *label, unsigned a, unsigned b) {
  for (;;) {
    a = find_root(label, a);
    b = find_root(label, b);
    if (a == b)
      return;
    const unsigned high = max(a, b), low = min(a, b);
    if (atomicCAS(&label[high - 1], high, low) == high)
      return;
  }
}

/* --- maxima --- */

template <typename Sum>
static __device__ __forceinline__ Sum
absolute(Sum n) {
  return n < 0 ? -n : n;
}

/* cc_canny_axis. With 32 bits the products need all bits of an unsigned integer. `rises` counts
 * only on a diagonal. */
struct Axis {
  bool is_across, is_down, rises;

  __device__ __forceinline__ Axis(int x, int y) {
    const unsigned across = (unsigned)absolute(x), down = (unsigned)absolute(y) << CC_CANNY_BITS;
    is_across = down < across * CC_CANNY_TAN;
    is_down = down > across * (CC_CANNY_TAN + (2u << CC_CANNY_BITS));
    rises = (x ^ y) < 0;
  }

  __device__ __forceinline__ Axis(long long x, long long y) {
    const CcCannyAxis axis = cc_canny_axis(x, y);
    is_across = axis == CC_CANNY_ACROSS;
    is_down = axis == CC_CANNY_DOWN;
    rises = axis == CC_CANNY_RISING;
  }

  /* The neighbour on the axis. */
  template <typename Sum>
  __device__ __forceinline__ Sum choose(Sum across, Sum down, Sum rising, Sum falling) const {
    const Sum diagonal = rises ? rising : falling, steep = is_down ? down : diagonal;
    return is_across ? across : steep;
  }
};

/* cc_canny_is_maximum, without 64-bit comparisons. */
template <typename Sum>
static __device__ __forceinline__ bool
is_maximum(Sum magnitude, Sum before, Sum after, bool is_diagonal) {
  return magnitude > before && magnitude > after - (is_diagonal ? 0 : 1);
}

template <typename Sum> struct Gradient { Sum x, y; };

/* The sums of a row of a window: the derivative and the smoothing along the row. */
struct RowSums {
  int derivative, smoothed;
};

template <int SIZE>
static __device__ __forceinline__ RowSums
sum_row(const CcCannyJob &priv, const int *code) {
  RowSums sums = {0, priv.smooth[0] * code[0]};
#pragma unroll
  for (int i = 1; i <= SIZE / 2; i++) {
    sums.derivative += (SIZE == 3 ? 1 : priv.derivative[i]) * (code[i] - code[-i]);
    sums.smoothed += priv.smooth[i] * (code[i] + code[-i]);
  }
  return sums;
}

/* The gradient of the pixel in the middle of SIZE rows. `row` returns the sums of a row. */
template <typename Sum, int SIZE, typename GetRow>
static __device__ __forceinline__ Gradient<Sum>
gradient_of(const CcCannyJob &priv, GetRow row) {
  int x = priv.smooth[0] * row(0).derivative, y = 0;
#pragma unroll
  for (int i = 1; i <= SIZE / 2; i++) {
    x += priv.smooth[i] * (row(i).derivative + row(-i).derivative);
    y += (SIZE == 3 ? 1 : priv.derivative[i]) * (row(i).smoothed - row(-i).smoothed);
  }
  if (SIZE == 7) {
    x = (int)cc_canny_round(x, priv.round_bits);
    y = (int)cc_canny_round(y, priv.round_bits);
  }
  return {x, y};
}

template <typename Sum>
static __device__ __forceinline__ Sum
magnitude_of(const CcCannyJob &priv, const Gradient<Sum> &of) {
  return priv.is_l2 ? of.x * of.x + of.y * of.y : absolute(of.x) + absolute(of.y);
}

static __device__ __forceinline__ int
shuffle_up(int n) {
  return (int)__shfl_up_sync(ALL, (unsigned)n, 1);
}

static __device__ __forceinline__ int
shuffle_down(int n) {
  return (int)__shfl_down_sync(ALL, (unsigned)n, 1);
}

static __device__ __forceinline__ long long
shuffle_up(long long n) {
  return (long long)__shfl_up_sync(ALL, (unsigned)(n >> 32), 1) << 32 |
         __shfl_up_sync(ALL, (unsigned)n, 1);
}

static __device__ __forceinline__ long long
shuffle_down(long long n) {
  return (long long)__shfl_down_sync(ALL, (unsigned)(n >> 32), 1) << 32 |
         __shfl_down_sync(ALL, (unsigned)n, 1);
}

/* Grows the strong pixels of a tile. Each lane of a warp has a row. */
static __device__ __forceinline__ unsigned
grow_tile(unsigned weak, unsigned strong, int row) {
  bool changes = __ballot_sync(ALL, weak != strong) != 0;
  while (changes) {
    const unsigned above = __shfl_up_sync(ALL, strong, 1), below = __shfl_down_sync(ALL, strong, 1);
    const unsigned near = strong | (row > 0 ? above : 0) | (row < TILE - 1 ? below : 0);
    const unsigned grown = fill_runs(widen(0, near, 0), weak);
    changes = __ballot_sync(ALL, grown != strong) != 0;
    strong = grown;
  }
  return strong;
}

/* Only components of weak pixels that reach the border of the tile can be connected to others. */
static __device__ __forceinline__ unsigned
find_rest(unsigned weak, int row) {
  const bool is_border = row == 0 || row == TILE - 1;
  return grow_tile(weak, is_border ? weak : weak & 0x80000001u, row);
}

/* Makes a tree of each component of a tile: its first run is the root, and the parent of all
 * others. Each lane has a row. */
static __device__ __forceinline__ void
label_components(const Map &map, unsigned rest, int word, int row) {
  unsigned lanes;
  while ((lanes = __ballot_sync(ALL, rest != 0)) != 0) {
    const int first = __ffs((int)lanes) - 1;
    unsigned others = rest;
    const unsigned seed = row == first ? take_run(others) : 0;
    const unsigned node = __shfl_sync(ALL, node_of(word, seed | 0x80000000u), first);
    unsigned runs = grow_tile(rest, seed, row);
    rest &= ~runs;
    while (runs)
      map.label[node_of(word, take_run(runs)) - 1] = node;
  }
}

#define PIXELS 4 /* of a lane */

/* A warp computes the rows of a strip of STRIP tiles from top to bottom. A lane has PIXELS
 * neighbouring pixels of each row. The first and the last lane also compute the magnitude of the
 * pixel beside the strip. The lane keeps the sums of the last SIZE rows, and the magnitudes of the
 * last three. */
template <typename Sample, typename Sum, bool RGB, int SIZE>
static __device__ __forceinline__ void
suppress(const CcLaunch &launch) {
  constexpr int RADIUS = SIZE / 2, COLUMNS = PIXELS + 2 * RADIUS, UNROLL = SIZE == 3 ? 3 : 1;
  __shared__ unsigned words[2][TILE][STRIP];
  const CcPlaneJob &job = launch.job[0];
  const CcCannyJob &priv = PRIVATE(job);
  const int lane = threadIdx.x;
  const Strip strip(launch);
  allow_next_launch();
  wait_for_last_launch();
  const int left = strip.tile_x * TILE + lane * PIXELS, top = strip.tile_y * TILE;
  /* the pixel beside the strip needs one column more than the pixels of its lane */
  const bool is_first = lane == 0, is_last = lane == TILE - 1;
  const int beside = is_first ? left - 1 : left + PIXELS;
  /* of the source; the last one is for the pixel beside the strip */
  int column[COLUMNS + 1];
  unsigned outside = 0; /* the columns that border=constant sets; one bit stands for each */
#pragma unroll
  for (int i = 0; i <= COLUMNS; i++) {
    const int x = i < COLUMNS ? left - RADIUS + i : is_first ? beside - RADIUS : beside + RADIUS;
    const int index = cc_border_index(x, job.src_width, launch.border);
    outside |= index < 0 ? 1u << i : 0;
    column[i] = max(index, 0);
  }
  /* all bits, or none for pixels outside of the source, whose magnitude is 0 */
  Sum inside[PIXELS + 1];
#pragma unroll
  for (int i = 0; i < PIXELS; i++)
    inside[i] = left + i < job.src_width ? ~(Sum)0 : 0;
  inside[PIXELS] = beside >= 0 && beside < job.src_width ? ~(Sum)0 : 0;

  RowSums sums[SIZE][PIXELS + 1] = {};    /* the last entry of a row is beside the strip */
  Gradient<Sum> gradient[2][PIXELS] = {}; /* of the row of the maxima and the row below */
  Sum magnitude[3][PIXELS + 2] = {};      /* of the row of the maxima and the rows beside it */
  /* Each function moves the rows by one. They are in registers, and with a period of three rows of
   * the loop below, they move without instructions. */
  const auto load = [&](int y) {
    const int row = cc_border_index(y, job.src_height, launch.border);
    int code[COLUMNS + 1];
#pragma unroll
    for (int i = 0; i <= COLUMNS; i++)
      code[i] = RGB ? luma_at<Sample, true>(launch, job, priv.luma, column[i], max(row, 0))
                    : component_at<Sample>(job, priv.luma, 0, column[i], max(row, 0));
    if (launch.border == CC_BORDER_CONSTANT) {
#pragma unroll
      for (int i = 0; i <= COLUMNS; i++)
        code[i] = row < 0 || outside >> i & 1 ? job.border_code[0] : code[i];
    }
#pragma unroll
    for (int r = 0; r + 1 < SIZE; r++)
#pragma unroll
      for (int i = 0; i <= PIXELS; i++)
        sums[r][i] = sums[r + 1][i];
#pragma unroll
    for (int i = 0; i < PIXELS; i++)
      sums[SIZE - 1][i] = sum_row<SIZE>(priv, &code[i + RADIUS]);
    int near[SIZE]; /* the window of the pixel beside the strip */
#pragma unroll
    for (int i = 0; i < SIZE; i++)
      near[i] =
          is_first ? code[i == 0 ? COLUMNS : i - 1] : code[i == SIZE - 1 ? COLUMNS : PIXELS + i];
    sums[SIZE - 1][PIXELS] = sum_row<SIZE>(priv, &near[RADIUS]);
  };
  const auto compute_gradients = [&](int y) {
    const auto sums_of = [&](int i) { return [&, i](int r) { return sums[RADIUS + r][i]; }; };
    Sum of_row[PIXELS + 1] = {};
#pragma unroll
    for (int i = 0; i < PIXELS; i++) {
      gradient[0][i] = gradient[1][i];
      gradient[1][i] = gradient_of<Sum, SIZE>(priv, sums_of(i));
    }
    if (y >= 0 && y < job.src_height) {
#pragma unroll
      for (int i = 0; i < PIXELS; i++)
        of_row[i] = magnitude_of(priv, gradient[1][i]) & inside[i];
      of_row[PIXELS] =
          magnitude_of(priv, gradient_of<Sum, SIZE>(priv, sums_of(PIXELS))) & inside[PIXELS];
    }
    const Sum before = shuffle_up(of_row[PIXELS - 1]), after = shuffle_down(of_row[0]);
#pragma unroll
    for (int i = 0; i < PIXELS + 2; i++) {
      magnitude[0][i] = magnitude[1][i];
      magnitude[1][i] = magnitude[2][i];
    }
#pragma unroll
    for (int i = 0; i < PIXELS; i++)
      magnitude[2][i + 1] = of_row[i];
    magnitude[2][0] = is_first ? of_row[PIXELS] : before;
    magnitude[2][PIXELS + 1] = is_last ? of_row[PIXELS] : after;
  };
  for (int y = top - 1 - RADIUS; y < top - 1 + RADIUS; y++)
    load(y);
  for (int y = top - 1; y <= top; y++) {
    load(y + RADIUS);
    compute_gradients(y);
  }
#pragma unroll UNROLL
  for (int n = 0; n < TILE; n++) {
    load(top + n + 1 + RADIUS);
    compute_gradients(top + n + 1);
    unsigned weak = 0, strong = 0;
    bool is_above = false;
#pragma unroll
    for (int i = 1; i <= PIXELS; i++)
      is_above |= magnitude[1][i] > (Sum)priv.low;
    if (__ballot_sync(ALL, is_above)) /* false for most rows of most images */
#pragma unroll
      for (int i = 0; i < PIXELS; i++) {
        const Axis axis(gradient[0][i].x, gradient[0][i].y);
        const Sum *above = &magnitude[0][i], *at = &magnitude[1][i], *below = &magnitude[2][i];
        const Sum before = axis.choose(at[0], above[1], above[2], above[0]);
        const Sum after = axis.choose(at[2], below[1], below[0], below[2]);
        const bool is_weak = at[1] > (Sum)priv.low &&
                             is_maximum(at[1], before, after, !axis.is_across && !axis.is_down);
        weak |= is_weak ? 1u << i : 0;
        strong |= is_weak && at[1] > (Sum)priv.high ? 1u << i : 0;
      }
    /* words of eight lanes each */
    unsigned both = (weak | strong << 16) << (lane % 4 * PIXELS);
    both |= __shfl_xor_sync(ALL, both, 1);
    both |= __shfl_xor_sync(ALL, both, 2);
    const unsigned other = __shfl_xor_sync(ALL, both, 4);
    if (lane % 8 == 0) {
      words[0][n][lane / 8] = (both & 0xffff) | other << 16;
      words[1][n][lane / 8] = both >> 16 | (other & 0xffff0000);
    }
  }
  __syncwarp();

  const Map map(launch);
#pragma unroll
  for (int tile = 0; tile < STRIP; tile++) {
    if (strip.tile_x + tile >= map.tiles_across)
      break;
    const unsigned weak = words[0][lane][tile];
    const unsigned strong = grow_tile(weak, words[1][lane][tile], lane);
    const int word = map.word(strip.tile_x + tile, top + lane);
    const unsigned rest = find_rest(weak & ~strong, lane);
    map.rest[word] = rest;
    map.strong[word] = strong;
    label_components(map, rest, word, lane);
  }
}

/* --- hysteresis across tiles --- */

/* Joins a run with the runs of another word that touch it. */
static __device__ __forceinline__ void
join_touching(const Map &map, unsigned node, unsigned touched, unsigned runs, int word) {
  while (runs & touched) {
    const unsigned run = take_run(runs);
    if (run & touched)
      join(map.label, node, node_of(word, run));
  }
}

static __device__ __forceinline__ void
hysteresis_of_tile(const Map &map, int tile_x, int y) {
  unsigned runs = map.load(map.rest, tile_x, y);
  if (!runs)
    return;
  unsigned strong = 0;
  for (int row = y - 1; row <= y + 1; row++)
    strong |= widen(map.load(map.strong, tile_x - 1, row), map.load(map.strong, tile_x, row),
                    map.load(map.strong, tile_x + 1, row));
  /* The runs above, and the one to the left. The other runs that touch find this run. */
  const unsigned above = map.load(map.rest, tile_x, y - 1);
  const unsigned above_left = map.load(map.rest, tile_x - 1, y - 1);
  const unsigned above_right = map.load(map.rest, tile_x + 1, y - 1);
  const unsigned left = map.load(map.rest, tile_x - 1, y);
  const int word = map.word(tile_x, y);
  while (runs) {
    const unsigned run = take_run(runs), node = node_of(word, run);
    if (run & strong)
      join(map.label, node, 0);
    if (y % TILE == 0) /* else in the same tile */
      join_touching(map, node, widen(0, run, 0), above, map.word(tile_x, y - 1));
    join_touching(map, node, run << 31, above_left, map.word(tile_x - 1, y - 1));
    join_touching(map, node, run >> 31, above_right, map.word(tile_x + 1, y - 1));
    join_touching(map, node, run << 31, left, map.word(tile_x - 1, y));
  }
}

static __device__ __forceinline__ void
hysteresis(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const Map map(launch);
  const Strip strip(launch);
  hysteresis_of_tile(map, strip.tile_x + threadIdx.y, strip.tile_y * TILE + threadIdx.x);
}

/* --- samples --- */

/* Four bytes of 0 or 1 from four bits. */
static __device__ __forceinline__ unsigned
bytes_of(unsigned bits) {
  return (bits * 0x00204081u) & 0x01010101u;
}

/* Each warp of a block looks up the roots of a tile. Then each writes some of the rows. */
template <typename Sample>
static __device__ __forceinline__ void
edges(const CcLaunch &launch) {
  __shared__ unsigned words[TILE][STRIP];
  allow_next_launch();
  wait_for_last_launch();
  const CcPlaneJob &job = launch.job[0];
  const CcCannyJob &priv = PRIVATE(job);
  const CcLumaSource &to = priv.luma;
  const Map map(launch);
  const Strip strip(launch);
  const int lane = threadIdx.x, warp = threadIdx.y, stride = launch.stride;
  const int left = strip.tile_x * TILE, top = strip.tile_y * TILE;
  unsigned made = map.load(map.strong, strip.tile_x + warp, top + lane);
  unsigned rest = map.load(map.rest, strip.tile_x + warp, top + lane);
  const int word = map.word(strip.tile_x + warp, top + lane);
  while (rest) {
    const unsigned run = take_run(rest);
    if (find_root(map.label, node_of(word, run)) == 0)
      made |= run;
  }
  words[lane][warp] = made;
  __syncthreads();
  /* a target may be smaller than its source */
  const int bottom = min(TILE, job.height * stride - top);
  if (sizeof(Sample) == 1 && stride == 1 && to.n == 1 && to.spacing[0] == 1 &&
      left + STRIP * TILE <= job.width && (to.address[0] + to.first[0]) % 4 == 0 &&
      to.pitch[0] % 4 == 0) {
    const unsigned black = priv.black * 0x01010101u;
    const unsigned difference = (unsigned)(priv.white - priv.black);
    unsigned char *row = (unsigned char *)to.address[0] + (long long)top * to.pitch[0] +
                         to.first[0] + left + 4 * lane;
    for (int y = warp; y < bottom; y += STRIP)
      *(unsigned *)(row + (long long)y * to.pitch[0]) =
          black + difference * bytes_of(words[y][lane / 8] >> (lane % 8 * 4) & 15);
    return;
  }
  for (int y = warp; y < bottom; y += STRIP) {
    if ((top + y) % stride)
      continue;
    const long long target_y = (top + y) / stride;
    for (int tile = 0; tile < STRIP; tile++) {
      const int x = left + tile * TILE + lane, target_x = x / stride;
      if (x % stride || target_x >= job.width)
        continue;
      const Sample made = (Sample)(words[y][tile] >> lane & 1 ? priv.white : priv.black);
      const int n = target_x == job.width - 1 ? 1 + priv.repeats : 1;
      for (int i = 0; i < to.n; i++) {
        Sample *sample = (Sample *)((char *)to.address[i] + target_y * to.pitch[i]) + to.first[i] +
                         (long long)target_x * to.spacing[i];
        for (int k = 0; k < n; k++)
          sample[k * to.spacing[i]] = made;
      }
    }
  }
}

/* --- the kernels --- */

/* A multiprocessor runs at least 16 blocks at a time. More registers for each thread would leave
 * too few warps to hide latency. */
#define SUPPRESS_ENTRY(name, ...)                                                                  \
  extern "C" __global__ void __launch_bounds__(TILE, 16)                                           \
      name(const __grid_constant__ CcLaunch launch) {                                              \
    __VA_ARGS__(launch);                                                                           \
  }
#define SUPPRESS_OF_SIZES(name, ...)                                                               \
  SUPPRESS_ENTRY(name##_3, suppress<__VA_ARGS__, 3>)                                               \
  SUPPRESS_ENTRY(name##_5, suppress<__VA_ARGS__, 5>)                                               \
  SUPPRESS_ENTRY(name##_7, suppress<__VA_ARGS__, 7>)

SUPPRESS_OF_SIZES(cc_suppress_u8_i32, unsigned char, int, false)
SUPPRESS_OF_SIZES(cc_suppress_u16_i32, unsigned short, int, false)
SUPPRESS_OF_SIZES(cc_suppress_u16_i64, unsigned short, long long, false)
SUPPRESS_OF_SIZES(cc_suppress_rgb_u8_i32, unsigned char, int, true)
SUPPRESS_OF_SIZES(cc_suppress_rgb_u16_i32, unsigned short, int, true)
SUPPRESS_OF_SIZES(cc_suppress_rgb_u16_i64, unsigned short, long long, true)
CC_ENTRY(cc_hysteresis, TILE *STRIP, hysteresis)
CC_ENTRY(cc_edges_u8, TILE *STRIP, edges<unsigned char>)
CC_ENTRY(cc_edges_u16, TILE *STRIP, edges<unsigned short>)
