/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The part of the oracle that computes regions and strides. */

#include "tests/ref/oracle.h"

static guint
stride_of(const CcFilter *filter) {
  return filter->stride == 0 ? 1 : filter->stride;
}

/* Returns how many of n pixels remain if every stride-th pixel is kept, beginning with the
 * first. */
static guint
count_kept(guint n, guint stride) {
  guint count = 0;
  for (guint i = 0; i < n; i += stride)
    count++;
  return count;
}

CcFrameLayout
oracle_out_layout(const CcFilter *filter, const CcFrameLayout *layout) {
  CcFrameLayout out = *layout;
  for (guint p = 0; p < out.n_planes; p++) {
    out.plane[p].width = count_kept(layout->plane[p].width, stride_of(filter));
    out.plane[p].height = count_kept(layout->plane[p].height, stride_of(filter));
  }
  return out;
}

/* Computes one dimension of a region. Pixels `first` to `last` of the image are written to the
 * pixels from `position` on. A plane of `size` pixels has one pixel for every `each` pixels of the
 * image. `each` is a power of two. */
static void
span_of_plane(guint image, guint first, guint last, guint position, guint size, guint stride,
              guint *from, guint *n_read, guint *to, guint *n_written) {
  guint each = 1;
  while (count_kept(image, each) != size) {
    g_assert_cmpuint(each, <, image);
    each *= 2;
  }
  *from = first / each;
  *n_read = last / each - first / each + 1;
  *to = position / each;
  *n_written = 0;
  for (guint i = 0; i < *n_read && *to + *n_written < count_kept(size, stride); i += stride)
    ++*n_written;
}

void
oracle_regions_of_size(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout,
                       guint plane_width, guint plane_height, CcRect *source, CcRect *target) {
  guint stride = stride_of(filter), width = 0, height = 0;
  for (guint p = 0; p < layout->n_planes; p++) {
    width = layout->plane[p].width > width ? layout->plane[p].width : width;
    height = layout->plane[p].height > height ? layout->plane[p].height : height;
  }
  guint left = 0, top = 0, right = width - 1, bottom = height - 1;
  if (roi && roi->source.width != 0 && roi->source.height != 0) {
    left = roi->source.x;
    top = roi->source.y;
    if (roi->source.width <= right - left)
      right = left + roi->source.width - 1;
    if (roi->source.height <= bottom - top)
      bottom = top + roi->source.height - 1;
  }
  guint position_x = roi && roi->target_set ? roi->target_x : left / stride;
  guint position_y = roi && roi->target_set ? roi->target_y : top / stride;
  span_of_plane(width, left, right, position_x, plane_width, stride, &source->x, &source->width,
                &target->x, &target->width);
  span_of_plane(height, top, bottom, position_y, plane_height, stride, &source->y, &source->height,
                &target->y, &target->height);
}

void
oracle_regions(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout, guint plane,
               CcRect *source, CcRect *target) {
  oracle_regions_of_size(filter, roi, layout, cc_plane_groups(&layout->plane[plane]),
                         layout->plane[plane].height, source, target);
}
