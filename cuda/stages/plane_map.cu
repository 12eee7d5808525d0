/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Deinterleaves planes of frames into scratch (cc_deinterleave_u8, cc_deinterleave_u16), and
 * interleaves them again (cc_interleave_u8, cc_interleave_u16). A thread accesses the frame in
 * whole words, except at the end of a row. */

#include "plane_map.h"
#include "cuda/instructions.cuh"
#include "cuda/tile.cuh"

#define EACH CC_PLANE_MAP_EACH

/* Writes the first `n` of a thread's samples. */
template <typename Sample>
static __device__ __forceinline__ void
store_samples(Sample *to, const unsigned (&sample)[EACH], int n) {
  if (n >= EACH && sizeof(Sample) == 1)
    *(unsigned *)to = sample[0] | sample[1] << 8 | sample[2] << 16 | sample[3] << 24;
  else if (n >= EACH)
    *(uint2 *)to = make_uint2(sample[0] | sample[1] << 16, sample[2] | sample[3] << 16);
  else
#pragma unroll
    for (int i = 0; i < EACH - 1; i++)
      if (i < n)
        to[i] = (Sample)sample[i];
}

/* The samples of a thread: EACH neighbours from sample `first` on, in CC_PLANE_MAP_ROWS rows. These
 * are row `top` and every CC_PLANE_MAP_HEIGHT-th row after it. A row has `n` samples from `first`
 * on. n_written also counts the padding after the row, to a multiple of `multiple` samples. */
struct ThreadSamples {
  const CcPlaneJob &job;
  int first, n, n_written, top;

  __device__ __forceinline__ explicit ThreadSamples(const CcLaunch &launch, int multiple)
      : job(find_job(launch, blockIdx.x)) {
    const int index = blockIdx.x - job.first_tile;
    const int row = index / job.tiles_across, column = index - row * job.tiles_across;
    first = (column * CC_PLANE_MAP_WIDTH + threadIdx.x) * EACH;
    n = job.width * job.step - first;
    n_written = (job.width * job.step + multiple - 1) / multiple * multiple - first;
    top = row * (CC_PLANE_MAP_HEIGHT * CC_PLANE_MAP_ROWS) + threadIdx.y;
  }

  /* Calls make(y, sample) for all rows of a batch before the batch is written, so that several
   * reads are in flight at once. */
  template <typename Sample, typename Make>
  __device__ __forceinline__ void make_rows(Make make) const {
    constexpr int BATCH = CC_PLANE_MAP_ROWS / 2;
#pragma unroll 1
    for (int from = 0; from < CC_PLANE_MAP_ROWS; from += BATCH) {
      unsigned sample[BATCH][EACH] = {};
#pragma unroll
      for (int i = 0; i < BATCH; i++)
        if (has_row(from + i))
          make(row(from + i), sample[i]);
#pragma unroll
      for (int i = 0; i < BATCH; i++)
        if (has_row(from + i))
          store_samples(target_row<Sample>(job, row(from + i)) + first, sample[i], n_written);
    }
  }

private:
  __device__ __forceinline__ int row(int i) const {
    return top + i * CC_PLANE_MAP_HEIGHT;
  }
  __device__ __forceinline__ bool has_row(int i) const {
    return row(i) < job.height && n_written > 0;
  }
};

/* Neighbouring samples, read in words. */
template <typename Sample, int N> struct Neighbours {
  static constexpr int WORDS = N * sizeof(Sample) / 4, PER_WORD = 4 / sizeof(Sample);
  unsigned word[WORDS];

  __device__ __forceinline__ void load(const Sample *from) {
    if constexpr (WORDS % 4 == 0)
#pragma unroll
      for (int i = 0; i < WORDS; i += 4) {
        const uint4 four = ((const uint4 *)from)[i / 4];
        word[i] = four.x, word[i + 1] = four.y, word[i + 2] = four.z, word[i + 3] = four.w;
      }
    else if constexpr (WORDS % 2 == 0)
#pragma unroll
      for (int i = 0; i < WORDS; i += 2) {
        const uint2 two = ((const uint2 *)from)[i / 2];
        word[i] = two.x, word[i + 1] = two.y;
      }
    else
#pragma unroll
      for (int i = 0; i < WORDS; i++)
        word[i] = ((const unsigned *)from)[i];
  }

  __device__ __forceinline__ unsigned sample(int i) const {
    constexpr unsigned all = sizeof(Sample) == 1 ? 0xFF : 0xFFFF;
    return word[i / PER_WORD] >> 8 * sizeof(Sample) * (i % PER_WORD) & all;
  }
};

/* --- deinterleaving --- */

template <typename Sample>
static __device__ __forceinline__ const Sample *
frame_row(const CcDeinterleaveJob &priv, int plane, int y) {
  return (const Sample *)((const char *)priv.address[plane] + (long long)y * priv.pitch[plane]);
}

/* Rounds a weighted sum of the code values of a pixel to its luma. */
static __device__ __forceinline__ unsigned
finish_luma(const CcPlaneJob &job, unsigned sum) {
  return (sum + CC_LUMA_HALF) >> CC_LUMA_SHIFT << job.shift;
}

template <typename Sample>
static __device__ __forceinline__ unsigned
deinterleave_sample(const CcPlaneJob &job, const CcDeinterleaveJob &priv, int y, int i) {
  const long long at = (long long)i * priv.spacing;
  if (!priv.is_luma)
    return frame_row<Sample>(priv, 0, y)[at + priv.first];
  unsigned sum = 0;
  for (int n = 0; n < (priv.n_planes == 3 ? 3 : priv.spacing); n++) {
    const Sample *from = priv.n_planes == 3 ? frame_row<Sample>(priv, n, y) + i
                                            : frame_row<Sample>(priv, 0, y) + at + n;
    sum += priv.weight[n] * code_of(job, *from);
  }
  return finish_luma(job, sum);
}

/* Reads a thread's samples from one plane of the frame. */
template <typename Sample, int SPACING>
static __device__ __forceinline__ void
deinterleave_spaced(const CcPlaneJob &job, const CcDeinterleaveJob &priv, int y, int first,
                    unsigned (&sample)[EACH]) {
  Neighbours<Sample, EACH * SPACING> run;
  run.load(frame_row<Sample>(priv, 0, y) + (long long)first * SPACING);
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    unsigned one = 0, sum = 0;
#pragma unroll
    for (int n = 0; n < SPACING; n++) {
      const unsigned stored = run.sample(i * SPACING + n);
      one = n == priv.first ? stored : one;
      sum += priv.weight[n] * code_of(job, (Sample)stored);
    }
    sample[i] = priv.is_luma ? finish_luma(job, sum) : one;
  }
}

/* Reads a thread's samples from a frame with separate planes for red, green and blue. */
template <typename Sample>
static __device__ __forceinline__ void
deinterleave_planes(const CcPlaneJob &job, const CcDeinterleaveJob &priv, int y, int first,
                    unsigned (&sample)[EACH]) {
  Neighbours<Sample, EACH> run[3];
#pragma unroll
  for (int n = 0; n < 3; n++)
    run[n].load(frame_row<Sample>(priv, n, y) + first);
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    unsigned sum = 0;
#pragma unroll
    for (int n = 0; n < 3; n++)
      sum += priv.weight[n] * code_of(job, (Sample)run[n].sample(i));
    sample[i] = finish_luma(job, sum);
  }
}

template <typename Sample>
static __device__ __forceinline__ void
deinterleave(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const ThreadSamples thread(launch, CC_PLANE_MAP_FILL / sizeof(Sample));
  const CcPlaneJob &job = thread.job;
  const CcDeinterleaveJob &priv = *CC_PRIVATE(const CcDeinterleaveJob, &job);
  const int first = thread.first;
  if (thread.n < EACH)
    thread.make_rows<Sample>([&](int y, unsigned(&sample)[EACH]) {
      for (int i = 0; i < thread.n; i++)
        sample[i] = deinterleave_sample<Sample>(job, priv, y, first + i);
    });
  else if (priv.n_planes == 3)
    thread.make_rows<Sample>([&](int y, unsigned(&sample)[EACH]) {
      deinterleave_planes<Sample>(job, priv, y, first, sample);
    });
  else if (priv.spacing == 2)
    thread.make_rows<Sample>([&](int y, unsigned(&sample)[EACH]) {
      deinterleave_spaced<Sample, 2>(job, priv, y, first, sample);
    });
  else if (priv.spacing == 3)
    thread.make_rows<Sample>([&](int y, unsigned(&sample)[EACH]) {
      deinterleave_spaced<Sample, 3>(job, priv, y, first, sample);
    });
  else
    thread.make_rows<Sample>([&](int y, unsigned(&sample)[EACH]) {
      deinterleave_spaced<Sample, 4>(job, priv, y, first, sample);
    });
}

/* --- interleaving --- */

/* The sample of a component in group `group` of row y of the frame. */
template <typename Sample>
static __device__ __forceinline__ unsigned
interleave_sample(const CcInterleaveJob &priv, int y, int group, int component) {
  if (priv.spacing[component] == 0)
    return 0;
  const int at =
      min(group * priv.spacing[component] + priv.offset[component], priv.last[component]);
  return ((const Sample *)((const char *)priv.address[component] +
                           (long long)y * priv.pitch[component]))[at];
}

template <typename Sample>
static __device__ __forceinline__ void
interleave(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const ThreadSamples thread(launch, 1);
  const CcPlaneJob &job = thread.job;
  const CcInterleaveJob &priv = *CC_PRIVATE(const CcInterleaveJob, &job);
  const int first = thread.first, n = thread.n;
  const int group = first / job.step, component = first - group * job.step;
  if (job.step == 1 && n >= EACH && priv.spacing[0] == 1) {
    const char *from = (const char *)priv.address[0] + (long long)first * sizeof(Sample);
    thread.make_rows<Sample>([&](int y, unsigned(&sample)[EACH]) {
      Neighbours<Sample, EACH> run;
      run.load((const Sample *)(from + (long long)y * priv.pitch[0]));
#pragma unroll
      for (int i = 0; i < EACH; i++)
        sample[i] = run.sample(i);
    });
    return;
  }
  thread.make_rows<Sample>([&](int y, unsigned(&sample)[EACH]) {
    if (job.step == 4) {
#pragma unroll
      for (int i = 0; i < EACH; i++)
        sample[i] = interleave_sample<Sample>(priv, y, group, i);
    } else {
#pragma unroll
      for (int i = 0; i < EACH; i++)
        if (i < n)
          sample[i] = interleave_sample<Sample>(priv, y, group + (component + i) / job.step,
                                                (component + i) % job.step);
    }
  });
}

#define THREADS (CC_PLANE_MAP_WIDTH * CC_PLANE_MAP_HEIGHT)
CC_ENTRY(cc_deinterleave_u8, THREADS, deinterleave<unsigned char>)
CC_ENTRY(cc_deinterleave_u16, THREADS, deinterleave<unsigned short>)
CC_ENTRY(cc_interleave_u8, THREADS, interleave<unsigned char>)
CC_ENTRY(cc_interleave_u16, THREADS, interleave<unsigned short>)
