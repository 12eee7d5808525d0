/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frame.h"

static gboolean
plane_layout_equal(const CcPlaneLayout *a, const CcPlaneLayout *b) {
  if (a->width != b->width || a->height != b->height || a->step != b->step || a->type != b->type ||
      a->depth != b->depth || a->shift != b->shift || a->has_macropixels != b->has_macropixels)
    return FALSE;
  for (guint i = 0; i < a->step; i++)
    if (a->role[i] != b->role[i])
      return FALSE;
  return TRUE;
}

gboolean
cc_frame_layout_equal(const CcFrameLayout *a, const CcFrameLayout *b) {
  if (a->n_planes != b->n_planes || a->limited_range != b->limited_range || a->kr != b->kr ||
      a->kb != b->kb)
    return FALSE;
  for (guint i = 0; i < a->n_planes; i++)
    if (!plane_layout_equal(&a->plane[i], &b->plane[i]))
      return FALSE;
  return TRUE;
}

CcFrameLayout
cc_frame_layout_shrink(const CcFrameLayout *layout, guint stride) {
  CcFrameLayout shrunk = *layout;
  for (guint i = 0; i < layout->n_planes; i++) {
    CcPlaneLayout *plane = &shrunk.plane[i];
    plane->width = (plane->width + stride - 1) / stride;
    plane->height = (plane->height + stride - 1) / stride;
  }
  return shrunk;
}
