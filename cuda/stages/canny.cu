/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Canny's edges in four launches. cc_canny_suppress_TYPE_SUM_SIZE finds the weak and strong pixels.
 * cc_canny_label grows the strong pixels of a tile. Components of weak pixels that are left, and
 * that reach the border of the tile, can be connected to strong pixels of other tiles. Their runs
 * are the nodes of a union-find forest, in which a component of a tile is a tree.
 * cc_canny_hysteresis joins the trees of runs that touch across tiles. Node 0 stands for all strong
 * pixels. cc_canny_edges_TYPE writes the samples: a run is an edge if its root is node 0. The time
 * does not depend on how long a line of weak pixels is. Source of the union by compare-and-swap: D.
 * P. Playne and K. Hawick, "A New Algorithm for Parallel Connected-Component Labelling on GPUs",
 * IEEE Transactions on Parallel and Distributed Systems 29(6), 2018. */

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

/* The neighbouring tiles that a block processes. The last ones of a row may not exist. */
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

/* A label is the number of a node that is closer to the root, or of the root itself. Node 0 has no
 * label. */
static __device__ __forceinline__ unsigned
label_of(const unsigned *label, unsigned node) {
  return node == 0 ? 0 : ((const volatile unsigned *)label)[node - 1];
}

/* Returns the root. `next` is the label of `node`. A thread may replace a label by a later node on
 * the same path at any time. */
static __device__ __forceinline__ unsigned
find_root(unsigned *label, unsigned node, unsigned next) {
  while (next != node) {
    const unsigned after = label_of(label, next);
    if (after == next)
      return next;
    ((volatile unsigned *)label)[node - 1] = after;
    node = after;
    next = label_of(label, node);
  }
  return node;
}

/* Joins two trees: the root with the higher number gets the other as its parent. */
static __device__ __forceinline__ void
join(unsigned *label, unsigned a, unsigned b) {
  for (;;) {
    const unsigned next_a = label_of(label, a), next_b = label_of(label, b); /* in parallel */
    a = find_root(label, a, next_a);
    b = find_root(label, b, next_b);
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

#define PIXELS 4 /* of a lane */

/* Keeps the compiler from replacing a branch that all lanes take by predicated instructions. They
 * would be issued for each row. */
static __device__ __forceinline__ void
keep_branch() {
  __syncwarp();
}

/* A warp computes the rows of a strip of STRIP tiles from top to bottom. A lane has PIXELS
 * neighbouring pixels of each row. The first and the last lane also compute the magnitude of the
 * pixel beside the strip. The lane keeps the sums of the last SIZE rows, and the magnitudes of the
 * last three. With FREE all windows of the strip and the row below them lie inside the source, and
 * samples lie side by side. Bit i of `weak` and `strong` is pixel PIXELS * i of row `lane`, of
 * `weak[k]` pixel PIXELS * i + k. */
template <typename Sample, typename Sum, bool RGB, int SIZE, bool FREE>
static __device__ __forceinline__ void
suppress_strip(const CcLaunch &launch, const Strip &strip, unsigned (&weak)[PIXELS],
               unsigned (&strong)[PIXELS]) {
  constexpr int RADIUS = SIZE / 2, COLUMNS = PIXELS + 2 * RADIUS, UNROLL = SIZE == 3 ? 3 : 1;
  const CcPlaneJob &job = launch.job[0];
  const CcCannyJob &priv = PRIVATE(job);
  const CcLumaSource &luma = priv.luma;
  const int lane = threadIdx.x;
  const int left = strip.tile_x * TILE + lane * PIXELS, top = strip.tile_y * TILE;
  /* the pixel beside the strip needs one column more than the pixels of its lane */
  const bool is_first = lane == 0, is_last = lane == TILE - 1;
  const int beside = is_first ? -1 : PIXELS,
            farthest = is_first ? beside - RADIUS : beside + RADIUS;

  int column[COLUMNS + 1]; /* of the source; the last one is `farthest` */
  unsigned outside = 0;    /* the columns that border=constant sets; one bit stands for each */
  /* all bits, or none for pixels outside of the source, whose magnitude is 0 */
  Sum inside[PIXELS + 1];
  const Sample *sample = NULL; /* with FREE: of column `left` of the row to load */
  if (FREE) {
    sample = (const Sample *)(luma.address[0] + (long long)(top - 1 - RADIUS) * luma.pitch[0]) +
             luma.first[0] + left;
  } else {
#pragma unroll
    for (int i = 0; i <= COLUMNS; i++) {
      const int x = left + (i < COLUMNS ? i - RADIUS : farthest);
      const int index = cc_border_index(x, job.src_width, launch.border);
      outside |= index < 0 ? 1u << i : 0;
      column[i] = max(index, 0);
    }
#pragma unroll
    for (int i = 0; i <= PIXELS; i++) {
      const int x = left + (i < PIXELS ? i : beside);
      inside[i] = x >= 0 && x < job.src_width ? ~(Sum)0 : 0;
    }
  }

  /* Each of these functions moves the rows by one. They are in registers, and with a period of
   * three rows of the loop below, they move without instructions. */
  int code[COLUMNS + 1]; /* of a row */
  const auto load = [&](int y) {
    if (FREE) {
#pragma unroll
      for (int i = 0; i <= COLUMNS; i++)
        code[i] = code_of(job, sample[i < COLUMNS ? i - RADIUS : farthest]);
      sample = (const Sample *)((const char *)sample + luma.pitch[0]);
      return;
    }
    const int row = cc_border_index(y, job.src_height, launch.border);
#pragma unroll
    for (int i = 0; i <= COLUMNS; i++)
      code[i] = RGB ? luma_at<Sample, true>(launch, job, luma, column[i], max(row, 0))
                    : component_at<Sample>(job, luma, 0, column[i], max(row, 0));
    if (launch.border == CC_BORDER_CONSTANT) {
      keep_branch();
#pragma unroll
      for (int i = 0; i <= COLUMNS; i++)
        code[i] = row < 0 || outside >> i & 1 ? job.border_code[0] : code[i];
    }
  };
  RowSums sums[SIZE][PIXELS + 1] = {}; /* the last entry of a row is beside the strip */
  const auto add_sums = [&] {
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
  Gradient<Sum> gradient[2][PIXELS + 1] = {}; /* of the row of the maxima and the row below */
  Sum magnitude[3][PIXELS + 2] = {};          /* of the row of the maxima and the rows beside it */
  const auto add_gradients = [&](int y) {
    Sum of_row[PIXELS + 1] = {};
#pragma unroll
    for (int i = 0; i <= PIXELS; i++) {
      gradient[0][i] = gradient[1][i];
      gradient[1][i] = gradient_of<Sum, SIZE>(priv, [&](int r) { return sums[RADIUS + r][i]; });
    }
    if (priv.is_l2) {
      keep_branch();
#pragma unroll
      for (int i = 0; i <= PIXELS; i++)
        of_row[i] = gradient[1][i].x * gradient[1][i].x + gradient[1][i].y * gradient[1][i].y;
    } else {
#pragma unroll
      for (int i = 0; i <= PIXELS; i++)
        of_row[i] = absolute(gradient[1][i].x) + absolute(gradient[1][i].y);
    }
    if (!FREE) {
      const bool is_inside = y >= 0 && y < job.src_height;
#pragma unroll
      for (int i = 0; i <= PIXELS; i++)
        of_row[i] = is_inside ? of_row[i] & inside[i] : 0;
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

  /* Makes the sums of row y. Loads the row below, so that other work hides the latency. For RGB
   * there are too few registers to do this. */
  const auto add_row = [&](int y) {
    if (RGB)
      load(y);
    add_sums();
    if (!RGB)
      load(y + 1);
  };

  if (!RGB)
    load(top - 1 - RADIUS);
#pragma unroll
  for (int n = -2 - 2 * RADIUS; n < 0; n++) {
    add_row(top + n + 1 + RADIUS);
    if (n >= -2)
      add_gradients(top + n + 1);
  }
#pragma unroll UNROLL
  for (int n = 0; n < TILE; n++) {
    add_row(top + n + 1 + RADIUS);
    add_gradients(top + n + 1);
    bool is_above = false;
#pragma unroll
    for (int i = 1; i <= PIXELS; i++)
      is_above |= magnitude[1][i] > (Sum)priv.low;
    if (!__ballot_sync(ALL, is_above)) /* most rows of most images */
      continue;
#pragma unroll
    for (int i = 0; i < PIXELS; i++) {
      const Axis axis(gradient[0][i].x, gradient[0][i].y);
      const Sum *above = &magnitude[0][i], *at = &magnitude[1][i], *below = &magnitude[2][i];
      const Sum before = axis.choose(at[0], above[1], above[2], above[0]);
      /* a magnitude may equal the one after it, unless the axis is diagonal */
      const Sum after = axis.choose(at[2] - 1, below[1] - 1, below[0], below[2]);
      const bool is_weak = (at[1] > (Sum)priv.low) & (at[1] > before) & (at[1] > after);
      const unsigned weak_lanes = __ballot_sync(ALL, is_weak);
      const unsigned strong_lanes = __ballot_sync(ALL, is_weak & (at[1] > (Sum)priv.high));
      weak[i] = lane == n ? weak_lanes : weak[i];
      strong[i] = lane == n ? strong_lanes : strong[i];
    }
  }
}

/* The word of a tile in a strip from the ballots of each of the pixels of a lane. */
static __device__ __forceinline__ unsigned
word_of_ballots(const unsigned (&ballot)[PIXELS], int tile) {
  unsigned word = 0;
#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    unsigned bits = ballot[i] >> 8 * tile & 0xff; /* move to every fourth place */
    bits = (bits | bits << 12) & 0x000f000f;
    bits = (bits | bits << 6) & 0x03030303;
    bits = (bits | bits << 3) & 0x11111111;
    word |= bits << i;
  }
  return word;
}

template <typename Sample, typename Sum, bool RGB, int SIZE>
static __device__ __forceinline__ void
suppress(const CcLaunch &launch) {
  constexpr int RADIUS = SIZE / 2;
  unsigned weak[PIXELS] = {}, strong[PIXELS] = {};
  const Strip strip(launch);
  const int left = strip.tile_x * TILE, top = strip.tile_y * TILE, lane = threadIdx.x;
  allow_next_launch();
  wait_for_last_launch();
  if (!RGB && PRIVATE(launch.job[0]).luma.spacing[0] == 1 &&
      is_inside(launch.job[0], left - 1 - RADIUS, top - 1 - RADIUS, left + STRIP * TILE + RADIUS,
                top + TILE + 1 + RADIUS))
    suppress_strip<Sample, Sum, RGB, SIZE, !RGB>(launch, strip, weak, strong);
  else
    suppress_strip<Sample, Sum, RGB, SIZE, false>(launch, strip, weak, strong);
  const Map map(launch);
#pragma unroll
  for (int tile = 0; tile < STRIP; tile++)
    if (strip.tile_x + tile < map.tiles_across) {
      const int word = map.word(strip.tile_x + tile, top + lane);
      map.rest[word] = word_of_ballots(weak, tile);
      map.strong[word] = word_of_ballots(strong, tile);
    }
}

/* --- components of a tile --- */

/* Grows the strong pixels of a tile. Each lane of a warp has a row. */
static __device__ __forceinline__ unsigned
grow_tile(unsigned weak, unsigned strong, int row) {
  bool changes = __ballot_sync(ALL, weak != strong) != 0;
  while (changes) {
    const unsigned above = __shfl_up_sync(ALL, strong, 1), below = __shfl_down_sync(ALL, strong, 1);
    const unsigned near = strong | (row > 0 ? above : 0) | (row < TILE - 1 ? below : 0);
    const unsigned grown = fill_runs(near | near << 1 | near >> 1, weak);
    changes = __ballot_sync(ALL, grown != strong) != 0;
    strong = grown;
  }
  return strong;
}

/* Makes a tree of each component of a tile that reaches the border: one of its runs is the root,
 * and the parent of all others. Other components cannot be connected to strong pixels. Each lane
 * has a row. Returns the pixels of the trees. */
static __device__ __forceinline__ unsigned
label_components(const Map &map, unsigned weak, int word, int row) {
  const unsigned border = row == 0 || row == TILE - 1 ? ALL : 0x80000001u;
  unsigned done = 0, lanes;
  while ((lanes = __ballot_sync(ALL, (weak & ~done & border) != 0)) != 0) {
    const int first = __ffs((int)lanes) - 1;
    const unsigned left = weak & ~done, at = left & border, pixel = at & -at;
    const unsigned seed = row == first ? fill_runs(pixel, left) : 0;
    const unsigned node = __shfl_sync(ALL, node_of(word, seed | 0x80000000u), first);
    unsigned runs = grow_tile(left, seed, row);
    done |= runs;
    while (runs)
      map.label[node_of(word, take_run(runs)) - 1] = node;
  }
  return done;
}

/* Each warp of a block has a tile. */
static __device__ __forceinline__ void
label(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const Map map(launch);
  const Strip strip(launch);
  const int row = threadIdx.x, tile_x = strip.tile_x + threadIdx.y;
  if (tile_x >= map.tiles_across)
    return;
  const int word = map.word(tile_x, strip.tile_y * TILE + row);
  const unsigned weak = map.rest[word], strong = grow_tile(weak, map.strong[word], row);
  map.rest[word] = label_components(map, weak & ~strong, word, row);
  map.strong[word] = strong;
}

/* --- hysteresis across tiles --- */

/* A weak or strong pixel of the map. The node of a strong one is 0. */
struct Pixel {
  bool exists;
  unsigned node;

  __device__ __forceinline__ Pixel(const Map &map, int x, int y) {
    const unsigned bit = 1u << (x & 31);
    const unsigned runs = map.load(map.rest, x >> 5, y);
    exists = (runs | map.load(map.strong, x >> 5, y)) & bit;
    /* the run begins after the last gap */
    const unsigned first = 32 - (unsigned)__clz((int)(~runs & (bit - 1)));
    node = runs & bit ? node_of(map.word(x >> 5, y), 1u << first) : 0;
  }
};

static __device__ __forceinline__ void
join_pixels(const Map &map, const Pixel &a, const Pixel &b) {
  if (a.exists && b.exists && a.node != b.node)
    join(map.label, a.node, b.node);
}

/* Two warps join the pixels of a tile with those of other tiles, above the first row and left of
 * the first column. A lane has a pixel of the row or column and its three neighbours. */
static __device__ __forceinline__ void
hysteresis(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const Map map(launch);
  const Strip strip(launch);
  const int lane = threadIdx.x, is_row = threadIdx.y & 1, is_column = !is_row;
  const int x = (strip.tile_x + (int)threadIdx.y / 2) * TILE + is_row * lane;
  const int y = strip.tile_y * TILE + is_column * lane;
  const Pixel pixel(map, x, y);
  if (!pixel.exists)
    return;
  const Pixel beside(map, x - is_column, y - is_row);
  if (beside.exists) { /* it is connected to the two others, if they exist */
    join_pixels(map, pixel, beside);
    return;
  }
  join_pixels(map, pixel, Pixel(map, x - 1, y - 1));
  join_pixels(map, pixel, is_row ? Pixel(map, x + 1, y - 1) : Pixel(map, x - 1, y + 1));
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
    const unsigned node = node_of(word, run);
    if (find_root(map.label, node, label_of(map.label, node)) == 0)
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

SUPPRESS_OF_SIZES(cc_canny_suppress_u8_i32, unsigned char, int, false)
SUPPRESS_OF_SIZES(cc_canny_suppress_u16_i32, unsigned short, int, false)
SUPPRESS_OF_SIZES(cc_canny_suppress_u16_i64, unsigned short, long long, false)
SUPPRESS_OF_SIZES(cc_canny_suppress_rgb_u8_i32, unsigned char, int, true)
SUPPRESS_OF_SIZES(cc_canny_suppress_rgb_u16_i32, unsigned short, int, true)
SUPPRESS_OF_SIZES(cc_canny_suppress_rgb_u16_i64, unsigned short, long long, true)
CC_ENTRY(cc_canny_label, TILE *STRIP, label)
CC_ENTRY(cc_canny_hysteresis, 2 * TILE * STRIP, hysteresis)
CC_ENTRY(cc_canny_edges_u8, TILE *STRIP, edges<unsigned char>)
CC_ENTRY(cc_canny_edges_u16, TILE *STRIP, edges<unsigned short>)
