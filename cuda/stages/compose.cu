/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stages COMPOSE (cc_compose_u8, cc_compose_u16) and OVERLAY (cc_overlay_u8, cc_overlay_u16).
 * Both change the target in place. */

#include "compose.h"
#include "cuda/instructions.cuh"
#include "cuda/tile.cuh"

/* --- threshold, invert, mix --- */

/* A word has two or four samples, which are its lanes. */
template <typename Sample> struct Lanes {
  static constexpr int BITS = 8 * sizeof(Sample), PER_WORD = 4 / sizeof(Sample);
  static constexpr unsigned HIGH = sizeof(Sample) == 1 ? 0x80808080 : 0x80008000;
  static constexpr unsigned ALL = (1ull << BITS) - 1;
};

/* All bits of the lanes in which a >= b. */
template <typename Sample>
static __device__ __forceinline__ unsigned
is_not_below(unsigned a, unsigned b) {
  constexpr unsigned HIGH = Lanes<Sample>::HIGH;
  const unsigned difference = (a | HIGH) - (b & ~HIGH);
  const unsigned high = ((a & ~b) | (~(a ^ b) & difference)) & HIGH;
  return high | (high - (high >> (Lanes<Sample>::BITS - 1)));
}

/* cc_compose_invert in each lane. */
template <typename Sample>
static __device__ __forceinline__ unsigned
invert_word(unsigned r, unsigned sum) {
  constexpr unsigned HIGH = Lanes<Sample>::HIGH;
  const unsigned difference = ((sum | HIGH) - (r & ~HIGH)) ^ (~(sum ^ r) & HIGH);
  return difference & is_not_below<Sample>(sum, r);
}

/* cc_compose_mix in each lane. */
template <typename Sample>
static __device__ __forceinline__ unsigned
mix_word(const CcPlaneJob &job, const CcComposeJob &priv, unsigned r, unsigned s) {
  unsigned made = 0;
#pragma unroll
  for (int i = 0; i < Lanes<Sample>::PER_WORD; i++) {
    const int at = i * Lanes<Sample>::BITS;
    const int code = code_of(job, (Sample)(r >> at)), source = code_of(job, (Sample)(s >> at));
    made |= cc_compose_mix(code, source, priv.mix, job.hi) << job.shift << at;
  }
  return made;
}

/* Composes a word, whose number in the row is k modulo CC_COMPOSE_PERIOD. */
template <typename Sample, int POINT, bool MIXES>
static __device__ __forceinline__ unsigned
compose_word(const CcPlaneJob &job, const CcComposeJob &priv, int k, unsigned r, unsigned s) {
  if (POINT == CC_POINT_SELECT) {
    const unsigned is_above = is_not_below<Sample>(r, priv.limit[k]);
    r = (r & priv.keep[k]) | (priv.above[k] & is_above) | (priv.below[k] & ~is_above);
  } else if (POINT == CC_POINT_INVERT) {
    r = (r & priv.keep[k]) | invert_word<Sample>(r, priv.sum[k]);
  }
  if (MIXES)
    r = (r & priv.unmixed[k]) | (mix_word<Sample>(job, priv, r, s) & ~priv.unmixed[k]);
  return r;
}

/* The number of the source sample at the position of sample i of a row: cc_source_sample. */
static __device__ __forceinline__ long long
source_sample(const CcPlaneJob &job, const CcComposeJob &priv, int stride, int i) {
  const int group = i / job.step, c = i % job.step;
  if (priv.luma < 0 || c % 2 != priv.luma)
    return (long long)stride * group * job.step + c;
  const long long pixel = (long long)stride * min(2 * group + c / 2, priv.n_pixels - 1);
  return pixel / 2 * job.step + pixel % 2 * 2 + c % 2;
}

/* Changes samples i to i + n - 1 of row y one by one. A sample of luma that is no pixel repeats the
 * sample before it, which the same thread has changed. */
template <typename Sample, int POINT, bool MIXES>
static __device__ __forceinline__ void
compose_samples(const CcPlaneJob &job, const CcComposeJob &priv, int stride, int y, int first,
                int n) {
  const Sample *src = source_row<Sample>(job, stride * y);
  Sample *dst = target_row<Sample>(job, y);
  for (int i = first; i < first + n; i++) {
    const int c = i % job.step, lane = i % Lanes<Sample>::PER_WORD * Lanes<Sample>::BITS;
    if (c % 2 == priv.luma && 2 * (i / job.step) + c / 2 >= priv.n_pixels) {
      dst[i] = dst[i - 2];
      continue;
    }
    const unsigned s = MIXES ? src[source_sample(job, priv, stride, i)] : 0;
    const int k = i / Lanes<Sample>::PER_WORD % CC_COMPOSE_PERIOD;
    const unsigned word =
        compose_word<Sample, POINT, MIXES>(job, priv, k, (unsigned)dst[i] << lane, s << lane);
    dst[i] = (Sample)(word >> lane);
  }
}

/* Changes up to CC_COMPOSE_BYTES bytes in each of CC_COMPOSE_ROWS rows. All rows are loaded before
 * the first is stored. */
template <typename Sample, int POINT, bool MIXES>
static __device__ __forceinline__ void
compose_rows(const CcPlaneJob &job, const CcComposeJob &priv, int stride, int top, int first) {
  constexpr int EACH = CC_COMPOSE_BYTES / sizeof(Sample);
  const int n = job.width * job.step - first;
  const bool is_half = priv.luma >= 0 && priv.n_pixels < 2 * job.width;
  if ((MIXES && stride > 1) || n < EACH + (is_half ? job.step : 0)) {
    for (int i = 0; i < CC_COMPOSE_ROWS && top + i * CC_COMPOSE_HEIGHT < job.height; i++)
      compose_samples<Sample, POINT, MIXES>(job, priv, stride, top + i * CC_COMPOSE_HEIGHT, first,
                                            min(n, EACH));
    return;
  }
  int4 r[CC_COMPOSE_ROWS], s[CC_COMPOSE_ROWS];
#pragma unroll
  for (int i = 0; i < CC_COMPOSE_ROWS; i++) {
    const int y = min(top + i * CC_COMPOSE_HEIGHT, job.height - 1);
    r[i] = load_now((const int4 *)(target_row<Sample>(job, y) + first));
    s[i] = MIXES ? load_now((const int4 *)(source_row<Sample>(job, y) + first)) : r[i];
  }
#pragma unroll
  for (int i = 0; i < CC_COMPOSE_ROWS; i++) {
    const int y = top + i * CC_COMPOSE_HEIGHT;
    if (y < job.height)
      *(uint4 *)(target_row<Sample>(job, y) + first) =
          make_uint4(compose_word<Sample, POINT, MIXES>(job, priv, 0, r[i].x, s[i].x),
                     compose_word<Sample, POINT, MIXES>(job, priv, 1, r[i].y, s[i].y),
                     compose_word<Sample, POINT, MIXES>(job, priv, 0, r[i].z, s[i].z),
                     compose_word<Sample, POINT, MIXES>(job, priv, 1, r[i].w, s[i].w));
  }
}

template <typename Sample>
static __device__ __forceinline__ void
compose(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const CcPlaneJob &job = find_job(launch, blockIdx.x);
  const CcComposeJob &priv = *CC_PRIVATE(const CcComposeJob, &job);
  const int index = blockIdx.x - job.first_tile, stride = launch.stride;
  const int row = index / job.tiles_across, column = index - row * job.tiles_across;
  const int first = (column * CC_COMPOSE_WIDTH + threadIdx.x) * (CC_COMPOSE_BYTES / sizeof(Sample));
  const int top = row * CC_COMPOSE_ROWS * CC_COMPOSE_HEIGHT + threadIdx.y;
  if (first >= job.width * job.step || top >= job.height)
    return;
  if (priv.point == CC_POINT_SELECT && priv.mixes)
    compose_rows<Sample, CC_POINT_SELECT, true>(job, priv, stride, top, first);
  else if (priv.point == CC_POINT_SELECT)
    compose_rows<Sample, CC_POINT_SELECT, false>(job, priv, stride, top, first);
  else if (priv.point == CC_POINT_INVERT && priv.mixes)
    compose_rows<Sample, CC_POINT_INVERT, true>(job, priv, stride, top, first);
  else if (priv.point == CC_POINT_INVERT)
    compose_rows<Sample, CC_POINT_INVERT, false>(job, priv, stride, top, first);
  else
    compose_rows<Sample, CC_POINT_NONE, true>(job, priv, stride, top, first);
}

/* --- overlay --- */

/* The address of the first sample of component i in row y of the target, or of the source. */
template <typename Sample>
static __device__ __forceinline__ Sample *
target_of(const CcOverlayJob &priv, int i, int y) {
  return (Sample *)((char *)priv.dst[i] + (long long)y * priv.dst_pitch[i]) + priv.first[i];
}

template <typename Sample>
static __device__ __forceinline__ const Sample *
source_of(const CcOverlayJob &priv, int i, int y) {
  return (const Sample *)((const char *)priv.src[i] + (long long)y * priv.src_pitch[i]) +
         priv.first[i];
}

/* Bytes have no shift. */
template <typename Sample>
static __device__ __forceinline__ unsigned
overlay_code(const CcPlaneJob &job, Sample word) {
  return sizeof(Sample) == 1 ? word : code_of(job, word);
}

template <typename Sample>
static __device__ __forceinline__ Sample
blend(const CcPlaneJob &job, const CcOverlayJob &priv, int i, Sample source, unsigned weight) {
  const unsigned code = cc_overlay_blend(overlay_code(job, source), priv.color[i], weight);
  return (Sample)(sizeof(Sample) == 1 ? code : code << job.shift);
}

template <typename Sample>
static __device__ __forceinline__ unsigned
strength(const CcPlaneJob &job, const Sample r[3]) {
  unsigned code = overlay_code(job, r[0]);
  if (job.step == 3)
    code = cc_luma_of(code, overlay_code(job, r[1]), overlay_code(job, r[2]));
  return cc_overlay_strength(code, job.lo, job.hi);
}

/* Changes the chroma of a cell whose n pixels have the sum of strengths `sum`. */
template <typename Sample>
static __device__ __forceinline__ void
blend_chroma(const CcPlaneJob &job, const CcOverlayJob &priv, int stride, int x, int y,
             unsigned sum, unsigned n) {
  const unsigned mean = n > 0 ? (2 * sum + n) / (2 * n) : 0;
  const unsigned weight = cc_overlay_weight(mean, priv.whole, priv.part);
  for (int c = priv.n_pixel; c < priv.n_pixel + priv.n_chroma; c++) {
    const Sample *from = source_of<Sample>(priv, c, stride * y) + stride * x * priv.spacing[c];
    target_of<Sample>(priv, c, y)[x * priv.spacing[c]] = blend(job, priv, c, *from, weight);
  }
}

/* Changes a cell, some pixels of which may lie outside of the target. */
template <typename Sample>
static __device__ __forceinline__ void
overlay_cell(const CcPlaneJob &job, const CcOverlayJob &priv, int stride, int cell, int y) {
  unsigned sum = 0, n = 0;
  for (int i = 0; i < priv.across * priv.down; i++) {
    const int x = priv.left + priv.across * cell + i % priv.across;
    const int row = priv.top + priv.down * y + i / priv.across;
    if (x < 0 || row < 0 || x >= job.src_width || row >= job.src_height)
      continue;
    Sample r[3] = {};
    for (int c = 0; c < priv.n_pixel; c++)
      r[c] = target_of<Sample>(priv, c, row)[x * priv.spacing[c]];
    const unsigned q = strength(job, r), weight = cc_overlay_weight(q, priv.whole, priv.part);
    const int repeats = x == job.src_width - 1 ? priv.repeats : 0;
    sum += q;
    n++;
    for (int c = 0; c < priv.n_pixel; c++) {
      const Sample *from = source_of<Sample>(priv, c, stride * row);
      const Sample made = blend(job, priv, c, from[stride * x * priv.spacing[c]], weight);
      for (int k = 0; k <= (c == 0 ? repeats : 0); k++)
        target_of<Sample>(priv, c, row)[(x + k) * priv.spacing[c]] = made;
    }
  }
  const int x = priv.chroma_left + cell, row = priv.chroma_top + y;
  if (x >= 0 && row >= 0 && x < priv.chroma_width && row < priv.chroma_height)
    blend_chroma<Sample>(job, priv, stride, x, row, sum, n);
}

/* Blends the samples of four words. The weights of samples of equal numbers divided by EACH are
 * equal. The color of samples of odd numbers is that of component `odd`. */
template <typename Sample, int EACH>
static __device__ __forceinline__ uint4
blend_words(const CcPlaneJob &job, const CcOverlayJob &priv, int even, int odd, int4 source,
            const unsigned *weight) {
  constexpr int PER_WORD = Lanes<Sample>::PER_WORD, BITS = Lanes<Sample>::BITS;
  const unsigned from[4] = {(unsigned)source.x, (unsigned)source.y, (unsigned)source.z,
                            (unsigned)source.w};
  unsigned made[4] = {};
#pragma unroll
  for (int k = 0; k < 4 * PER_WORD; k++) {
    const Sample s = (Sample)(from[k / PER_WORD] >> k % PER_WORD * BITS);
    made[k / PER_WORD] |= (unsigned)blend(job, priv, k % 2 ? odd : even, s, weight[k / EACH])
                          << k % PER_WORD * BITS;
  }
  return make_uint4(made[0], made[1], made[2], made[3]);
}

/* Changes the chroma of neighbouring cells, whose strengths have the sums `sum`. */
template <typename Sample, int ACROSS, int DOWN>
static __device__ __forceinline__ void
blend_chroma_vector(const CcPlaneJob &job, const CcOverlayJob &priv, int cell, int y,
                    const unsigned *sum) {
  constexpr int CELLS = 4 * Lanes<Sample>::PER_WORD / ACROSS;
  unsigned weight[4 * Lanes<Sample>::PER_WORD] = {};
#pragma unroll
  for (int k = 0; k < CELLS; k++)
    weight[k] =
        cc_overlay_weight((sum[k] + ACROSS * DOWN / 2) / (ACROSS * DOWN), priv.whole, priv.part);
  if (priv.spacing[1] == 2) { /* both components are in one plane */
    const int even = priv.first[1] == 0 ? 1 : 2, at = 2 * cell;
    *(uint4 *)(target_of<Sample>(priv, even, y) + at) = blend_words<Sample, 2>(
        job, priv, even, 3 - even, load_now((const int4 *)(source_of<Sample>(priv, even, y) + at)),
        weight);
    return;
  }
#pragma unroll
  for (int c = 1; c < 3; c++) {
    const uint2 half = load_now((const uint2 *)(source_of<Sample>(priv, c, y) + cell));
    const int4 source = {(int)half.x, (int)half.y, 0, 0};
    const uint4 made = blend_words<Sample, 1>(job, priv, c, c, source, weight);
    *(uint2 *)(target_of<Sample>(priv, c, y) + cell) = make_uint2(made.x, made.y);
  }
}

/* Changes the pixels of a vector of luma in each row of cells, and their chroma. All of them lie in
 * the target. */
template <typename Sample, int ACROSS, int DOWN>
static __device__ __forceinline__ void
overlay_vector(const CcPlaneJob &job, const CcOverlayJob &priv, int cell, int y) {
  constexpr int PER_WORD = Lanes<Sample>::PER_WORD, BITS = Lanes<Sample>::BITS;
  constexpr int PIXELS = 4 * PER_WORD, CELLS = PIXELS / ACROSS;
  unsigned weight[PIXELS], sum[CELLS] = {};
  int4 r[DOWN], s[DOWN];
#pragma unroll
  for (int j = 0; j < DOWN; j++) {
    r[j] = load_now((const int4 *)(target_of<Sample>(priv, 0, DOWN * y + j) + ACROSS * cell));
    s[j] = load_now((const int4 *)(source_of<Sample>(priv, 0, DOWN * y + j) + ACROSS * cell));
  }
#pragma unroll
  for (int j = 0; j < DOWN; j++) {
    const unsigned word[4] = {(unsigned)r[j].x, (unsigned)r[j].y, (unsigned)r[j].z,
                              (unsigned)r[j].w};
#pragma unroll
    for (int k = 0; k < PIXELS; k++) {
      const Sample code = (Sample)(word[k / PER_WORD] >> k % PER_WORD * BITS);
      const unsigned q = cc_overlay_strength(overlay_code(job, code), job.lo, job.hi);
      weight[k] = cc_overlay_weight(q, priv.whole, priv.part);
      sum[k / ACROSS] += q;
    }
    *(uint4 *)(target_of<Sample>(priv, 0, DOWN * y + j) + ACROSS * cell) =
        blend_words<Sample, 1>(job, priv, 0, 0, s[j], weight);
  }
  if (ACROSS > 1)
    blend_chroma_vector<Sample, ACROSS, DOWN>(job, priv, cell, y, sum);
}

/* Whether a thread can change its cells as vectors. */
template <typename Sample>
static __device__ __forceinline__ bool
has_vectors(const CcPlaneJob &job, const CcOverlayJob &priv, int stride, int cell, int y) {
  const int last = cell + priv.cells - 1;
  unsigned long long address = 0; /* half vectors of planar chroma need half the alignment */
  for (int c = 0; c < priv.n_pixel + priv.n_chroma; c++)
    address |=
        (priv.src[c] | priv.dst[c] | (unsigned)priv.src_pitch[c] | (unsigned)priv.dst_pitch[c])
        << (c > 0 && priv.spacing[c] == 1 ? 1 : 0);
  return stride == 1 && address % sizeof(int4) == 0 &&
         (priv.left | priv.top | priv.chroma_left | priv.chroma_top) == 0 &&
         priv.across * (last + 1) <= job.src_width && priv.down * (y + 1) <= job.src_height &&
         last < priv.chroma_width && y < priv.chroma_height;
}

/* Changes CC_OVERLAY_CELLS cells, which lie CC_COMPOSE_WIDTH apart, so that neighbouring threads
 * have neighbouring cells. All pixels of the cells lie in the target. A cell has ACROSS pixels of
 * N_PIXEL components, which are SPACING samples apart. All samples are loaded before the first is
 * stored. */
template <typename Sample, int ACROSS, int N_PIXEL, int SPACING>
static __device__ __forceinline__ void
overlay_inside(const CcPlaneJob &job, const CcOverlayJob &priv, int cell, int y) {
  constexpr int N = CC_OVERLAY_CELLS * ACROSS;
  unsigned sum[CC_OVERLAY_CELLS] = {};
  const int row = priv.top + y, first = (priv.left + ACROSS * cell) * SPACING;
  Sample *to[N_PIXEL], r[N][3] = {}, s[N][N_PIXEL];
#pragma unroll
  for (int c = 0; c < N_PIXEL; c++) {
    const Sample *from = source_of<Sample>(priv, c, row) + first;
    to[c] = target_of<Sample>(priv, c, row) + first;
#pragma unroll
    for (int k = 0; k < N; k++) {
      const int at = (k / ACROSS * CC_COMPOSE_WIDTH * ACROSS + k % ACROSS) * SPACING;
      r[k][c] = to[c][at];
      s[k][c] = from[at];
    }
  }
#pragma unroll
  for (int k = 0; k < N; k++) {
    const int at = (k / ACROSS * CC_COMPOSE_WIDTH * ACROSS + k % ACROSS) * SPACING;
    const unsigned q = strength(job, r[k]);
    const unsigned weight = cc_overlay_weight(q, priv.whole, priv.part);
    sum[k / ACROSS] += q;
#pragma unroll
    for (int c = 0; c < N_PIXEL; c++)
      to[c][at] = blend(job, priv, c, s[k][c], weight);
  }
  if (ACROSS > 1)
#pragma unroll
    for (int k = 0; k < CC_OVERLAY_CELLS; k++)
      blend_chroma<Sample>(job, priv, 1, priv.chroma_left + cell + k * CC_COMPOSE_WIDTH,
                           priv.chroma_top + y, sum[k], ACROSS);
}

/* Whether all pixels of these cells lie in the target, and the last pixel of a row is not one of
 * them. */
static __device__ __forceinline__ bool
is_inside(const CcPlaneJob &job, const CcOverlayJob &priv, int stride, int cell, int y) {
  const int last = cell + (CC_OVERLAY_CELLS - 1) * CC_COMPOSE_WIDTH;
  const int left = priv.left + priv.across * cell, top = priv.top + y;
  const int chroma_left = priv.chroma_left + cell, chroma_top = priv.chroma_top + y;
  return stride == 1 && priv.down == 1 && left >= 0 && top >= 0 &&
         priv.left + priv.across * (last + 1) < job.src_width && top < job.src_height &&
         chroma_left >= 0 && chroma_top >= 0 && priv.chroma_left + last < priv.chroma_width &&
         chroma_top < priv.chroma_height;
}

template <typename Sample>
static __device__ __forceinline__ void
overlay(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const CcPlaneJob &job = launch.job[0];
  const CcOverlayJob &priv = *CC_PRIVATE(const CcOverlayJob, &job);
  const int tile = blockIdx.x % job.tiles_across * CC_COMPOSE_WIDTH * priv.cells;
  const int y = blockIdx.x / job.tiles_across * CC_COMPOSE_HEIGHT + threadIdx.y;
  const int across = priv.across, down = priv.down, spacing = priv.spacing[0];
  if (y >= job.height)
    return;
  /* with luma in a plane of its own, the cells of a thread are neighbours */
  const bool is_luma = priv.n_pixel == 1 && spacing == 1;
  const int x = tile + threadIdx.x * (is_luma ? priv.cells : 1);
  if (is_luma && has_vectors<Sample>(job, priv, launch.stride, x, y)) {
    if (across == 2 && down == 2)
      return overlay_vector<Sample, 2, 2>(job, priv, x, y);
    if (across == 2 && down == 1)
      return overlay_vector<Sample, 2, 1>(job, priv, x, y);
    if (across == 1 && down == 1)
      return overlay_vector<Sample, 1, 1>(job, priv, x, y);
  } else if (!is_luma && priv.spacing[priv.n_pixel - 1] == spacing &&
             is_inside(job, priv, launch.stride, x, y)) {
    if (across == 2)
      return overlay_inside<Sample, 2, 1, 2>(job, priv, x, y);
    if (spacing == 1)
      return overlay_inside<Sample, 1, 3, 1>(job, priv, x, y);
    if (spacing == 3)
      return overlay_inside<Sample, 1, 3, 3>(job, priv, x, y);
    if (spacing == 4)
      return overlay_inside<Sample, 1, 3, 4>(job, priv, x, y);
  }
  const int apart = is_luma ? 1 : CC_COMPOSE_WIDTH;
  for (int k = 0; k < priv.cells && x + k * apart < job.width; k++)
    overlay_cell<Sample>(job, priv, launch.stride, x + k * apart, y);
}

#define THREADS (CC_COMPOSE_WIDTH * CC_COMPOSE_HEIGHT)
CC_ENTRY(cc_compose_u8, THREADS, compose<unsigned char>)
CC_ENTRY(cc_compose_u16, THREADS, compose<unsigned short>)
CC_ENTRY(cc_overlay_u8, THREADS, overlay<unsigned char>)
CC_ENTRY(cc_overlay_u16, THREADS, overlay<unsigned short>)
