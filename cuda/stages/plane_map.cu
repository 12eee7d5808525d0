/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Planes of packed frames, to and from scratch: cc_unpack_u8 and cc_unpack_u16 take planes out of a
 * frame, cc_pack_u8 and cc_pack_u16 put them back. A thread reads or writes the frame in words that
 * hold all of its samples, except at the end of a row. */

#include "plane_map.h"
#include "cuda/instructions.cuh"
#include "cuda/tile.cuh"

#define EACH CC_PACKING_EACH

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

/* A thread's samples: EACH of a row from sample `first` on, of which `n` are in the row and `room`
 * are written, in every DOWN-th row from `top` on. What is written behind a row fills it up to a
 * `multiple` of samples. */
struct Own {
  const CcPart &part;
  int first, n, room, top;

  __device__ __forceinline__ explicit Own(const CcLaunch &launch, int multiple)
      : part(find_part(launch, blockIdx.x)) {
    const int index = blockIdx.x - part.first_tile;
    const int row = index / part.tiles_across, column = index - row * part.tiles_across;
    first = (column * CC_PACKING_ACROSS + threadIdx.x) * EACH;
    n = part.width * part.step - first;
    room = (part.width * part.step + multiple - 1) / multiple * multiple - first;
    top = row * (CC_PACKING_DOWN * CC_PACKING_ROWS) + threadIdx.y;
  }

  /* Calls make(y, sample) for the samples of some rows, so that many reads are under way at once,
   * and then writes those; and so on. */
  template <typename Sample, typename Make>
  __device__ __forceinline__ void make_rows(Make make) const {
    constexpr int BATCH = CC_PACKING_ROWS / 2;
#pragma unroll 1
    for (int from = 0; from < CC_PACKING_ROWS; from += BATCH) {
      unsigned sample[BATCH][EACH] = {};
#pragma unroll
      for (int i = 0; i < BATCH; i++)
        if (has_row(from + i))
          make(row(from + i), sample[i]);
#pragma unroll
      for (int i = 0; i < BATCH; i++)
        if (has_row(from + i))
          store_samples(target_row<Sample>(part, row(from + i)) + first, sample[i], room);
    }
  }

private:
  __device__ __forceinline__ int row(int i) const {
    return top + i * CC_PACKING_DOWN;
  }
  __device__ __forceinline__ bool has_row(int i) const {
    return row(i) < part.height && room > 0;
  }
};

/* Samples side by side, read and written in words. */
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

/* --- out of a frame --- */

/* Row y of a plane of the frame. */
template <typename Sample>
static __device__ __forceinline__ const Sample *
frame_row(const CcUnpackPart &own, int plane, int y) {
  return (const Sample *)((const char *)own.address[plane] + (long long)y * own.pitch[plane]);
}

/* The code values of a pixel weighted. */
static __device__ __forceinline__ unsigned
finish_luma(const CcPart &part, unsigned sum) {
  return (sum + CC_LUMA_HALF) >> CC_LUMA_SHIFT << part.shift;
}

/* Sample i of the plane, read by itself. */
template <typename Sample>
static __device__ __forceinline__ unsigned
unpack_sample(const CcPart &part, const CcUnpackPart &own, int y, int i) {
  const long long at = (long long)i * own.spacing;
  if (!own.is_luma)
    return frame_row<Sample>(own, 0, y)[at + own.first];
  unsigned sum = 0;
  for (int n = 0; n < (own.n_planes == 3 ? 3 : own.spacing); n++) {
    const Sample *from = own.n_planes == 3 ? frame_row<Sample>(own, n, y) + i
                                           : frame_row<Sample>(own, 0, y) + at + n;
    sum += own.weight[n] * code_of(part, *from);
  }
  return finish_luma(part, sum);
}

/* A thread's samples of a frame with one plane. */
template <typename Sample, int SPACING>
static __device__ __forceinline__ void
unpack_spaced(const CcPart &part, const CcUnpackPart &own, int y, int first,
              unsigned (&sample)[EACH]) {
  Neighbours<Sample, EACH * SPACING> run;
  run.load(frame_row<Sample>(own, 0, y) + (long long)first * SPACING);
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    unsigned one = 0, sum = 0;
#pragma unroll
    for (int n = 0; n < SPACING; n++) {
      const unsigned stored = run.sample(i * SPACING + n);
      one = n == own.first ? stored : one;
      sum += own.weight[n] * code_of(part, (Sample)stored);
    }
    sample[i] = own.is_luma ? finish_luma(part, sum) : one;
  }
}

/* A thread's samples of a frame with a plane for each of red, green and blue. */
template <typename Sample>
static __device__ __forceinline__ void
unpack_planes(const CcPart &part, const CcUnpackPart &own, int y, int first,
              unsigned (&sample)[EACH]) {
  Neighbours<Sample, EACH> run[3];
#pragma unroll
  for (int n = 0; n < 3; n++)
    run[n].load(frame_row<Sample>(own, n, y) + first);
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    unsigned sum = 0;
#pragma unroll
    for (int n = 0; n < 3; n++)
      sum += own.weight[n] * code_of(part, (Sample)run[n].sample(i));
    sample[i] = finish_luma(part, sum);
  }
}

template <typename Sample>
static __device__ __forceinline__ void
unpack(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const Own thread(launch, CC_PACKING_FILL / sizeof(Sample));
  const CcPart &part = thread.part;
  const CcUnpackPart &own = *CC_OWN(const CcUnpackPart, &part);
  const int first = thread.first;
  if (thread.n < EACH)
    thread.make_rows<Sample>([&](int y, unsigned(&sample)[EACH]) {
      for (int i = 0; i < thread.n; i++)
        sample[i] = unpack_sample<Sample>(part, own, y, first + i);
    });
  else if (own.n_planes == 3)
    thread.make_rows<Sample>([&](int y, unsigned(&sample)[EACH]) {
      unpack_planes<Sample>(part, own, y, first, sample);
    });
  else if (own.spacing == 2)
    thread.make_rows<Sample>([&](int y, unsigned(&sample)[EACH]) {
      unpack_spaced<Sample, 2>(part, own, y, first, sample);
    });
  else if (own.spacing == 3)
    thread.make_rows<Sample>([&](int y, unsigned(&sample)[EACH]) {
      unpack_spaced<Sample, 3>(part, own, y, first, sample);
    });
  else
    thread.make_rows<Sample>([&](int y, unsigned(&sample)[EACH]) {
      unpack_spaced<Sample, 4>(part, own, y, first, sample);
    });
}

/* --- back into it --- */

/* Sample number `sample` of row y of the frame. */
template <typename Sample>
static __device__ __forceinline__ unsigned
pack_sample(const CcPackPart &own, int y, int group, int place) {
  if (own.each[place] == 0)
    return 0;
  const int at = min(group * own.each[place] + own.offset[place], own.last[place]);
  return ((const Sample *)((const char *)own.address[place] + (long long)y * own.pitch[place]))[at];
}

template <typename Sample>
static __device__ __forceinline__ void
pack(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const Own thread(launch, 1);
  const CcPart &part = thread.part;
  const CcPackPart &own = *CC_OWN(const CcPackPart, &part);
  const int first = thread.first, n = thread.n;
  const int group = first / part.step, place = first - group * part.step;
  if (part.step == 1 && n >= EACH && own.each[0] == 1) {
    const char *from = (const char *)own.address[0] + (long long)first * sizeof(Sample);
    thread.make_rows<Sample>([&](int y, unsigned(&sample)[EACH]) {
      Neighbours<Sample, EACH> run;
      run.load((const Sample *)(from + (long long)y * own.pitch[0]));
#pragma unroll
      for (int i = 0; i < EACH; i++)
        sample[i] = run.sample(i);
    });
    return;
  }
  thread.make_rows<Sample>([&](int y, unsigned(&sample)[EACH]) {
    if (part.step == 4) {
#pragma unroll
      for (int i = 0; i < EACH; i++)
        sample[i] = pack_sample<Sample>(own, y, group, i);
    } else {
#pragma unroll
      for (int i = 0; i < EACH; i++)
        if (i < n)
          sample[i] =
              pack_sample<Sample>(own, y, group + (place + i) / part.step, (place + i) % part.step);
    }
  });
}

#define THREADS (CC_PACKING_ACROSS * CC_PACKING_DOWN)
CC_ENTRY(cc_unpack_u8, THREADS, unpack<unsigned char>)
CC_ENTRY(cc_unpack_u16, THREADS, unpack<unsigned short>)
CC_ENTRY(cc_pack_u8, THREADS, pack<unsigned char>)
CC_ENTRY(cc_pack_u16, THREADS, pack<unsigned short>)
