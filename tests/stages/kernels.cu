/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stages of tests on the GPU: a thread for each sample. */

#include "kernels.h"
#include "cuda/instructions.cuh"
#include "cuda/tile.cuh"

#define OWN(part) (*CC_OWN(const TestStagePart, &(part)))

static __device__ unsigned
load_sample(const char *row, long long i, int bytes) {
  return bytes == 1   ? ((const unsigned char *)row)[i]
         : bytes == 2 ? ((const unsigned short *)row)[i]
                      : ((const unsigned *)row)[i];
}

static __device__ void
store_sample(char *row, long long i, int bytes, unsigned word) {
  if (bytes == 1)
    ((unsigned char *)row)[i] = (unsigned char)word;
  else if (bytes == 2)
    ((unsigned short *)row)[i] = (unsigned short)word;
  else
    ((unsigned *)row)[i] = word;
}

static __device__ void
add_count(const TestStagePart &own) {
  atomicAdd((unsigned long long *)own.count, 1ull);
}

/* The thread's sample of a plane: pixel x, row y, component c. FALSE: it has none. */
static __device__ bool
find_sample(const CcLaunch &launch, const CcPart &part, int &x, int &y, int &c) {
  const int index = blockIdx.x - part.first_tile;
  const int sample = index % part.tiles_across * TEST_STAGE_ACROSS + threadIdx.x;
  x = sample / part.step;
  c = sample % part.step;
  y = index / part.tiles_across * TEST_STAGE_DOWN + threadIdx.y;
  return x < part.width && y < part.height;
}

static __device__ unsigned
sample_at(const CcLaunch &launch, const CcPart &part, int x, int y, int c) {
  x = cc_border_index(x, part.width, launch.border);
  y = cc_border_index(y, part.height, launch.border);
  if (x < 0 || y < 0)
    return part.border_code[c] << part.shift;
  return load_sample((const char *)part.src + (long long)y * part.src_pitch,
                     (long long)x * part.step + c, OWN(part).from_bytes);
}

static __device__ __forceinline__ void
maximum(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const CcPart &part = find_part(launch, blockIdx.x);
  const TestStagePart &own = OWN(part);
  int x, y, c;
  if (!find_sample(launch, part, x, y, c) || !(own.made_mask >> c & 1))
    return;
  const unsigned before = sample_at(launch, part, x, y, c);
  unsigned most = before;
  for (int j = -1; j <= 1 && part.filter_mask >> c & 1; j++)
    for (int i = -1; i <= 1; i++)
      most = max(most, sample_at(launch, part, x + i, y + j, c));
  if (most != before)
    add_count(own);
  store_sample((char *)part.dst + (long long)y * part.dst_pitch, (long long)x * part.step + c,
               own.to_bytes, most);
}

static __device__ __forceinline__ void
larger(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const CcPart &part = find_part(launch, blockIdx.x);
  const TestStagePart &own = OWN(part);
  int x, y, c;
  if (!find_sample(launch, part, x, y, c) || !(part.filter_mask >> c & 1))
    return;
  const int stride = launch.stride;
  long long from_at = (long long)stride * x * part.step + c;
  bool counts = true;
  if (own.luma >= 0 && c % 2 == own.luma) { /* of pairs, two pixels lie in a group */
    const int pixel = 2 * x + c / 2, from = stride * min(pixel, own.n_pixels - 1);
    counts = pixel < own.n_pixels; /* else it repeats the pixel before */
    from_at = (long long)(from / 2) * part.step + own.luma + 2 * (from % 2);
  }
  char *row = (char *)part.dst + (long long)y * part.dst_pitch;
  const long long at = (long long)x * part.step + c;
  const unsigned from = load_sample((const char *)part.src + (long long)stride * y * part.src_pitch,
                                    from_at, own.from_bytes);
  if (from <= load_sample(row, at, own.from_bytes))
    return;
  if (counts)
    add_count(own);
  store_sample(row, at, own.from_bytes, from);
}

CC_ENTRY(cc_test_maximum, TEST_STAGE_ACROSS *TEST_STAGE_DOWN, maximum)
CC_ENTRY(cc_test_larger, TEST_STAGE_ACROSS *TEST_STAGE_DOWN, larger)
