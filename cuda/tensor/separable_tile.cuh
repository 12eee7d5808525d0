/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The tiles of separable.cu: finds the tile of a block, stages its source rows in shared memory
 * block by block, applies the border rule, and writes target bytes. Positions in rows are counted
 * in bytes. */

#include "grey.cuh"
#include "separable_kernels.h"

#define BLOCK_ROWS CC_TENSOR_SEPARABLE_BLOCK_ROWS
#define WORD 8 /* bytes that a thread stages or writes at once */

/* --- finding the tile --- */

/* A tile: a rectangle of the target that begins at byte x of row y. */
struct SeparableTile {
  const CcPlaneJob &job;
  int x, y, rows;
};

/* Tiles are moved as in place_tile. But here a tile extends beyond the target to complete its last
 * 16 bytes, instead of its last window. */
template <int BYTES, int TILE_BYTES>
static __device__ __forceinline__ SeparableTile
find_separable_tile(const CcLaunch &launch) {
  const CcPlaneJob &job = find_job(launch, blockIdx.x);
  const int index = blockIdx.x - job.first_tile, rows = PRIVATE(job).tall_rows;
  const int row = divide(index, job.tiles_across, PRIVATE(job).inverse);
  const int column = index - row * job.tiles_across;
  const int whole = (target_bytes<BYTES>(job) + 15) & -16;
  return {job, min(column * TILE_BYTES, max(whole - TILE_BYTES, 0)),
          min(row * rows, max(job.height - rows, 0)), rows};
}

/* --- reading --- */

/* Blocks of source rows in shared memory. One block is in use, and AHEAD blocks are being staged.
 * If bytes may be copied to the target, BLOCKS / 2 older blocks are kept, because the source rows
 * at the position of the target rows lie in the middle of the BLOCKS blocks. `taps` has FRAGMENTS
 * fragments of row taps for each step. */
template <int TILE_BYTES, int MAX_STEPS, int FRAGMENTS, int BLOCKS> struct StagedBlocks {
  /* for tall filter kernels, one block is enough; this leaves shared memory for more tiles */
  static constexpr int AHEAD = BLOCKS >= 5 ? 1 : 2;
  static constexpr int N = AHEAD + 1 + (CC_TENSOR_SEPARABLE_COPIES(BLOCKS) ? BLOCKS / 2 : 0);
  /* at least the last 32 bytes of a row are padding. With this pitch, copied words have few bank
   * conflicts */
  static constexpr int PITCH = ((TILE_BYTES + 32 * MAX_STEPS + 16 - 48 + 127) & -128) + 48;
  static_assert(PITCH % 32 == 16, "8 rows lie in different banks");

  alignas(16) unsigned char row[N][BLOCK_ROWS][PITCH];
  uint4 taps[MAX_STEPS * FRAGMENTS][32];
  uint64_t filtered, copied; /* see CcTensorSeparableTable */
  /* for each sample outside the source that is read, on the left and on the right: the source
   * sample that the border rule puts there, or -1 */
  int outside[2][CC_TENSOR_SEPARABLE_RADIUS_X(MAX_STEPS)];
};

/* The staged part of source rows. */
struct Span {
  int left, bytes;
  int radius; /* bytes on each side of the tile */
};

/* The number of bytes outside the source that a tile reads on the left (side 0) or right. */
template <int BYTES>
static __device__ __forceinline__ int
bytes_outside(const CcPlaneJob &job, const Span &span, int side) {
  if (side == 0)
    return -min(span.left, 0);
  const int row_bytes = source_bytes<BYTES>(job);
  return max(min(span.left + span.bytes - row_bytes, span.radius), 0);
}

/* Whether all bytes that a tile reads and writes lie inside the source and the target. `down`: the
 * number of rows that the tile reads above and below itself. */
template <int BYTES, int TILE_BYTES>
static __device__ __forceinline__ bool
is_free(const SeparableTile &tile, const Span &span, int down) {
  const CcPlaneJob &job = tile.job;
  return span.left >= 0 && span.left + span.bytes <= source_bytes<BYTES>(job) && tile.y >= down &&
         tile.y + tile.rows + down <= job.src_height &&
         tile.x + TILE_BYTES <= target_bytes<BYTES>(job) && tile.y + tile.rows <= job.height;
}

/* Stages a tile's source rows, block by block. Each thread copies words of each block: first words
 * within the width of the tile, then words at the end of rows. FREE: all bytes of the tile lie
 * inside the source and the target. */
template <int BYTES, int TILE_BYTES, bool FREE, typename Staged> struct Stager {
  static constexpr int THREADS = 32 * CC_TENSOR_SEPARABLE_WARPS, ACROSS = TILE_BYTES / WORD;
  static constexpr int EACH = THREADS / ACROSS; /* rows that the block's threads stage at once */
  static constexpr int ENDS = THREADS / BLOCK_ROWS; /* words at each row's end, staged at once */

  const CcLaunch &launch;
  const CcPlaneJob &job;
  const Span &span;
  Staged &staged;
  int top;    /* the first row of the next block */
  int slot;   /* index of the next block in staged.row */
  bool sides; /* whether the tile reads samples left or right of the source */
  /* only with FREE: the source addresses of the thread's first word of the next block, and of its
   * first word at the end of a row */
  const char *next, *next_end;

  static __device__ __forceinline__ int thread() {
    return 32 * threadIdx.y + threadIdx.x;
  }

  __device__ __forceinline__ Stager(const CcLaunch &l, const CcPlaneJob &p, const Span &s,
                                    int first, Staged &to)
      : launch(l), job(p), span(s), staged(to), top(first), slot(0), sides(false) {
    if (!FREE) {
      find_outside();
      return;
    }
    next = source_row<char>(job, top + thread() / ACROSS) + span.left + thread() % ACROSS * WORD;
    next_end = source_row<char>(job, top + thread() / ENDS) + span.left + TILE_BYTES +
               thread() % ENDS * WORD;
  }

  /* Starts to stage the next block. Without a next block, the thread ends an empty group, because
   * load_block counts groups. */
  __device__ __forceinline__ void start(bool exists) {
    if (exists && FREE)
      stage_inside();
    else if (exists)
      stage_block(top >= 0 && top + BLOCK_ROWS <= job.src_height);
    end_group();
    top += BLOCK_ROWS;
    slot = slot == Staged::N - 1 ? 0 : slot + 1;
  }

  __device__ __forceinline__ void stage_inside() {
    const long long pitch = job.src_pitch;
    unsigned char *to = &staged.row[slot][thread() / ACROSS][thread() % ACROSS * WORD];
#pragma unroll
    for (int i = 0; i < BLOCK_ROWS / EACH; i++, next += EACH * pitch)
      start_copy_of_part<WORD>(to + i * EACH * Staged::PITCH, next, WORD);
    unsigned char *end = &staged.row[slot][thread() / ENDS][TILE_BYTES];
#pragma unroll 1
    for (int k = thread() % ENDS * WORD; k < 2 * span.radius; k += ENDS * WORD)
      start_copy_of_part<WORD>(end + k, next_end + (k - thread() % ENDS * WORD), WORD);
    next_end += BLOCK_ROWS * pitch;
  }

  /* `inside`: all rows of the block lie in the source. */
  __device__ __forceinline__ void stage_block(bool inside) {
#pragma unroll 1
    for (int i = 0; i < BLOCK_ROWS / EACH; i++)
      stage_word(inside, thread() / ACROSS + i * EACH, thread() % ACROSS * WORD);
#pragma unroll 1
    for (int k = thread() % ENDS * WORD; k < 2 * span.radius; k += ENDS * WORD)
      stage_word(inside, thread() / ENDS, TILE_BYTES + k);
  }

  /* Rows above and below the source are replaced by the border rule. */
  __device__ __forceinline__ void stage_word(bool inside, int row, int byte) {
    const int at = span.left + byte;
    unsigned char *to = &staged.row[slot][row][byte];
    const int y = inside ? top + row : cc_border_index(top + row, job.src_height, launch.border);
    const int bytes = at < 0 ? 0 : min(max(source_bytes<BYTES>(job) - at, 0), WORD);
    if (y < 0)
      *(uint64_t *)to = PRIVATE(job).border[(unsigned)(at + 48 * WORD) / WORD % 3];
    else
      start_copy_of_part<WORD>(to, source_row<char>(job, y) + (bytes > 0 ? at : 0), bytes);
  }

  /* Converts pixels of four samples in block `i` to grey. Each thread converts the pixels that it
   * has staged. */
  __device__ __forceinline__ void make_own_grey(int i) {
    unsigned char(*row)[Staged::PITCH] = staged.row[i % Staged::N];
#pragma unroll
    for (int k = 0; k < BLOCK_ROWS / EACH; k++)
      make_grey<BYTES>(job, &row[thread() / ACROSS + k * EACH][thread() % ACROSS * WORD]);
#pragma unroll 1
    for (int k = thread() % ENDS * WORD; k < 2 * span.radius; k += ENDS * WORD)
      make_grey<BYTES>(job, &row[thread() / ENDS][TILE_BYTES + k]);
  }

  __device__ __forceinline__ void make_luma(int i) {
    make_rows_luma(job, staged.row[i % Staged::N][0], Staged::PITCH, BLOCK_ROWS, span.left,
                   span.bytes);
  }

  /* Looks up the samples outside the source by the border rule. Sets staged.outside and `sides`. */
  __device__ __forceinline__ void find_outside() {
#pragma unroll 1
    for (int side = 0; side < 2; side++) {
      const int samples = bytes_outside<BYTES>(job, span, side) / BYTES;
      const int first = side == 0 ? -samples : source_bytes<BYTES>(job) / BYTES;
      sides |= samples > 0;
#pragma unroll 1
      for (int i = thread(); i < samples; i += THREADS)
        staged.outside[side][i] = border_sample(launch, job, first + i);
    }
  }

  /* Writes the samples left and right of the source into block `i`. The block is staged and begins
   * with source row `first_row`. The samples that are copied there are nearly always staged. */
  __device__ __forceinline__ void stage_outside(int i, int first_row) {
    if (!sides)
      return;
    const int row = thread() % BLOCK_ROWS;
    unsigned char *to = staged.row[i % Staged::N][row] - span.left;
#pragma unroll 1
    for (int side = 0; side < 2; side++) {
      const int samples = bytes_outside<BYTES>(job, span, side) / BYTES;
      const int first = side == 0 ? -samples : source_bytes<BYTES>(job) / BYTES;
#pragma unroll 1
      for (int k = thread() / BLOCK_ROWS; k < samples; k += THREADS / BLOCK_ROWS)
        *(Stored<BYTES> *)(to + (first + k) * BYTES) =
            find_word(to, first + k, staged.outside[side][k], first_row + row);
    }
    __syncthreads();
  }

  /* The word for position `sample` outside the source: a copy of sample `x` of source row `y`, or
   * of the row that the border rule puts in place of row `y`. If `x` is negative, the word is the
   * constant border. `row` is the address of byte 0 of the staged row. At both ends of a staged
   * row, pixels of three bytes may still be unconverted, so they are read from the source. */
  __device__ __forceinline__ Stored<BYTES> find_word(const unsigned char *row, int sample, int x,
                                                     int y) const {
    const int inside = x * BYTES - span.left;
    const int end = PRIVATE(job).colors && job.step == 3 ? CC_TENSOR_CORE_LUMA_BYTES : 0;
    if (x < 0)
      return (Stored<BYTES>)(job.border_code[sample - pixel_of(job, sample) * job.step]
                             << job.shift);
    if (inside >= end && inside + BYTES <= span.bytes - end)
      return *(const Stored<BYTES> *)(row + x * BYTES);
    const int inner = cc_border_index(y, job.src_height, launch.border);
    return fetch_word<BYTES>(job, source_row<Stored<BYTES>>(job, inner), x);
  }
};

/* --- writing --- */

/* Replaces the unfiltered bytes in words of a row by copied bytes of `source` or by fill values. */
template <int COUNT>
static __device__ __forceinline__ void
merge_unfiltered(uint64_t filtered, uint64_t copied, uint64_t fill, const unsigned *source,
                 unsigned (&word)[COUNT]) {
  const uint64_t filled = fill & ~(filtered | copied);
#pragma unroll
  for (int i = 0; i < COUNT; i++) {
    const int down = 32 * (i % 2);
    word[i] = (word[i] & (unsigned)(filtered >> down)) | (source[i] & (unsigned)(copied >> down)) |
              (unsigned)(filled >> down);
  }
}

/* Writes BYTES bytes of a row, 8 or 16. Only the first `left` bytes lie in the target. */
template <int BYTES>
static __device__ __forceinline__ void
store_words(char *to, int left, const unsigned (&word)[BYTES / 4]) {
  if (left >= BYTES && BYTES == 16)
    *(uint4 *)to = make_uint4(word[0], word[1], word[BYTES / 4 - 2], word[BYTES / 4 - 1]);
  else if (left >= BYTES)
    *(uint2 *)to = make_uint2(word[0], word[1]);
  else
#pragma unroll
    for (int i = 0; i < BYTES - 1; i++)
      if (i < left)
        to[i] = (char)(word[i / 4] >> 8 * (i % 4));
}
