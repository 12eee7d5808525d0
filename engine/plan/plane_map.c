/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plane_map.h"

/* Appends a plane with `step` samples per pixel. The roles are copied from the frame's plane,
 * starting at offset.first. */
static CcPlaneLayout *
add_plane(CcFrameLayout *planes, const CcFrameLayout *frame, CcPlaneMap map[CC_MAX_PLANES],
          CcPlaneMapKind kind, CcComponentOffset offset, guint width, guint step) {
  const guint n = planes->n_planes++;
  CcPlaneLayout *plane = &planes->plane[n];
  *plane = frame->plane[offset.plane];
  plane->has_macropixels = FALSE;
  plane->width = width;
  plane->step = step;
  for (guint c = 0; c < step; c++)
    plane->role[c] = frame->plane[offset.plane].role[offset.first + c * offset.spacing];
  map[n] = (CcPlaneMap){.kind = kind, .offset = {offset}};
  return plane;
}

static void
add_macropixels(CcFrameLayout *planes, const CcFrameLayout *frame, CcPlaneMap map[CC_MAX_PLANES],
                guint p) {
  const CcPlaneLayout *plane = &frame->plane[p];
  const guint luma = plane->role[0] == CC_ROLE_LUMA ? 0 : 1;
  add_plane(planes, frame, map, CC_PLANE_MAP_SPACED, (CcComponentOffset){p, luma, 2}, plane->width,
            1);
  add_plane(planes, frame, map, CC_PLANE_MAP_SPACED, (CcComponentOffset){p, 1 - luma, 2},
            cc_plane_groups(plane), 2);
}

gboolean
cc_frame_layout_find_role(const CcFrameLayout *frame, CcRole role, CcComponentOffset *offset) {
  for (guint p = 0; p < frame->n_planes; p++)
    for (guint c = 0; c < frame->plane[p].step; c++)
      if (frame->plane[p].role[c] == role) {
        *offset = (CcComponentOffset){p, c, frame->plane[p].step};
        return TRUE;
      }
  return FALSE;
}

static gboolean
find_rgb(const CcFrameLayout *frame, CcComponentOffset offset[3]) {
  return cc_frame_layout_find_role(frame, CC_ROLE_RED, &offset[0]) &&
         cc_frame_layout_find_role(frame, CC_ROLE_GREEN, &offset[1]) &&
         cc_frame_layout_find_role(frame, CC_ROLE_BLUE, &offset[2]);
}

gboolean
cc_frame_layout_has_rgb(const CcFrameLayout *frame) {
  CcComponentOffset offset[3];
  return find_rgb(frame, offset);
}

gboolean
cc_frame_layout_has_yuv(const CcFrameLayout *frame) {
  CcComponentOffset offset;
  return cc_frame_layout_find_role(frame, CC_ROLE_LUMA, &offset) &&
         cc_frame_layout_find_role(frame, CC_ROLE_CB, &offset) &&
         cc_frame_layout_find_role(frame, CC_ROLE_CR, &offset);
}

static void
add_luma(CcFrameLayout *planes, const CcFrameLayout *frame, CcPlaneMap map[CC_MAX_PLANES]) {
  CcComponentOffset rgb[3], offset;
  find_rgb(frame, rgb);
  CcPlaneLayout *luma =
      add_plane(planes, frame, map, CC_PLANE_MAP_LUMA, rgb[0], frame->plane[rgb[0].plane].width, 1);
  luma->role[0] = CC_ROLE_GREY;
  for (guint i = 0; i < 3; i++)
    map[0].offset[i] = rgb[i];
  for (CcRole role = CC_ROLE_ALPHA; role <= CC_ROLE_PADDING; role++)
    if (cc_frame_layout_find_role(frame, role, &offset))
      add_plane(planes, frame, map, CC_PLANE_MAP_SPACED, offset, luma->width, 1);
}

gboolean
cc_plane_map_find(const CcFrameLayout *frame, gboolean grey, CcFrameLayout *planes,
                  CcPlaneMap map[CC_MAX_PLANES]) {
  gboolean packed = grey;
  *planes =
      (CcFrameLayout){.limited_range = frame->limited_range, .kr = frame->kr, .kb = frame->kb};
  if (grey) {
    add_luma(planes, frame, map);
    return TRUE;
  }
  for (guint p = 0; p < frame->n_planes; p++) {
    const CcPlaneLayout *plane = &frame->plane[p];
    packed |= plane->has_macropixels;
    if (plane->has_macropixels)
      add_macropixels(planes, frame, map, p);
    else
      add_plane(planes, frame, map, CC_PLANE_MAP_NONE, (CcComponentOffset){p, 0, 1}, plane->width,
                plane->step);
  }
  return packed;
}
