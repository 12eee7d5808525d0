/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Reads the luma of single pixels. */

#include "luma.h"
#include "cuda/tile.cuh"

template <typename Sample>
static __device__ __forceinline__ unsigned
component_at(const CcPlaneJob &job, const CcLumaSource &luma, int i, int x, int y) {
  const Sample *row =
      (const Sample *)((const char *)luma.address[i] + (long long)y * luma.pitch[i]);
  return code_of(job, row[luma.first[i] + (long long)x * luma.spacing[i]]);
}

/* The luma of pixel (x, y). Outside the source, the border rule determines the value. With
 * READ_FREE the pixel must be inside. */
template <typename Sample, bool READ_FREE>
static __device__ __forceinline__ int
luma_at(const CcLaunch &launch, const CcPlaneJob &job, const CcLumaSource &luma, int x, int y) {
  if (!READ_FREE) {
    x = cc_border_index(x, job.src_width, launch.border);
    y = cc_border_index(y, job.src_height, launch.border);
    if (x < 0 || y < 0)
      return job.border_code[0];
  }
  const unsigned first = component_at<Sample>(job, luma, 0, x, y);
  if (luma.n == 1)
    return first;
  return cc_luma_of(first, component_at<Sample>(job, luma, 1, x, y),
                    component_at<Sample>(job, luma, 2, x, y));
}
