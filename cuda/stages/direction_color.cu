/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shows direction as hue. A kernel name such as cc_direction_color_u8_i32 contains the type of
 * samples and the type of the sums over all pixels of a sample. A thread computes one sample
 * position of a component group from the windows around all pixels of that position. The thread
 * stores a sample for each component of the group. */

#include "direction_color.h"
#include "cuda/instructions.cuh"
#include "luma.cuh"

#define PRIVATE(job) (*CC_PRIVATE(const CcDirectionColorJob, &(job)))

template <typename Sample, typename Sum>
static __device__ __forceinline__ void
add_gradient(const CcLaunch &launch, const CcPlaneJob &job, const CcDirectionColorJob &priv, int x,
             int y, Sum &x_sum, Sum &y_sum) {
  const int width = launch.window_width, height = launch.window_height;
  const CcTap *tap = launch.tap;
  for (int r = 0; r < height; r++)
    for (int c = 0; c < width; c++, tap++) {
      const int luma =
          luma_at<Sample, false>(launch, job, priv.luma, x + c - width / 2, y + r - height / 2);
      x_sum = multiply_add(tap[0], luma, x_sum);
      y_sum = multiply_add(tap[width * height], luma, y_sum);
    }
}

/* Stores sample (x, y) of each component. `index` comes from cc_hue_index. */
template <typename Sample>
static __device__ __forceinline__ void
store_direction_color(const CcLaunch &launch, const CcPlaneJob &job,
                      const CcDirectionColorJob &priv, int x, int y, int index) {
  const unsigned short *table = (const unsigned short *)launch.memory_taps;
  for (int i = 0; i < priv.n_dst; i++) {
    const Sample word = (Sample)table[priv.component[i] * CC_HUE_INDICES + index];
    const int repeats = x == job.width - 1 && priv.component[i] == 0 ? priv.repeats : 0;
    Sample *row = (Sample *)((char *)priv.dst[i] + (long long)y * priv.dst_pitch[i]);
    for (int k = 0; k <= repeats; k++)
      row[priv.dst_first[i] + (long long)(x + k) * priv.dst_spacing[i]] = word;
  }
}

/* Copies or fills the passthrough component of pixel (x, y). */
template <typename Sample>
static __device__ __forceinline__ void
store_passthrough(const CcLaunch &launch, const CcPlaneJob &job, const CcDirectionColorJob &priv,
                  int x, int y) {
  const long long from =
      (long long)launch.stride * x * priv.luma.spacing[0] + priv.passthrough_first;
  const Sample *src = (const Sample *)((const char *)priv.luma.address[0] +
                                       (long long)launch.stride * y * priv.luma.pitch[0]);
  Sample *dst = (Sample *)((char *)priv.dst[0] + (long long)y * priv.dst_pitch[0]);
  dst[(long long)x * priv.dst_spacing[0] + priv.passthrough_first] =
      priv.passthrough == CC_DIRECTION_COLOR_COPY ? src[from] : (Sample)job.fill[0];
}

template <typename Sample, typename Sum>
static __device__ __forceinline__ void
color(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const CcPlaneJob &job = find_job(launch, blockIdx.x);
  const CcDirectionColorJob &priv = PRIVATE(job);
  const int index = blockIdx.x - job.first_tile;
  const int x = index % job.tiles_across * CC_DIRECTION_COLOR_WIDTH + threadIdx.x;
  const int y = index / job.tiles_across * CC_DIRECTION_COLOR_HEIGHT + threadIdx.y;
  if (x >= job.width || y >= job.height)
    return;
  const int left = priv.left + priv.across * launch.stride * x;
  const int top = priv.top + priv.down * launch.stride * y;
  const int right = min(left + priv.across, job.src_width);
  const int bottom = min(top + priv.down, job.src_height);
  Sum x_sum = 0, y_sum = 0;
  for (int j = max(top, 0); j < bottom; j++)
    for (int i = max(left, 0); i < right; i++)
      add_gradient<Sample>(launch, job, priv, i, j, x_sum, y_sum);
  store_direction_color<Sample>(launch, job, priv, x, y,
                                cc_hue_index((float)x_sum, (float)y_sum, job.add_f));
  if (priv.passthrough)
    store_passthrough<Sample>(launch, job, priv, x, y);
}

#define THREADS (CC_DIRECTION_COLOR_WIDTH * CC_DIRECTION_COLOR_HEIGHT)
CC_ENTRY(cc_direction_color_u8_i32, THREADS, color<unsigned char, int>)
CC_ENTRY(cc_direction_color_u8_i64, THREADS, color<unsigned char, long long>)
CC_ENTRY(cc_direction_color_u16_i32, THREADS, color<unsigned short, int>)
CC_ENTRY(cc_direction_color_u16_i64, THREADS, color<unsigned short, long long>)
