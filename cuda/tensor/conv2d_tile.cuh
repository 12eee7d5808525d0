/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The tiles of conv2d.cu: finds the tile of a block, stages its source bytes in shared memory,
 * applies the border rule, and writes target bytes. Positions in rows are counted in bytes. */

#include "cuda/instructions.cuh"
#include "conv2d_kernels.h"
#include "cuda/tile.cuh"

/* The private data of a plane job. As a function this would compile to more instructions. */
#define PRIVATE(job) (*CC_PRIVATE(const CcTensorCoreJob, &(job)))

template <int BYTES> using Stored = std::conditional_t<BYTES == 1, unsigned char, unsigned short>;

template <int BYTES>
static __device__ __forceinline__ int
source_bytes(const CcPlaneJob &job) {
  return job.src_width * job.step * BYTES;
}

template <int BYTES>
static __device__ __forceinline__ int
target_bytes(const CcPlaneJob &job) {
  return job.width * job.step * BYTES;
}

/* --- finding the tile --- */

/* A tile: a rectangle of the target that begins at byte x of row y. The functions warp_...() and
 * span_...() describe the part of the tile that a warp computes. If STRIDE is 0, the stride is a
 * parameter of the launch. */
template <int STRIDE> struct ByteTile {
  const CcPlaneJob &job;
  int launch_stride;
  int x, y;
  int spans; /* 1 or 2 */

  __device__ __forceinline__ int stride() const {
    return STRIDE ? STRIDE : launch_stride;
  }
  __device__ __forceinline__ int down() const {
    return stride() >> 1; /* the binary logarithm of the stride, which is 1, 2 or 4 */
  }
  __device__ __forceinline__ int bytes() const {
    return CC_TENSOR_CORE_TILE_BYTES >> down();
  }
  __device__ __forceinline__ int span_bytes() const {
    return CC_TENSOR_CORE_SPAN_BYTES >> down();
  }
  __device__ __forceinline__ int span_rows() const {
    return CC_TENSOR_CORE_SPAN_ROWS >> down();
  }
  __device__ __forceinline__ int warp_rows() const {
    return spans * span_rows();
  }
  __device__ __forceinline__ int rows() const {
    return CC_TENSOR_CORE_WARPS_DOWN * warp_rows();
  }

  __device__ __forceinline__ int warp_x() const {
    return threadIdx.y % CC_TENSOR_CORE_WARPS_ACROSS * span_bytes();
  }
  __device__ __forceinline__ int warp_y() const {
    return threadIdx.y / CC_TENSOR_CORE_WARPS_ACROSS * warp_rows();
  }
};

/* Returns n / d, rounded down. `inverse` is about 2^32 / d, but never greater. */
static __device__ __forceinline__ int
divide(int n, int d, unsigned inverse) {
  const int q = (int)__umulhi((unsigned)n, inverse); /* correct or 1 too small */
  return n - q * d >= d ? q + 1 : q;
}

/* A tile that would extend beyond the target's end is moved left or up. Some bytes are then written
 * by two tiles. A tile still extends beyond the target if the target is smaller than a tile, or to
 * complete the last window of the tile. */
template <int BYTES, typename Tile>
static __device__ __forceinline__ void
place_tile(Tile &tile) {
  const CcPlaneJob &job = tile.job;
  const int index = blockIdx.x - job.first_tile;
  const int row = divide(index, job.tiles_across, PRIVATE(job).inverse);
  const int column = index - row * job.tiles_across;
  const int centre = CC_TENSOR_CORE_CENTRE(32) >> tile.down();
  const int whole = (target_bytes<BYTES>(job) + centre - 1) & -centre;
  tile.x = min(column * tile.bytes(), max(whole - tile.bytes(), 0));
  tile.spans = row < PRIVATE(job).tall_rows ? 2 : 1;
  const int y =
      (row + min(row, PRIVATE(job).tall_rows)) * (CC_TENSOR_CORE_TILE_ROWS >> tile.down());
  tile.y = min(y, max(job.height - tile.rows(), 0));
}

template <int BYTES>
static __device__ __forceinline__ ByteTile<1>
find_byte_tile(const CcLaunch &launch) {
  ByteTile<1> tile = {find_job(launch, blockIdx.x), launch.stride, 0, 0, 0};
  place_tile<BYTES>(tile);
  return tile;
}

template <int BYTES, typename Tile>
static __device__ __forceinline__ bool
is_write_free(const Tile &tile) {
  return tile.x + tile.bytes() <= target_bytes<BYTES>(tile.job) &&
         tile.y + tile.rows() <= tile.job.height;
}

/* --- reading --- */

/* Source rows are staged in vectors of 16 bytes, from one vector left of the tile to one right of
 * it. */
#define VECTOR 16
#define STAGED_BYTES (CC_TENSOR_CORE_TILE_BYTES + 2 * VECTOR)

/* The source rows that a tile stages for a filter kernel of HEIGHT rows. */
template <int HEIGHT> struct Staged {
  static constexpr int MIN_ROWS = CC_TENSOR_CORE_TILE_ROWS - 1 + HEIGHT; /* for 1 span */
  static constexpr int MAX_ROWS = MIN_ROWS + CC_TENSOR_CORE_TILE_ROWS;   /* for 2 spans */

  alignas(VECTOR) unsigned char row[MAX_ROWS][STAGED_BYTES];

  /* width: staged bytes of a row. margin: staged bytes to the left of the tile. radius: bytes on
   * each side of the tile that are read. above: staged rows above the tile. */
  static __device__ __forceinline__ constexpr int width() {
    return STAGED_BYTES;
  }
  static __device__ __forceinline__ constexpr int margin() {
    return VECTOR;
  }
  static __device__ __forceinline__ constexpr int radius() {
    return CC_TENSOR_CORE_MAX_RADIUS;
  }
  static __device__ __forceinline__ constexpr int above() {
    return HEIGHT / 2;
  }
  static __device__ __forceinline__ int rows(const ByteTile<1> &tile) {
    return MIN_ROWS + (tile.spans - 1) * CC_TENSOR_CORE_TILE_ROWS;
  }
};

/* Waits for the copies of all threads of the block. */
static __device__ __forceinline__ void
finish_copies() {
  finish_own_copies();
  __syncthreads();
}

/* One warp stages the first VECTORS vectors of a row. The remaining vectors of all rows are
 * distributed among all threads. */
#define VECTORS 32

/* Calls copy(row, byte) for the thread's share of the remaining vectors of `rows` rows. */
template <int HEIGHT, typename Copy>
static __device__ __forceinline__ void
for_vectors_left(const Staged<HEIGHT> &staged, int rows, Copy copy) {
  constexpr int LEFT = STAGED_BYTES / VECTOR - VECTORS;
  const int thread = 32 * threadIdx.y + threadIdx.x;
  static_assert(LEFT * staged.MAX_ROWS <= 32 * CC_TENSOR_CORE_WARPS, "at most one for each thread");
  if (thread < LEFT * rows)
    copy(thread / LEFT, VECTOR * (VECTORS + thread % LEFT));
}

/* Calls copy(row, byte) for all vectors of the thread. */
template <typename Rows, typename Copy>
static __device__ __forceinline__ void
for_vectors(const Rows &staged, int rows, Copy copy) {
#pragma unroll 4
  for (int row = threadIdx.y; row < rows; row += CC_TENSOR_CORE_WARPS)
    copy(row, VECTOR * threadIdx.x);
  for_vectors_left(staged, rows, copy);
}

/* Stages rows that lie inside the source. `from` is the first byte to stage. The distance between a
 * thread's vectors is constant, which saves most of the address arithmetic. */
template <int HEIGHT>
static __device__ __forceinline__ void
stage_inside(const ByteTile<1> &tile, const char *from, Staged<HEIGHT> &staged) {
  constexpr int ROWS = CC_TENSOR_CORE_TILE_ROWS, EACH = ROWS / CC_TENSOR_CORE_WARPS;
  const int lane = threadIdx.x, warp = threadIdx.y, pitch = tile.job.src_pitch;
  const long long distance = (long long)CC_TENSOR_CORE_WARPS * pitch;
  const char *vector = from + (long long)warp * pitch + VECTOR * lane;
  unsigned char *to = &staged.row[warp][VECTOR * lane];
  const auto copy = [&] {
    start_copy(to, vector);
    to += CC_TENSOR_CORE_WARPS * STAGED_BYTES;
    vector += distance;
  };
#pragma unroll 1
  for (int span = 0; span < tile.spans; span++)
#pragma unroll
    for (int i = 0; i < EACH; i++)
      copy();
#pragma unroll
  for (int row = 0; row < staged.MIN_ROWS - ROWS; row += CC_TENSOR_CORE_WARPS)
    if (row + warp < staged.MIN_ROWS - ROWS)
      copy();
  for_vectors_left(staged, staged.rows(tile), [&](int row, int byte) {
    start_copy(&staged.row[row][byte], from + (long long)row * pitch + byte);
  });
}

/* The index of the pixel that contains sample `n` of a row. `n` may be negative, by at most a
 * radius. */
static __device__ __forceinline__ int
pixel_of(const CcPlaneJob &job, int n) {
  constexpr int up = 16 * VECTOR; /* makes all values positive; 3 * up is divisible by 1 to 4 */
  const unsigned positive = (unsigned)(n + 3 * up);
  const unsigned pixel = job.step == 3 ? positive / 3 : positive >> (job.step >> 1);
  const unsigned zero = job.step == 3 ? up : 3 * up >> (job.step >> 1);
  return (int)(pixel - zero);
}

/* The source sample that the border rule puts at position `sample` of a row. -1: the border is
 * constant. In 4:2:2 rows, which have whole macropixels here, luma samples are two samples
 * apart. */
static __device__ __forceinline__ int
border_sample(const CcLaunch &launch, const CcPlaneJob &job, int sample) {
  const int group = pixel_of(job, sample), component = sample - group * job.step;
  if (PRIVATE(job).macropixel_luma >> component & 1) {
    const int first = component & 1;
    const int x = cc_border_index((sample - first) >> 1, 2 * job.src_width, launch.border);
    return x < 0 ? -1 : 2 * x + first;
  }
  const int x = cc_border_index(group, job.src_width, launch.border);
  return x < 0 ? -1 : x * job.step + component;
}

/* The luma of a group of 3 or 4 bytes. Byte LUMA_BYTE of the result is the luma. The bytes below
 * are the fraction of the luma. */
#define LUMA_BYTE 2
static __device__ __forceinline__ unsigned
weigh_group(const CcPlaneJob &job, unsigned group) {
  static_assert(CC_LUMA_SHIFT == 8 * LUMA_BYTE, "the luma is a byte");
  const auto weights = [&](int i) {
    const unsigned both = PRIVATE(job).weights[i];
    return make_ushort2((unsigned short)both, (unsigned short)(both >> 16));
  };
  const uchar4 bytes = make_uchar4((unsigned char)group, (unsigned char)(group >> 8),
                                   (unsigned char)(group >> 16), (unsigned char)(group >> 24));
  return __dp2a_hi(weights(1), bytes, __dp2a_lo(weights(0), bytes, CC_LUMA_HALF));
}

/* Starts to stage the source rows of a tile. The border rule replaces rows above and below the
 * source. Bytes left and right of the source are not staged here, see stage_sides. */
template <int BYTES, typename Tile, typename Rows>
static __device__ __forceinline__ void
stage_rows(const CcLaunch &launch, const Tile &tile, Rows &staged) {
  const CcPlaneJob &job = tile.job;
  const int left = tile.stride() * tile.x - staged.margin();
  const int top = tile.stride() * tile.y - staged.above();
  const int rows = staged.rows(tile), row_bytes = source_bytes<BYTES>(job);
  if (left >= 0 && left + staged.width() <= row_bytes && top >= 0 && top + rows <= job.src_height) {
    stage_inside(tile, source_row<char>(job, top) + left, staged);
    return;
  }
  for_vectors(staged, rows, [&](int row, int byte) {
    const int at = left + byte, bytes = row_bytes - at;
    const int y = cc_border_index(top + row, job.src_height, launch.border);
    unsigned char *to = &staged.row[row][byte];
    if (at < 0 || bytes <= 0)
      return;
    const char *from = source_row<char>(job, max(y, 0)) + at;
    if (y < 0)
      for (int i = 0; i < VECTOR; i += 8)
        *(uint64_t *)(to + i) = PRIVATE(job).border[(unsigned)(at + i) / 8 % 3];
    else if (bytes >= VECTOR)
      start_copy(to, from);
    else
      start_copy_of_part<VECTOR>(to, from, bytes);
  });
}

/* The luma of a pixel of four samples of two bytes. */
static __device__ __forceinline__ unsigned
luma_of_words(const CcPlaneJob &job, uint2 pixel) {
  const unsigned low = PRIVATE(job).weights[0], high = PRIVATE(job).weights[1];
  const unsigned luma = CC_LUMA_HALF + (pixel.x & 0xFFFF) * (low & 0xFFFF) +
                        (pixel.x >> 16) * (low >> 16) + (pixel.y & 0xFFFF) * (high & 0xFFFF) +
                        (pixel.y >> 16) * (high >> 16);
  return luma >> CC_LUMA_SHIFT;
}

/* The luma of a pixel that begins with sample `first` of a row. The pixel has three samples, or
 * four if `has_four`. */
template <int BYTES>
static __device__ __forceinline__ Stored<BYTES>
fetch_luma(const CcPlaneJob &job, const Stored<BYTES> *row, int first, bool has_four) {
  const Stored<BYTES> *of = row + first;
  if (BYTES == 2) {
    const uint2 both = {__ldg(of) | (unsigned)__ldg(of + 1) << 16,
                        __ldg(of + 2) | (unsigned)__ldg(of + 3) << 16};
    return (Stored<BYTES>)luma_of_words(job, both);
  }
  unsigned pixel = __ldg(of) | (unsigned)__ldg(of + 1) << 8 | (unsigned)__ldg(of + 2) << 16;
  if (has_four)
    pixel |= (unsigned)__ldg(of + 3) << 24;
  return (Stored<BYTES>)(weigh_group(job, pixel) >> CC_LUMA_SHIFT);
}

/* The stored word of sample x of a row, or the pixel's luma if the sample is a color that is
 * converted to luma. */
template <int BYTES>
static __device__ __forceinline__ Stored<BYTES>
fetch_word(const CcPlaneJob &job, const Stored<BYTES> *row, int x) {
  const int first = pixel_of(job, x) * job.step;
  if (!(PRIVATE(job).colors >> 8 * (x - first) & 0xFF))
    return __ldg(row + x);
  return fetch_luma<BYTES>(job, row, first, job.step == 4);
}

/* Writes the samples on one side of the source into the staged rows, by the border rule. The first
 * such sample is at byte `from` of a source row. PIXELS: the samples may be luma of pixels. A lane
 * writes one sample of each row of its warp. The source samples that the border rule copies are
 * nearly always staged. If not, they are read from the source. */
template <int BYTES, bool PIXELS, typename Tile, typename Rows>
static __device__ __forceinline__ void
stage_side(const CcLaunch &launch, const Tile &tile, int from, Rows &staged) {
  typedef Stored<BYTES> Sample;
  const CcPlaneJob &job = tile.job;
  const int left = tile.stride() * tile.x - staged.margin(), rows = staged.rows(tile);
  const int sample = from / BYTES + threadIdx.x, to = sample * BYTES - left;
  if (threadIdx.x >= staged.radius() / BYTES || to < 0 || to + BYTES > staged.width())
    return;
  const int component = sample - pixel_of(job, sample) * job.step;
  const int x = border_sample(launch, job, sample);
  const int inside = x * BYTES - left;
  const bool is_staged = inside >= 0 && inside + BYTES <= staged.width();
#pragma unroll 2
  for (int row = threadIdx.y; row < rows; row += CC_TENSOR_CORE_WARPS) {
    Sample word = (Sample)(job.border_code[component] << job.shift);
    if (x >= 0 && is_staged) {
      word = *(const Sample *)&staged.row[row][inside];
    } else if (x >= 0) {
      const int top = tile.stride() * tile.y - staged.above();
      const int y = cc_border_index(top + row, job.src_height, launch.border);
      const Sample *from = source_row<Sample>(job, y);
      if (PIXELS && PRIVATE(job).pixel)
        word = fetch_luma<BYTES>(job, from, x * PRIVATE(job).pixel, PRIVATE(job).pixel == 4);
      else
        word = fetch_word<BYTES>(job, from, x);
    }
    *(Sample *)&staged.row[row][to] = word;
  }
}

template <int BYTES, bool PIXELS, typename Tile, typename Rows>
static __device__ __forceinline__ void
stage_sides(const CcLaunch &launch, const Tile &tile, Rows &staged) {
  const int row_bytes = source_bytes<BYTES>(tile.job);
  const int left = tile.stride() * tile.x - staged.margin();
  const bool at_left = tile.stride() * tile.x < staged.radius();
  const bool at_right = left + staged.width() > row_bytes;
  if (!at_left && !at_right)
    return;
#pragma unroll 1
  for (int side = at_left ? 0 : 1; side <= (at_right ? 1 : 0); side++)
    stage_side<BYTES, PIXELS>(launch, tile, side == 0 ? -staged.radius() : row_bytes, staged);
  __syncthreads();
}

/* Clears the bits of staged words of two bytes that are not part of the code value. */
template <typename Tile, typename Rows>
static __device__ __forceinline__ void
keep_code_bits(const Tile &tile, Rows &staged) {
  const unsigned mask = (0xFFFFu << tile.job.shift & 0xFFFFu) * 0x10001u;
  unsigned *word = (unsigned *)staged.row[0];
  const int words = staged.rows(tile) * (int)(sizeof staged.row[0] / 4);
#pragma unroll 2
  for (int i = 32 * threadIdx.y + threadIdx.x; i < words; i += 32 * CC_TENSOR_CORE_WARPS)
    word[i] &= mask;
  __syncthreads();
}

/* The operand of a product: a lane's bytes of 16 windows. With windows of 32 bytes, lane 4g + t has
 * bytes 4t to 4t + 3 of windows g and g + 8, then bytes 16 + 4t to 19 + 4t of both windows. With
 * windows of 16 bytes, lane 4g + t has bytes 4t to 4t + 3 of windows g and g + 8 in one row, then
 * the same bytes in the next row. */
struct Windows {
  unsigned word[4];
};

/* Loads a lane's bytes of one staged row, or of two if WINDOW is 16. The first window begins at
 * `from`. */
template <int WINDOW>
static __device__ __forceinline__ Windows
load_windows(const unsigned char *from) {
  constexpr int centre = CC_TENSOR_CORE_CENTRE(WINDOW);
  const int g = threadIdx.x >> 2, t = threadIdx.x & 3;
  const unsigned *first = (const unsigned *)(from + centre * g + 4 * t);
  const unsigned *second = first + (WINDOW == 32 ? 16 : STAGED_BYTES) / 4;
  return {first[0], first[8 * centre / 4], second[0], second[8 * centre / 4]};
}

/* Loads one row of Windows for windows of 16 bytes. `from` is the lane's first byte of
 * window g. */
static __device__ __forceinline__ void
load_row_of_windows(Windows &windows, int half, const unsigned char *from) {
  const unsigned *first = (const unsigned *)from;
  windows.word[2 * half] = first[0];
  windows.word[2 * half + 1] = first[8 * CC_TENSOR_CORE_CENTRE(16) / 4];
}

/* --- writing --- */

/* Writes a lane's N bytes of a window, 2 or 4. Only the first `left` bytes lie in the target. */
template <int N>
static __device__ __forceinline__ void
store_bytes(char *to, int left, unsigned word) {
  if (left >= N && N == 4)
    *(unsigned *)to = word;
  else if (left >= N)
    *(unsigned short *)to = (unsigned short)word;
  else
#pragma unroll
    for (int i = 0; i < N - 1; i++)
      if (i < left)
        to[i] = (char)(word >> 8 * i);
}

/* Copies and fills a warp's part of a plane job that filters nothing. The part has bytes left to
 * right - 1 of every EVERY-th row from `top` to bottom - 1. */
template <int BYTES, int EVERY>
static __device__ __forceinline__ void
copy_or_fill_rows(const CcLaunch &launch, const CcPlaneJob &job, int left, int right, int top,
                  int bottom) {
  const int all = (1 << job.step) - 1, end = min(right, target_bytes<BYTES>(job));
  const bool in_words = launch.stride == 1 && left % 8 == 0 &&
                        (job.copy_mask == all || (job.fill_mask == all && job.step != 3));
  /* bytes before `rest` are written as words, the others sample by sample */
  const int rest = in_words ? max(left, end & -8) : left;
  bottom = min(bottom, job.height);
#pragma unroll 1
  for (int at = left + 8 * threadIdx.x; at < rest; at += 8 * 32)
#pragma unroll 8
    for (int y = top; y < bottom; y += EVERY)
      *(uint64_t *)(target_row<char>(job, y) + at) =
          job.copy_mask ? __ldg((const unsigned long long *)(source_row<char>(job, y) + at))
                        : PRIVATE(job).fill;
#pragma unroll 1
  for (int i = rest / BYTES + threadIdx.x; i < end / BYTES; i += 32) {
    const int x = pixel_of(job, i), component = i - x * job.step;
#pragma unroll 4
    for (int y = top; y < bottom; y += EVERY)
      store_unfiltered<Stored<BYTES>>(launch, job, x, y, component);
  }
}

template <int BYTES, typename Tile>
static __device__ __forceinline__ void
copy_or_fill_tile(const CcLaunch &launch, const Tile &tile) {
  const int left = tile.x + tile.warp_x(), top = tile.y + tile.warp_y();
  copy_or_fill_rows<BYTES, 1>(launch, tile.job, left, left + tile.span_bytes(), top,
                              top + tile.warp_rows());
}
