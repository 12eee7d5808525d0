/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "canny.h"

#include <math.h>
#include "output_stage.h"

CcRole
cc_canny_set_group(CcCanny *self, const CcFrameLayout *planes, const CcPlaneMap *map) {
  CcComponentOffset component;
  self->group = (CcComponentGroup){.across = 1, .down = 1};
  if (map[0].kind == CC_PLANE_MAP_LUMA) {
    self->group.n = 3;
    for (guint i = 0; i < 3; i++)
      self->group.offset[i] = map[0].offset[i];
    return CC_ROLE_GREY;
  }
  const gboolean has_luma = cc_frame_layout_find_role(planes, CC_ROLE_LUMA, &component);
  const CcRole role = has_luma ? CC_ROLE_LUMA : CC_ROLE_GREY;
  if (!has_luma && !cc_frame_layout_find_role(planes, role, &component))
    g_return_val_if_reached(role);
  self->group.plane = component.plane;
  self->group.n = 1;
  self->group.offset[0] = map[component.plane].offset[0];
  self->group.offset[0].first += component.first * self->group.offset[0].spacing;
  self->group.offset[0].spacing *= component.spacing;
  return role;
}

static gint64
threshold_of(const CcCanny *self, gdouble value) {
  value = ldexp(value, -(gint)self->round_bits);
  return (gint64)floor(self->is_l2 ? value * value : value);
}

void
cc_canny_set_thresholds(CcCanny *self, gdouble low, gdouble high) {
  self->low = threshold_of(self, MIN(low, high));
  self->high = threshold_of(self, MAX(low, high));
}

gint64
cc_canny_largest_gradient(const CcCanny *self) {
  return cc_canny_round(cc_op_largest_sum(self->op), (int)self->round_bits);
}

gint64
cc_canny_largest_magnitude(const CcCanny *self) {
  const gint64 largest = cc_canny_largest_gradient(self);
  return cc_canny_magnitude(largest, largest, self->is_l2);
}
