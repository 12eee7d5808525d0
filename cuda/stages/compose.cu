/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stages COMPOSE (cc_compose_u8, cc_compose_u16) and OVERLAY (cc_overlay_u8, cc_overlay_u16).
 * Both change the target in place. */

#include "compose.h"
#include "cuda/instructions.cuh"
#include "cuda/tile.cuh"

/* --- threshold, invert, mix --- */

/* The composed code value of a component. */
static __device__ __forceinline__ int
compose_code(const CcComposeJob &priv, int max, int c, int r, int s) {
  if (priv.point[c] == CC_POINT_SELECT)
    r = cc_compose_select(r, priv.limit[c], priv.above[c], priv.below[c]);
  else if (priv.point[c] == CC_POINT_INVERT)
    r = cc_compose_invert(r, priv.sum[c]);
  return priv.mixes[c] ? cc_compose_mix(r, s, priv.mix, max) : r;
}

static __device__ __forceinline__ bool
changes(const CcComposeJob &priv, int c) {
  return priv.point[c] || priv.mixes[c];
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
template <typename Sample>
static __device__ __forceinline__ void
compose_samples(const CcPlaneJob &job, const CcComposeJob &priv, int stride, int y, int first,
                int n) {
  const Sample *src = source_row<Sample>(job, stride * y);
  Sample *dst = target_row<Sample>(job, y);
  for (int i = first; i < first + n; i++) {
    const int c = i % job.step;
    if (!changes(priv, c))
      continue;
    if (c % 2 == priv.luma && 2 * (i / job.step) + c / 2 >= priv.n_pixels) {
      dst[i] = dst[i - 2];
      continue;
    }
    const int s = priv.mixes[c] ? code_of(job, src[source_sample(job, priv, stride, i)]) : 0;
    dst[i] = (Sample)(compose_code(priv, job.hi, c, code_of(job, dst[i]), s) << job.shift);
  }
}

/* Changes the samples of CC_COMPOSE_BYTES bytes. STEP is the number of components, or 1 if all are
 * composed alike. */
template <typename Sample, int STEP>
static __device__ __forceinline__ void
compose_words(const CcPlaneJob &job, const CcComposeJob &priv, int y, int first) {
  constexpr int PER_WORD = 4 / sizeof(Sample), BITS = 8 * sizeof(Sample);
  constexpr unsigned ALL = (1ull << BITS) - 1;
  uint4 *at = (uint4 *)(target_row<Sample>(job, y) + first);
  const uint4 four = *at;
  uint4 source = make_uint4(0, 0, 0, 0);
  if (priv.needs_source)
    source = *(const uint4 *)(source_row<Sample>(job, y) + first);
  unsigned word[4] = {four.x, four.y, four.z, four.w};
  const unsigned from[4] = {source.x, source.y, source.z, source.w};
#pragma unroll
  for (int w = 0; w < 4; w++) {
    unsigned made = 0;
#pragma unroll
    for (int i = 0; i < PER_WORD; i++) {
      const int c = (w * PER_WORD + i) % STEP;
      const unsigned stored = word[w] >> i * BITS & ALL, s = from[w] >> i * BITS & ALL;
      const unsigned code =
          compose_code(priv, job.hi, c, code_of(job, (Sample)stored), code_of(job, (Sample)s));
      made |= (changes(priv, c) ? code << job.shift : stored) << i * BITS;
    }
    word[w] = made;
  }
  *at = make_uint4(word[0], word[1], word[2], word[3]);
}

template <typename Sample>
static __device__ __forceinline__ void
compose(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  constexpr int EACH = CC_COMPOSE_BYTES / sizeof(Sample);
  const CcPlaneJob &job = find_job(launch, blockIdx.x);
  const CcComposeJob &priv = *CC_PRIVATE(const CcComposeJob, &job);
  const int index = blockIdx.x - job.first_tile;
  const int row = index / job.tiles_across, column = index - row * job.tiles_across;
  const int first = (column * CC_COMPOSE_WIDTH + threadIdx.x) * EACH;
  const int n = job.width * job.step - first;
  const bool is_half = priv.luma >= 0 && priv.n_pixels < 2 * job.width;
  const bool is_whole = launch.stride == 1 && n >= EACH + (is_half ? job.step : 0);
  if (n <= 0)
    return;
#pragma unroll
  for (int i = 0; i < CC_COMPOSE_ROWS; i++) {
    const int y = (row * CC_COMPOSE_ROWS + i) * CC_COMPOSE_HEIGHT + threadIdx.y;
    if (y >= job.height)
      return;
    if (is_whole && priv.is_uniform)
      compose_words<Sample, 1>(job, priv, y, first);
    else if (is_whole && job.step == 4)
      compose_words<Sample, 4>(job, priv, y, first);
    else
      compose_samples<Sample>(job, priv, launch.stride, y, first, min(n, EACH));
  }
}

/* --- overlay --- */

/* Component i of the pixel or of the chroma sample at (x, y). */
template <typename Sample>
static __device__ __forceinline__ Sample *
component_at(const CcOverlayJob &priv, int i, int x, int y) {
  return (Sample *)((char *)priv.dst[i] + (long long)y * priv.dst_pitch[i]) + priv.first[i] +
         (long long)x * priv.spacing[i];
}

template <typename Sample>
static __device__ __forceinline__ void
blend(const CcPlaneJob &job, const CcOverlayJob &priv, int stride, int i, int x, int y,
      unsigned weight, int repeats) {
  const Sample *row =
      (const Sample *)((const char *)priv.src[i] + (long long)stride * y * priv.src_pitch[i]);
  const unsigned s = code_of(job, row[priv.first[i] + (long long)stride * x * priv.spacing[i]]);
  const Sample word = (Sample)(cc_overlay_blend(s, priv.color[i], weight) << job.shift);
  Sample *dst = component_at<Sample>(priv, i, x, y);
  for (int k = 0; k <= repeats; k++)
    dst[k * priv.spacing[i]] = word;
}

/* Changes a pixel. Returns its strength. */
template <typename Sample>
static __device__ __forceinline__ unsigned
overlay_pixel(const CcPlaneJob &job, const CcOverlayJob &priv, int stride, int x, int y) {
  unsigned r = code_of(job, *component_at<Sample>(priv, 0, x, y));
  if (priv.n_pixel == 3 && job.step == 3)
    r = cc_luma_of(r, code_of(job, *component_at<Sample>(priv, 1, x, y)),
                   code_of(job, *component_at<Sample>(priv, 2, x, y)));
  const unsigned q = cc_overlay_strength(r, job.lo, job.hi);
  const unsigned weight = cc_overlay_weight(q, priv.whole, priv.part);
  const int repeats = x == job.src_width - 1 ? priv.repeats : 0;
  for (int i = 0; i < priv.n_pixel; i++)
    blend<Sample>(job, priv, stride, i, x, y, weight, i == 0 ? repeats : 0);
  return q;
}

template <typename Sample>
static __device__ __forceinline__ void
overlay(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const CcPlaneJob &job = launch.job[0];
  const CcOverlayJob &priv = *CC_PRIVATE(const CcOverlayJob, &job);
  const int x = blockIdx.x % job.tiles_across * CC_COMPOSE_WIDTH + threadIdx.x;
  const int y = blockIdx.x / job.tiles_across * CC_COMPOSE_HEIGHT + threadIdx.y;
  if (x >= job.width || y >= job.height)
    return;
  unsigned sum = 0, count = 0;
  for (int j = 0; j < priv.down; j++)
    for (int i = 0; i < priv.across; i++) {
      const int column = priv.left + priv.across * x + i, row = priv.top + priv.down * y + j;
      if (column < 0 || row < 0 || column >= job.src_width || row >= job.src_height)
        continue;
      sum += overlay_pixel<Sample>(job, priv, launch.stride, column, row);
      count++;
    }
  const int column = priv.chroma_left + x, row = priv.chroma_top + y;
  if (priv.n_chroma == 0 || column < 0 || row < 0 || column >= priv.chroma_width ||
      row >= priv.chroma_height)
    return;
  const unsigned mean = count > 0 ? (2 * sum + count) / (2 * count) : 0;
  const unsigned weight = cc_overlay_weight(mean, priv.whole, priv.part);
  for (int i = priv.n_pixel; i < priv.n_pixel + priv.n_chroma; i++)
    blend<Sample>(job, priv, launch.stride, i, column, row, weight, 0);
}

#define THREADS (CC_COMPOSE_WIDTH * CC_COMPOSE_HEIGHT)
CC_ENTRY(cc_compose_u8, THREADS, compose<unsigned char>)
CC_ENTRY(cc_compose_u16, THREADS, compose<unsigned short>)
CC_ENTRY(cc_overlay_u8, THREADS, overlay<unsigned char>)
CC_ENTRY(cc_overlay_u16, THREADS, overlay<unsigned short>)
