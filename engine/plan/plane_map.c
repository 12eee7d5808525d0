/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plane_map.h"

/* Adds a plane of `step` samples a pixel, of the roles that the frame's plane has at place.first
 * and on. */
static CcPlaneLayout *
add_plane(CcFrameLayout *planes, const CcFrameLayout *frame, CcPacking packing[CC_MAX_PLANES],
          CcPackingKind kind, CcPlace place, guint width, guint step) {
  const guint n = planes->n_planes++;
  CcPlaneLayout *plane = &planes->plane[n];
  *plane = frame->plane[place.plane];
  plane->pairs = FALSE;
  plane->width = width;
  plane->step = step;
  for (guint c = 0; c < step; c++)
    plane->role[c] = frame->plane[place.plane].role[place.first + c * place.spacing];
  packing[n] = (CcPacking){.kind = kind, .place = {place}};
  return plane;
}

static void
add_pairs(CcFrameLayout *planes, const CcFrameLayout *frame, CcPacking packing[CC_MAX_PLANES],
          guint p) {
  const CcPlaneLayout *plane = &frame->plane[p];
  const guint luma = plane->role[0] == CC_ROLE_LUMA ? 0 : 1;
  add_plane(planes, frame, packing, CC_PACKING_SPACED, (CcPlace){p, luma, 2}, plane->width, 1);
  add_plane(planes, frame, packing, CC_PACKING_SPACED, (CcPlace){p, 1 - luma, 2},
            cc_plane_groups(plane), 2);
}

gboolean
cc_frame_layout_find_role(const CcFrameLayout *frame, CcRole role, CcPlace *place) {
  for (guint p = 0; p < frame->n_planes; p++)
    for (guint c = 0; c < frame->plane[p].step; c++)
      if (frame->plane[p].role[c] == role) {
        *place = (CcPlace){p, c, frame->plane[p].step};
        return TRUE;
      }
  return FALSE;
}

static gboolean
find_rgb(const CcFrameLayout *frame, CcPlace place[3]) {
  return cc_frame_layout_find_role(frame, CC_ROLE_RED, &place[0]) &&
         cc_frame_layout_find_role(frame, CC_ROLE_GREEN, &place[1]) &&
         cc_frame_layout_find_role(frame, CC_ROLE_BLUE, &place[2]);
}

gboolean
cc_frame_layout_has_rgb(const CcFrameLayout *frame) {
  CcPlace place[3];
  return find_rgb(frame, place);
}

gboolean
cc_frame_layout_has_yuv(const CcFrameLayout *frame) {
  CcPlace place;
  return cc_frame_layout_find_role(frame, CC_ROLE_LUMA, &place) &&
         cc_frame_layout_find_role(frame, CC_ROLE_CB, &place) &&
         cc_frame_layout_find_role(frame, CC_ROLE_CR, &place);
}

/* The luma, and a plane for each component that is no colour. */
static void
add_luma(CcFrameLayout *planes, const CcFrameLayout *frame, CcPacking packing[CC_MAX_PLANES]) {
  CcPlace rgb[3], place;
  find_rgb(frame, rgb);
  CcPlaneLayout *luma = add_plane(planes, frame, packing, CC_PACKING_LUMA, rgb[0],
                                  frame->plane[rgb[0].plane].width, 1);
  luma->role[0] = CC_ROLE_GREY;
  for (guint i = 0; i < 3; i++)
    packing[0].place[i] = rgb[i];
  for (CcRole role = CC_ROLE_ALPHA; role <= CC_ROLE_PADDING; role++)
    if (cc_frame_layout_find_role(frame, role, &place))
      add_plane(planes, frame, packing, CC_PACKING_SPACED, place, luma->width, 1);
}

gboolean
cc_packing_find(const CcFrameLayout *frame, gboolean grey, CcFrameLayout *planes,
                CcPacking packing[CC_MAX_PLANES]) {
  gboolean packed = grey;
  *planes =
      (CcFrameLayout){.limited_range = frame->limited_range, .kr = frame->kr, .kb = frame->kb};
  if (grey) {
    add_luma(planes, frame, packing);
    return TRUE;
  }
  for (guint p = 0; p < frame->n_planes; p++) {
    const CcPlaneLayout *plane = &frame->plane[p];
    packed |= plane->pairs;
    if (plane->pairs)
      add_pairs(planes, frame, packing, p);
    else
      add_plane(planes, frame, packing, CC_PACKING_NONE, (CcPlace){p, 0, 1}, plane->width,
                plane->step);
  }
  return packed;
}
