/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "measure.h"

#include "compose.h"

CcMeasure *
cc_measure_new(const CcFilter *filter, const CcFrameLayout *frame, gboolean is_grey) {
  if (filter->measure == CC_MEASURE_OFF)
    return NULL;
  CcMeasure *self = g_new0(CcMeasure, 1);
  CcComponentGroup *group = &self->group;
  CcRole role = CC_ROLE_LUMA;
  self->frame = *frame;
  self->has_histogram = filter->measure == CC_MEASURE_HISTOGRAM;
  group->across = group->down = 1;
  if (cc_frame_layout_has_rgb(frame)) {
    role = CC_ROLE_RED;
    group->n = is_grey ? 1 : 3;
    for (guint i = 0; i < group->n; i++)
      cc_frame_layout_find_role(frame, CC_ROLE_RED + i, &group->offset[i]);
  } else {
    if (!cc_frame_layout_find_role(frame, role, &group->offset[0]))
      cc_frame_layout_find_role(frame, role = CC_ROLE_GREY, &group->offset[0]);
    group->n = 1;
  }
  group->plane = group->offset[0].plane;
  const CcPlaneLayout *plane = &frame->plane[group->plane];
  if (plane->has_macropixels)
    group->offset[0].spacing = 2;
  guint black, white;
  cc_compose_find_range(frame, role, plane->depth, &black, &white);
  self->limits = (CcMeasureLimits){
      .above = filter->threshold > 0 ? cc_compose_find_limit(filter->threshold, black, white)
                                     : G_MAXUINT32,
      .black = black,
      .white = white,
      .bin_shift = plane->depth - 8,
  };
  return self;
}

gboolean
cc_measure_reads_planes(const CcMeasure *self) {
  return self->group.n > 1 && self->group.offset[0].plane != self->group.offset[1].plane;
}

gsize
cc_measure_result_bytes(const CcMeasure *self) {
  return self->has_histogram ? sizeof(CcMeasured) : offsetof(CcMeasured, bin);
}

void
cc_measured_add(CcMeasured *self, const CcMeasured *other, gboolean has_histogram) {
  self->n += other->n;
  self->sum += other->sum;
  self->squares += other->squares;
  self->largest = MAX(self->largest, other->largest);
  self->n_above += other->n_above;
  self->n_black += other->n_black;
  self->n_white += other->n_white;
  for (guint i = 0; i < CC_MEASURE_BINS && has_histogram; i++)
    self->bin[i] += other->bin[i];
}
