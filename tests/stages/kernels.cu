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

/* The thread's sample of a plane. FALSE: it has none. */
static __device__ bool
find_sample(const Tile &tile, int &x, int &y) {
  x = tile.x + threadIdx.x;
  y = tile.y + threadIdx.y;
  return x < tile.part.width && y < tile.part.height;
}

static __device__ void
add_count(const CcPart &part) {
  atomicAdd((unsigned long long *)OWN(part).count, 1ull);
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
  const Tile tile = find_tile(launch, CC_STAGE_TILE_WIDTH, CC_STAGE_TILE_HEIGHT);
  const CcPart &part = tile.part;
  const int c = tile.component;
  int x, y;
  if (!find_sample(tile, x, y) || !((part.filter_mask | part.copy_mask) >> c & 1))
    return;
  const unsigned before = sample_at(launch, part, x, y, c);
  unsigned most = before;
  for (int j = -1; j <= 1 && is_filtered(part, c); j++)
    for (int i = -1; i <= 1; i++) {
      const unsigned word = sample_at(launch, part, x + i, y + j, c);
      most = word > most ? word : most;
    }
  if (most != before)
    add_count(part);
  store_sample((char *)part.dst + (long long)y * part.dst_pitch, (long long)x * part.step + c,
               OWN(part).to_bytes, most);
}

static __device__ __forceinline__ void
larger(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const Tile tile = find_tile(launch, CC_STAGE_TILE_WIDTH, CC_STAGE_TILE_HEIGHT);
  const CcPart &part = tile.part;
  const TestStagePart &own = OWN(part);
  const int c = tile.component, stride = launch.stride;
  int x, y;
  if (!find_sample(tile, x, y))
    return;
  long long from_at = (long long)stride * x * part.step + c;
  if (own.luma >= 0 && c % 2 == own.luma) { /* two pixels lie in a group */
    const int pixel = 2 * x + c / 2;
    const int from = stride * (pixel < own.n_pixels ? pixel : own.n_pixels - 1);
    from_at = (long long)(from / 2) * part.step + own.luma + 2 * (from % 2);
  }
  char *row = (char *)part.dst + (long long)y * part.dst_pitch;
  const char *source = (const char *)part.src + (long long)stride * y * part.src_pitch;
  const long long at = (long long)x * part.step + c;
  const unsigned from = load_sample(source, from_at, part.sample_bytes);
  if (from <= load_sample(row, at, part.sample_bytes))
    return;
  add_count(part);
  store_sample(row, at, part.sample_bytes, from);
}

#define THREADS (CC_STAGE_TILE_WIDTH * CC_STAGE_TILE_HEIGHT)
CC_ENTRY(cc_test_maximum, THREADS, maximum)
CC_ENTRY(cc_test_larger, THREADS, larger)
