/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Direction as hue: cc_hue_u8_i32 and so on, by the type of samples and that of the sums over all
 * pixels of a sample. A thread makes a sample of a field, from the windows around all of its
 * pixels, and stores it in each of the field's places. */

#include "direction_color.h"
#include "cuda/instructions.cuh"
#include "cuda/tile.cuh"

#define OWN(part) (*CC_OWN(const CcHuePart, &(part)))

/* The code value at pixel (x, y) in one place of the source. */
template <typename Sample>
static __device__ __forceinline__ unsigned
code_at(const CcPart &part, const CcHuePart &own, int place, int x, int y) {
  const Sample *row =
      (const Sample *)((const char *)own.src[place] + (long long)y * own.src_pitch[place]);
  return code_of(part, row[own.src_first[place] + (long long)x * own.src_spacing[place]]);
}

/* The luma of pixel (x, y), or what the border rule puts there. */
template <typename Sample>
static __device__ __forceinline__ int
luma_at(const CcLaunch &launch, const CcPart &part, const CcHuePart &own, int x, int y) {
  x = cc_border_index(x, part.src_width, launch.border);
  y = cc_border_index(y, part.src_height, launch.border);
  if (x < 0 || y < 0)
    return part.border_code[0];
  const unsigned first = code_at<Sample>(part, own, 0, x, y);
  if (own.n_src == 1)
    return first;
  return cc_luma_of(first, code_at<Sample>(part, own, 1, x, y),
                    code_at<Sample>(part, own, 2, x, y));
}

/* Adds the gradient of pixel (x, y). */
template <typename Sample, typename Sum>
static __device__ __forceinline__ void
add_gradient(const CcLaunch &launch, const CcPart &part, const CcHuePart &own, int x, int y,
             Sum &x_sum, Sum &y_sum) {
  const int width = launch.window_width, height = launch.window_height;
  const CcTap *tap = launch.tap;
  for (int r = 0; r < height; r++)
    for (int c = 0; c < width; c++, tap++) {
      const int luma = luma_at<Sample>(launch, part, own, x + c - width / 2, y + r - height / 2);
      x_sum = multiply_add(tap[0], luma, x_sum);
      y_sum = multiply_add(tap[width * height], luma, y_sum);
    }
}

/* Stores sample (x, y) in each place. */
template <typename Sample>
static __device__ __forceinline__ void
store_hue(const CcLaunch &launch, const CcPart &part, const CcHuePart &own, int x, int y,
          int index) {
  const unsigned short *table = (const unsigned short *)launch.memory_taps;
  for (int i = 0; i < own.n_dst; i++) {
    const Sample word = (Sample)table[own.component[i] * CC_HUE_INDICES + index];
    const int repeats = x == part.width - 1 && own.component[i] == 0 ? own.repeats : 0;
    Sample *row = (Sample *)((char *)own.dst[i] + (long long)y * own.dst_pitch[i]);
    for (int k = 0; k <= repeats; k++)
      row[own.dst_first[i] + (long long)(x + k) * own.dst_spacing[i]] = word;
  }
}

/* Copies or fills what lies beside sample (x, y), which is a pixel. */
template <typename Sample>
static __device__ __forceinline__ void
store_aside(const CcLaunch &launch, const CcPart &part, const CcHuePart &own, int x, int y) {
  const long long from = (long long)launch.stride * x * own.src_spacing[0] + own.aside_first;
  const Sample *src =
      (const Sample *)((const char *)own.src[0] + (long long)launch.stride * y * own.src_pitch[0]);
  Sample *dst = (Sample *)((char *)own.dst[0] + (long long)y * own.dst_pitch[0]);
  dst[(long long)x * own.dst_spacing[0] + own.aside_first] =
      own.aside == CC_HUE_ASIDE_COPY ? src[from] : (Sample)part.fill[0];
}

template <typename Sample, typename Sum>
static __device__ __forceinline__ void
hue(const CcLaunch &launch) {
  allow_next_launch();
  wait_for_last_launch();
  const CcPart &part = find_part(launch, blockIdx.x);
  const CcHuePart &own = OWN(part);
  const int index = blockIdx.x - part.first_tile;
  const int x = index % part.tiles_across * CC_HUE_ACROSS + threadIdx.x;
  const int y = index / part.tiles_across * CC_HUE_DOWN + threadIdx.y;
  if (x >= part.width || y >= part.height)
    return;
  const int left = own.left + own.across * launch.stride * x;
  const int top = own.top + own.down * launch.stride * y;
  const int right = min(left + own.across, part.src_width);
  const int bottom = min(top + own.down, part.src_height);
  Sum x_sum = 0, y_sum = 0;
  for (int j = max(top, 0); j < bottom; j++)
    for (int i = max(left, 0); i < right; i++)
      add_gradient<Sample>(launch, part, own, i, j, x_sum, y_sum);
  store_hue<Sample>(launch, part, own, x, y, cc_hue_of((float)x_sum, (float)y_sum, part.add_f));
  if (own.aside)
    store_aside<Sample>(launch, part, own, x, y);
}

#define THREADS (CC_HUE_ACROSS * CC_HUE_DOWN)
CC_ENTRY(cc_hue_u8_i32, THREADS, hue<unsigned char, int>)
CC_ENTRY(cc_hue_u8_i64, THREADS, hue<unsigned char, long long>)
CC_ENTRY(cc_hue_u16_i32, THREADS, hue<unsigned short, int>)
CC_ENTRY(cc_hue_u16_i64, THREADS, hue<unsigned short, long long>)
