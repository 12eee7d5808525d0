/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Converts the red, green and blue of pixels to their luma in shared memory. The pixels are then
 * filtered like any samples. For large filter kernels, pixels.cuh is faster. */

#include "conv2d_tile.cuh"

/* Returns a pixel of four bytes with its luma in place of red, green and blue. */
static __device__ __forceinline__ unsigned
grey_of(const CcPlaneJob &job, unsigned pixel) {
  const unsigned alpha_is_last = PRIVATE(job).colors & 1;
  return __byte_perm(weigh_group(job, pixel), pixel, alpha_is_last ? 0x7222 : 0x2224);
}

/* Converts 8 bytes of pixels of four samples to grey. */
template <int BYTES>
static __device__ __forceinline__ void
make_grey(const CcPlaneJob &job, unsigned char *bytes) {
  uint2 *words = (uint2 *)bytes;
  const uint2 was = *words;
  if (BYTES == 1) {
    *words = make_uint2(grey_of(job, was.x), grey_of(job, was.y));
  } else {
    const unsigned luma = luma_of_words(job, was);
    const bool alpha_is_last = PRIVATE(job).colors & 1;
    *words = make_uint2(__byte_perm(luma, was.x, alpha_is_last ? 0x1010 : 0x1054),
                        __byte_perm(luma, was.y, alpha_is_last ? 0x7610 : 0x1010));
  }
}

/* Converts red, green and blue of pixels of three bytes to their luma, in `rows` staged rows. Each
 * row has `width` staged bytes, which begin with byte `left` of a source row. A thread converts
 * four pixels (three words) at a time. A few bytes at both ends of a row stay unconverted, see
 * CC_TENSOR_CORE_LUMA_BYTES. */
static __device__ __forceinline__ void
make_rows_luma(const CcPlaneJob &job, unsigned char *staged, int pitch, int rows, int left,
               int width) {
  /* number of groups of four pixels in a row; at most 8 bytes are left over */
  const int each = width / CC_TENSOR_CORE_LUMA_BYTES;
  const int skip = pixel_of(job, left + 2) * 3 - left;
  const int first = skip + 3 * skip; /* a pixel and a word begin there */
#pragma unroll 2
  for (int i = 32 * threadIdx.y + threadIdx.x; i < rows * each; i += 32 * CC_TENSOR_CORE_WARPS) {
    const int at = first + i % each * CC_TENSOR_CORE_LUMA_BYTES;
    if (at + CC_TENSOR_CORE_LUMA_BYTES > width)
      continue;
    unsigned *word = (unsigned *)(staged + i / each * pitch + at);
    const unsigned x = word[0], y = word[1], z = word[2];
    const unsigned a = weigh_group(job, x), b = weigh_group(job, __byte_perm(x, y, 0x6543));
    const unsigned c = weigh_group(job, __byte_perm(y, z, 0x5432)), d = weigh_group(job, z >> 8);
    word[0] = __byte_perm(a, b, 0x6222);
    word[1] = __byte_perm(b, c, 0x6622);
    word[2] = __byte_perm(c, d, 0x6662);
  }
  __syncthreads();
}

/* Converts pixels of four bytes to grey. Each thread converts the pixels that it has staged for a
 * tile of conv2d.cu. */
template <typename Tile, typename Rows>
static __device__ __forceinline__ void
make_own_grey(const Tile &tile, Rows &staged) {
  finish_own_copies();
  for_vectors(staged, staged.rows(tile), [&](int row, int byte) {
    uint4 *four = (uint4 *)&staged.row[row][byte];
    const uint4 was = *four;
    *four = make_uint4(grey_of(tile.job, was.x), grey_of(tile.job, was.y), grey_of(tile.job, was.z),
                       grey_of(tile.job, was.w));
  });
}

template <typename Tile, typename Rows>
static __device__ __forceinline__ void
make_luma(const Tile &tile, Rows &staged) {
  make_rows_luma(tile.job, staged.row[0], sizeof staged.row[0], staged.rows(tile),
                 tile.x - staged.margin(), staged.width());
}
