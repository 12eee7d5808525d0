/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Pixels that are filtered as their luma. Red, green and blue are converted to one luma sample
 * while pixels are staged. When pixels are written, the filtered luma replaces all three. Until
 * then, shared memory keeps the passthrough component, alpha. In such a plane job, x, widths and
 * bytes of a row refer to the luma. For small filter kernels, grey.cuh is faster. */

#include "conv2d_tile.cuh"

/* --- reading --- */

#define PIXELS_EACH 4 /* pixels that a thread reads at once */

/* PIXELS_EACH neighbouring pixels of STEP samples, and their conversion. */
template <int BYTES, int STEP> struct SomePixels {
  unsigned word[BYTES * STEP];

  __device__ __forceinline__ void load(const char *from) {
    if constexpr (STEP == 3) {
#pragma unroll
      for (int i = 0; i < 3; i++)
        word[i] = __ldg((const unsigned *)from + i);
    } else {
#pragma unroll
      for (int i = 0; i < BYTES; i++) {
        const uint4 four = __ldg((const uint4 *)from + i);
        word[4 * i] = four.x, word[4 * i + 1] = four.y;
        word[4 * i + 2] = four.z, word[4 * i + 3] = four.w;
      }
    }
  }

  /* Pixel `i`. A pixel of three bytes may be followed by a byte of its neighbour. */
  __device__ __forceinline__ unsigned group(int i) const {
    if constexpr (STEP == 4)
      return word[i];
    else
      return i == 0   ? word[0]
             : i == 1 ? __byte_perm(word[0], word[1], 0x6543)
             : i == 2 ? __byte_perm(word[1], word[2], 0x5432)
                      : word[2] >> 8;
  }

  __device__ __forceinline__ void get_luma(const CcPlaneJob &job, unsigned (&to)[BYTES]) const {
    unsigned luma[PIXELS_EACH];
#pragma unroll
    for (int i = 0; i < PIXELS_EACH; i++)
      luma[i] = BYTES == 1 ? weigh_group(job, group(i))
                           : luma_of_words(job, {word[2 * i % (BYTES * STEP)],
                                                 word[(2 * i + 1) % (BYTES * STEP)]});
    if constexpr (BYTES == 1) {
      to[0] = __byte_perm(__byte_perm(luma[0], luma[1], 0x62), __byte_perm(luma[2], luma[3], 0x62),
                          0x5410);
    } else {
      to[0] = __byte_perm(luma[0], luma[1], 0x5410);
      to[1] = __byte_perm(luma[2], luma[3], 0x5410);
    }
  }

  __device__ __forceinline__ void get_passthrough(bool is_last, unsigned (&to)[BYTES]) const {
    if constexpr (STEP == 4 && BYTES == 1) {
      const unsigned two = is_last ? 0x73 : 0x40;
      to[0] = __byte_perm(__byte_perm(word[0], word[1], two), __byte_perm(word[2], word[3], two),
                          0x5410);
    } else if constexpr (STEP == 4) {
#pragma unroll
      for (int i = 0; i < BYTES; i++)
        to[i] = is_last ? __byte_perm(word[4 * i + 1], word[4 * i + 3], 0x7632)
                        : __byte_perm(word[4 * i], word[4 * i + 2], 0x5410);
    }
  }
};

template <int BYTES>
static __device__ __forceinline__ void
put_words(unsigned char *to, const unsigned (&word)[BYTES]) {
  if constexpr (BYTES == 1)
    *(unsigned *)to = word[0];
  else
    *(uint2 *)to = make_uint2(word[0], word[1]);
}

/* Whether the passthrough component is copied. Shared memory then keeps the component, laid out
 * like the luma of a tile without margins. */
static __device__ __forceinline__ bool
copies_passthrough(const CcPlaneJob &job) {
  return job.copy_mask & CC_TENSOR_CORE_PASSTHROUGH;
}

/* Stages a tile's source rows as luma and passthrough components. */
template <int BYTES, int STEP> struct PixelStager {
  typedef SomePixels<BYTES, STEP> Some;
  typedef Stored<BYTES> Sample;
  static constexpr int EACH = PIXELS_EACH * BYTES; /* bytes of luma */
  static constexpr int ACROSS = CC_TENSOR_CORE_TILE_BYTES / EACH / 32, WARPS = CC_TENSOR_CORE_WARPS;

  const CcPlaneJob &job;
  unsigned char *staged; /* byte 0 of the luma of the first row */
  int pitch;
  /* passthrough components of the tile's pixels without margins; NULL: not needed */
  unsigned char *passthrough;
  int left, top;      /* the source byte (of luma) and row at `staged` */
  int margin, above;  /* staged bytes before the tile, staged rows above it */
  int rows, own_rows; /* staged rows; rows of the tile itself */

  __device__ __forceinline__ void put(const Some &some, int row, int at) const {
    unsigned word[BYTES];
    some.get_luma(job, word);
    put_words<BYTES>(staged + row * pitch + at, word);
    put_passthrough(some, row, at);
  }
  __device__ __forceinline__ void put_passthrough(const Some &some, int row, int at) const {
    const int x = at - margin, y = row - above;
    unsigned word[BYTES];
    if (!is_own(x, y))
      return;
    some.get_passthrough(PRIVATE(job).colors & 1, word);
    put_words<BYTES>(passthrough + y * CC_TENSOR_CORE_TILE_BYTES + x, word);
  }

  /* Whether the passthrough component of byte x of row y of the tile is needed. */
  __device__ __forceinline__ bool is_own(int x, int y) const {
    return STEP == 4 && passthrough && (unsigned)x < CC_TENSOR_CORE_TILE_BYTES &&
           (unsigned)y < (unsigned)own_rows;
  }

  /* The source row that is staged as row `row`. -1: a row of the constant border. */
  __device__ __forceinline__ int source_of(const CcLaunch &launch, bool is_inside, int row) const {
    return is_inside ? top + row : cc_border_index(top + row, job.src_height, launch.border);
  }

  /* Stages the groups of PIXELS_EACH pixels that lie entirely in the source. The values at all
   * other positions are arbitrary. */
  __device__ __forceinline__ void stage(const CcLaunch &launch, bool is_inside) const {
    const int end = (job.src_width & -PIXELS_EACH) * BYTES - EACH; /* the last whole group */
    const int lane_at = EACH * threadIdx.x;
    int from[ACROSS];
    if (end < 0)
      return;
#pragma unroll
    for (int k = 0; k < ACROSS; k++)
      from[k] = STEP * min(max(left + lane_at + 32 * EACH * k, 0), end);
#pragma unroll 1
    for (int row = threadIdx.y; row < rows; row += WARPS) {
      const char *source = source_row<char>(job, max(source_of(launch, is_inside, row), 0));
      Some some[ACROSS];
#pragma unroll
      for (int k = 0; k < ACROSS; k++)
        some[k].load(source + from[k]);
#pragma unroll
      for (int k = 0; k < ACROSS; k++)
        put(some[k], row, lane_at + 32 * EACH * k);
    }
    const int last = 2 * margin / EACH; /* groups that are left at the end of each row */
#pragma unroll 1
    for (int i = 32 * threadIdx.y + threadIdx.x; i < rows * last; i += 32 * WARPS) {
      const int row = i / last, at = CC_TENSOR_CORE_TILE_BYTES + i % last * EACH;
      Some some;
      some.load(source_row<char>(job, max(source_of(launch, is_inside, row), 0)) +
                STEP * min(left + at, end));
      put(some, row, at);
    }
  }

  /* Stages pixel x of source row y as part of staged row `row`. */
  __device__ __forceinline__ void stage_one(int row, int x, int y) const {
    const Sample *source = source_row<Sample>(job, y);
    const int at = x * BYTES - left, own_at = at - margin, own_row = row - above;
    if (at < 0 || at >= CC_TENSOR_CORE_TILE_BYTES + 2 * margin)
      return;
    *(Sample *)(staged + row * pitch + at) = fetch_luma<BYTES>(job, source, STEP * x, STEP == 4);
    if (is_own(own_at, own_row))
      *(Sample *)(passthrough + own_row * CC_TENSOR_CORE_TILE_BYTES + own_at) =
          __ldg(source + STEP * x + (PRIVATE(job).colors & 1 ? 3 : 0));
  }

  /* Stages the pixels that are not in a whole group, and rows of the constant border. */
  __device__ __forceinline__ void stage_rest(const CcLaunch &launch, int width) const {
    __syncthreads();
#pragma unroll 1
    for (int x = job.src_width & -PIXELS_EACH; x < job.src_width; x++)
#pragma unroll 1
      for (int row = 32 * threadIdx.y + threadIdx.x; row < rows; row += 32 * WARPS)
        stage_one(row, x, max(source_of(launch, false, row), 0));
    if (launch.border != CC_BORDER_CONSTANT)
      return;
    __syncthreads();
#pragma unroll 1
    for (int row = threadIdx.y; row < rows; row += WARPS)
      if (source_of(launch, false, row) < 0)
        for (int i = BYTES * threadIdx.x; i < width; i += 32 * BYTES)
          *(Sample *)(staged + row * pitch + i) = (Sample)job.border_code[0];
  }
};

template <int BYTES, int STEP, typename Tile, typename Rows>
static __device__ __forceinline__ void
stage_pixels_of(const CcLaunch &launch, const Tile &tile, Rows &staged,
                unsigned char *passthrough) {
  const CcPlaneJob &job = tile.job;
  const PixelStager<BYTES, STEP> stager = {job,
                                           staged.row[0],
                                           (int)sizeof staged.row[0],
                                           copies_passthrough(job) ? passthrough : NULL,
                                           tile.x - staged.margin(),
                                           tile.y - staged.above(),
                                           staged.margin(),
                                           staged.above(),
                                           staged.rows(tile),
                                           tile.rows()};
  const int width = staged.width();
  const bool is_inside = stager.top >= 0 && stager.top + stager.rows <= job.src_height;
  stager.stage(launch, is_inside);
  if (!is_inside || stager.left + width > job.src_width * BYTES)
    stager.stage_rest(launch, width);
}

template <int BYTES, typename Tile, typename Rows>
static __device__ __forceinline__ void
stage_pixels(const CcLaunch &launch, const Tile &tile, Rows &staged, unsigned char *passthrough) {
  if (BYTES == 1 && PRIVATE(tile.job).pixel == 3)
    stage_pixels_of<1, 3>(launch, tile, staged, passthrough);
  else
    stage_pixels_of<BYTES, 4>(launch, tile, staged, passthrough);
}

/* --- writing --- */

/* Writes two bytes of luma of each lane as pixels. A warp has the luma bytes of 8 neighbouring
 * windows of 8 bytes. Each lane writes 8 bytes of pixels. With pixels of three bytes, each four
 * lanes write 24 bytes, and the last of these lanes writes nothing. */
template <int BYTES> struct PixelWriter {
  char *to; /* the lane's target bytes in the current row */
  int left; /* bytes from `to` to the end of the row */
  long long pitch;
  const unsigned char *passthrough; /* of the current row; NULL: filled, not copied */
  unsigned filled, select[2];
  int step;

  /* Begins at byte `x` of row `y` of the luma. In the tile this is byte own_x of row own_y. */
  __device__ __forceinline__ PixelWriter(const CcPlaneJob &job, const unsigned char *staged, int x,
                                         int y, int own_x, int own_y)
      : pitch(job.dst_pitch),
        passthrough(copies_passthrough(job) ? staged + own_y * CC_TENSOR_CORE_TILE_BYTES + own_x
                                            : NULL),
        filled((unsigned)job.fill[1] * (BYTES == 1 ? 0x101 : 1)), step(PRIVATE(job).pixel) {
    const int t = threadIdx.x & 3, at = step == 3 ? 3 * x + 2 * t : 4 * x;
    const bool is_last = PRIVATE(job).colors & 1;
    to = target_row<char>(job, y) + at;
    left = job.width * BYTES * step - at;
    if (step == 3) {
      left = t < 3 ? left : 0;
      select[0] = t == 0 ? 0x1000 : t == 1 ? 0x1110 : 0x2211;
      select[1] = t == 0 ? 0x2211 : t == 1 ? 0x3222 : 0x3332;
    } else if (BYTES == 1) {
      select[0] = is_last ? 0x4000 : 0x0004;
      select[1] = is_last ? 0x5111 : 0x1115;
    } else {
      select[0] = is_last ? 0x1010 : 0x1054;
      select[1] = is_last ? 0x5410 : 0x1010;
    }
  }

  /* Writes the pixels that are `far` bytes of luma further right. All lanes must call store(),
   * because they exchange words. */
  __device__ __forceinline__ void store(int far, unsigned luma) const {
    unsigned rest = filled;
    if (step == 3)
      luma = __byte_perm(luma, __shfl_down_sync(~0u, luma, 1), 0x5410);
    else if (passthrough)
      rest = *(const unsigned short *)(passthrough + far);
    const unsigned low = __byte_perm(luma, rest, select[0]);
    const unsigned high = __byte_perm(luma, rest, select[1]);
    char *at = to + far * step;
    if (left >= 8 + far * step)
      *(uint2 *)at = make_uint2(low, high);
    else
#pragma unroll 1
      for (int i = 0; i < left - far * step; i++)
        at[i] = (char)((i < 4 ? low : high) >> 8 * (i % 4));
  }

  __device__ __forceinline__ void end_row() {
    to += pitch;
    if (passthrough)
      passthrough += CC_TENSOR_CORE_TILE_BYTES;
  }
};
