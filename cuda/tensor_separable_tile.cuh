/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The tiles of tensor_separable.cu: which one a block has, how its source rows get into shared
 * memory by the border rule, block by block, and what is written. Bytes are counted within rows. */

#include "tensor_core_tile.cuh"
#include "tensor_separable_kernels.h"

#define BLOCK_ROWS CC_TENSOR_SEPARABLE_BLOCK_ROWS
#define WORD 8 /* bytes that are copied, and written, at once */

/* --- which tile --- */

/* A rectangle of the target, from byte x of row y on. */
struct SeparableTile {
  const CcPart &part;
  int x, y, rows;
};

/* The block's tile. One that would reach beyond the target's end begins further left or up, and
 * writes what another writes as well; only in small targets does it reach out, or to fill up its
 * last bytes. */
template <int BYTES, int TILE_BYTES>
static __device__ __forceinline__ SeparableTile
find_separable_tile(const CcLaunch &launch) {
  const CcPart &part = find_part(launch, blockIdx.x);
  const int index = blockIdx.x - part.first_tile, rows = OWN(part).tall_rows;
  const int row = divide(index, part.tiles_across, OWN(part).inverse);
  const int column = index - row * part.tiles_across;
  const int whole = (target_bytes<BYTES>(part) + 15) & -16;
  return {part, min(column * TILE_BYTES, max(whole - TILE_BYTES, 0)),
          min(row * rows, max(part.height - rows, 0)), rows};
}

/* --- reading --- */

/* Blocks of source rows in shared memory: one in work, and those that are on their way. */
template <int TILE_BYTES, int MOST_STEPS> struct StagedBlocks {
  static constexpr int N = 4;
  static constexpr int PITCH = TILE_BYTES + 32 * MOST_STEPS - 16;
  static_assert(PITCH % 32 == 16, "8 rows lie in different banks");

  alignas(16) unsigned char row[N][BLOCK_ROWS][PITCH];
};

/* What of a block is staged. */
struct Span {
  int left, bytes; /* of source rows */
};

static __device__ __forceinline__ void
start_copy_of_word(unsigned char *to, const char *from) {
#if __CUDA_ARCH__ >= 800
  const unsigned address = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(address), "l"(from) : "memory");
#else
  *(uint2 *)to = __ldg((const uint2 *)from);
#endif
}

/* Copies the first `bytes` bytes, below 8, of a word; what becomes of the others is open. */
static __device__ __forceinline__ void
copy_part_of_word(unsigned char *to, const char *from, int bytes) {
  for (int i = 0; i < bytes; i++)
    to[i] = __ldg((const unsigned char *)from + i);
}

/* Ends a group of copies, one for each block of rows. */
static __device__ __forceinline__ void
end_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits for the thread's own copies of all groups but the last LEFT. */
template <int LEFT>
static __device__ __forceinline__ void
wait_for_groups() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}

/* Starts to stage BLOCK_ROWS source rows from row `top` on, and what the border rule puts in the
 * place of those above and below the source. */
template <int BYTES, int PITCH>
static __device__ __forceinline__ void
stage_block(const CcLaunch &launch, const CcPart &part, const Span &span, int top,
            unsigned char (*to)[PITCH]) {
  const int row_bytes = source_bytes<BYTES>(part);
  if (span.left >= 0 && span.left + span.bytes <= row_bytes && top >= 0 &&
      top + BLOCK_ROWS <= part.src_height) {
    const char *from = source_row<char>(part, top + threadIdx.y) + span.left + WORD * threadIdx.x;
    const long long distance = (long long)CC_TENSOR_SEPARABLE_WARPS * part.src_pitch;
#pragma unroll
    for (int row = 0; row < BLOCK_ROWS; row += CC_TENSOR_SEPARABLE_WARPS, from += distance)
#pragma unroll 1
      for (int byte = 0; byte < span.bytes - WORD * threadIdx.x; byte += 32 * WORD)
        start_copy_of_word(&to[row + threadIdx.y][WORD * threadIdx.x + byte], from + byte);
    return;
  }
#pragma unroll 1
  for (int row = threadIdx.y; row < BLOCK_ROWS; row += CC_TENSOR_SEPARABLE_WARPS) {
    const int y = cc_border_index(top + row, part.src_height, launch.border);
    const char *from = source_row<char>(part, max(y, 0));
#pragma unroll 1
    for (int byte = WORD * threadIdx.x; byte < span.bytes; byte += 32 * WORD) {
      const int at = span.left + byte, bytes = row_bytes - at;
      if (at < 0 || bytes <= 0)
        continue;
      if (y < 0)
        *(uint64_t *)&to[row][byte] = OWN(part).border[(unsigned)at / 8 % 3];
      else if (bytes >= WORD)
        start_copy_of_word(&to[row][byte], from + at);
      else
        copy_part_of_word(&to[row][byte], from + at, bytes);
    }
  }
}

/* Puts what the border rule says beside a staged block: the bytes from `from` to `end`, which are
 * outside. What they repeat is nearly always staged. */
template <int BYTES, int PITCH>
static __device__ __forceinline__ void
stage_outside(const CcLaunch &launch, const CcPart &part, const Span &span, int top, int from,
              int end, unsigned char (*to)[PITCH]) {
  typedef Stored<BYTES> Sample;
#pragma unroll 1
  for (int sample = from / BYTES + threadIdx.x; sample < end / BYTES; sample += 32) {
    const int component = sample - pixel_of(part, sample) * part.step;
    const int x = border_sample(launch, part, sample);
    const int inside = x * BYTES - span.left;
    const bool is_staged = inside >= 0 && inside + BYTES <= span.bytes;
#pragma unroll 1
    for (int row = threadIdx.y; row < BLOCK_ROWS; row += CC_TENSOR_SEPARABLE_WARPS) {
      Sample word = (Sample)(part.border_code[component] << part.shift);
      if (x >= 0 && is_staged)
        word = *(const Sample *)&to[row][inside];
      else if (x >= 0)
        word = __ldg(
            source_row<Sample>(part, cc_border_index(top + row, part.src_height, launch.border)) +
            x);
      *(Sample *)&to[row][sample * BYTES - span.left] = word;
    }
  }
}

/* Whether a tile has sides that are outside. */
template <int BYTES>
static __device__ __forceinline__ bool
has_sides(const CcPart &part, const Span &span) {
  return span.left < 0 || span.left + span.bytes > source_bytes<BYTES>(part);
}

/* Puts what is outside on the left and right beside a staged block. `reach`: how far that is read.
 */
template <int BYTES, int PITCH>
static __device__ __forceinline__ void
stage_both_sides(const CcLaunch &launch, const CcPart &part, const Span &span, int top, int reach,
                 unsigned char (*to)[PITCH]) {
  const int row_bytes = source_bytes<BYTES>(part);
  if (span.left < 0)
    stage_outside<BYTES>(launch, part, span, top, span.left, 0, to);
  stage_outside<BYTES>(launch, part, span, top, max(row_bytes, span.left),
                       min(row_bytes + reach, span.left + span.bytes), to);
  __syncthreads();
}

/* --- writing --- */

/* Puts what is copied and filled into 8 bytes of a row, of which `left` lie in the target. */
static __device__ __forceinline__ uint64_t
merge_unfiltered(const CcPart &part, const CcTensorSeparableTable &table, const char *from,
                 int left, uint64_t word) {
  uint64_t source = 0;
  if (table.copied && left >= WORD)
    source = __ldg((const unsigned long long *)from);
  else if (table.copied)
    for (int i = 0; i < left; i++)
      source |= (uint64_t)__ldg((const unsigned char *)from + i) << 8 * i;
  return (word & table.filtered) | (source & table.copied) |
         (OWN(part).fill & ~(table.filtered | table.copied));
}

/* Writes 8 bytes of a row, of which `left` lie in the target. */
static __device__ __forceinline__ void
store_word(char *to, int left, uint64_t word) {
  if (left >= WORD)
    *(uint64_t *)to = word;
  else
    for (int i = 0; i < left; i++)
      to[i] = (char)(word >> 8 * i);
}
