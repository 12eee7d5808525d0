/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stages of tests on the GPU: one thread per sample. */

#include "kernels.h"
#include "cuda/instructions.cuh"
#include "cuda/tile.cuh"

#define PRIVATE(job) (*CC_PRIVATE(const TestStageJob, &(job)))

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

/* Finds the thread's sample of a plane. FALSE: it has none. */
static __device__ bool
find_sample(const Tile &tile, int &x, int &y) {
  x = tile.x + threadIdx.x;
  y = tile.y + threadIdx.y;
  return x < tile.job.width && y < tile.job.height;
}

static __device__ void
add_count(const CcPlaneJob &job) {
  atomicAdd((unsigned long long *)PRIVATE(job).count, 1ull);
}

static __device__ unsigned
sample_at(const CcLaunch &launch, const CcPlaneJob &job, int x, int y, int c) {
  x = cc_border_index(x, job.width, launch.border);
  y = cc_border_index(y, job.height, launch.border);
  if (x < 0 || y < 0)
    return job.border_code[c] << job.shift;
  return load_sample((const char *)job.src + (long long)y * job.src_pitch,
                     (long long)x * job.step + c, PRIVATE(job).from_bytes);
}

static __device__ __forceinline__ void
maximum(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const Tile tile = find_tile(launch, CC_STAGE_TILE_WIDTH, CC_STAGE_TILE_HEIGHT);
  const CcPlaneJob &job = tile.job;
  const int c = tile.component;
  int x, y;
  if (!find_sample(tile, x, y) || !((job.filter_mask | job.copy_mask) >> c & 1))
    return;
  const unsigned before = sample_at(launch, job, x, y, c);
  unsigned largest = before;
  for (int j = -1; j <= 1 && is_filtered(job, c); j++)
    for (int i = -1; i <= 1; i++) {
      const unsigned word = sample_at(launch, job, x + i, y + j, c);
      largest = word > largest ? word : largest;
    }
  if (largest != before)
    add_count(job);
  store_sample((char *)job.dst + (long long)y * job.dst_pitch, (long long)x * job.step + c,
               PRIVATE(job).to_bytes, largest);
}

static __device__ __forceinline__ void
larger(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const Tile tile = find_tile(launch, CC_STAGE_TILE_WIDTH, CC_STAGE_TILE_HEIGHT);
  const CcPlaneJob &job = tile.job;
  const TestStageJob &priv = PRIVATE(job);
  const int c = tile.component, stride = launch.stride;
  int x, y;
  if (!find_sample(tile, x, y))
    return;
  long long from_at = (long long)stride * x * job.step + c;
  if (priv.luma >= 0 && c % 2 == priv.luma) { /* a group has two pixels */
    const int pixel = 2 * x + c / 2;
    const int from = stride * (pixel < priv.n_pixels ? pixel : priv.n_pixels - 1);
    from_at = (long long)(from / 2) * job.step + priv.luma + 2 * (from % 2);
  }
  char *row = (char *)job.dst + (long long)y * job.dst_pitch;
  const char *source = (const char *)job.src + (long long)stride * y * job.src_pitch;
  const long long at = (long long)x * job.step + c;
  const unsigned from = load_sample(source, from_at, job.sample_bytes);
  if (from <= load_sample(row, at, job.sample_bytes))
    return;
  add_count(job);
  store_sample(row, at, job.sample_bytes, from);
}

#define THREADS (CC_STAGE_TILE_WIDTH * CC_STAGE_TILE_HEIGHT)
CC_ENTRY(cc_test_maximum, THREADS, maximum)
CC_ENTRY(cc_test_larger, THREADS, larger)
