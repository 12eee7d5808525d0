/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compose.h"

#include <math.h>
#include "color.h"
#include "engine/kernel/rational.h"

#define MAX_THRESHOLD_DENOMINATOR (1 << 24)

void
cc_compose_find_range(const CcFrameLayout *frame, CcRole role, guint depth, guint *lo, guint *hi) {
  const gboolean limited = frame->limited_range && role == CC_ROLE_LUMA;
  *lo = limited ? 16u << (depth - 8) : 0;
  *hi = limited ? 235u << (depth - 8) : (1u << depth) - 1;
}

/* --- threshold, invert and mix --- */

guint
cc_compose_find_limit(gdouble threshold, guint lo, guint hi) {
  const gint64 range = hi - lo;
  const CcRational exact = cc_rational(threshold, MAX_THRESHOLD_DENOMINATOR);
  return lo + (exact.den ? (guint)((exact.num * range + exact.den - 1) / exact.den)
                         : (guint)ceil(threshold * (gdouble)range));
}

static gint
find_mix(const CcFilter *filter) {
  return filter->mixes ? (gint)floor(filter->mix * CC_MIX_ONE + 0.5) : CC_MIX_ONE;
}

/* With an overlay, the filtered chroma is not used, and `mix` is a factor of the overlay. */
static CcComposeComponent
component_of(const CcFilter *filter, CcChroma chroma, const CcFrameLayout *frame, CcRole role,
             guint depth) {
  CcComposeComponent self = {0};
  guint lo, hi;
  cc_compose_find_range(frame, role, depth, &lo, &hi);
  self.mixes = find_mix(filter) != CC_MIX_ONE && !filter->overlay;
  switch (role) {
  case CC_ROLE_PADDING:
    self.mixes = FALSE;
    break;
  case CC_ROLE_ALPHA:
    self.mixes &= filter->alpha == CC_ALPHA_FILTER || filter->alpha == CC_ALPHA_WEIGHTED;
    break;
  case CC_ROLE_CB:
  case CC_ROLE_CR:
    self.mixes &= chroma != CC_CHROMA_COPY;
    if (filter->threshold > 0 && chroma == CC_CHROMA_FILTER)
      self.point = CC_POINT_SELECT;
    self.above = self.below = (guint16)(1u << (depth - 1));
    break;
  default:
    self.point = filter->threshold > 0 ? CC_POINT_SELECT
                 : filter->invert      ? CC_POINT_INVERT
                                       : CC_POINT_NONE;
    self.limit = (guint16)cc_compose_find_limit(filter->threshold, lo, hi);
    self.above = (guint16)(filter->invert ? lo : hi);
    self.below = (guint16)(filter->invert ? hi : lo);
    self.sum = (guint16)(lo + hi);
  }
  return self;
}

CcCompose *
cc_compose_new(const CcFilter *filter, CcChroma chroma, const CcFrameLayout *frame) {
  CcCompose *self = g_new0(CcCompose, 1);
  gboolean changes = FALSE;
  self->mix = find_mix(filter);
  for (guint p = 0; p < frame->n_planes; p++)
    for (guint c = 0; c < frame->plane[p].step; c++) {
      CcComposeComponent *component = &self->component[p][c];
      *component =
          component_of(filter, chroma, frame, frame->plane[p].role[c], frame->plane[p].depth);
      changes |= component->point || component->mixes;
    }
  if (!changes)
    g_clear_pointer(&self, g_free);
  return self;
}

/* --- overlay --- */

static void
set_weights(CcOverlay *self, const CcFilter *filter) {
  const guint64 range = self->hi - self->lo;
  const guint64 most = (filter->overlay >> 24) * (guint)CLAMP(find_mix(filter), 0, CC_MIX_ONE);
  self->whole = (guint)(most / range);
  self->part = (guint)((((most % range) << 32) + range - 1) / range);
}

/* Adds the component with a role, if the frame has one. Luma of macropixels lies in every second
 * sample. */
static void
add_role(CcOverlay *self, const CcFrameLayout *frame, CcRole role, guint component) {
  CcComponentOffset offset;
  if (!cc_frame_layout_find_role(frame, role, &offset))
    return;
  CcPlaneLayout samples = frame->plane[offset.plane];
  if (role == CC_ROLE_LUMA && samples.has_macropixels)
    offset.spacing = 2;
  else
    samples.width = cc_plane_groups(&samples);
  if (self->n_groups == 0)
    self->plane = offset.plane;
  cc_component_groups_add(self->group, &self->n_groups, &frame->plane[self->plane], &samples,
                          offset.plane, offset, component);
}

CcOverlay *
cc_overlay_new(const CcFilter *filter, const CcFrameLayout *frame) {
  if (filter->overlay == 0)
    return NULL;
  const guint rgb[3] = {filter->overlay >> 16 & 0xff, filter->overlay >> 8 & 0xff,
                        filter->overlay & 0xff};
  CcOverlay *self = g_new0(CcOverlay, 1);
  CcComponentOffset luma;
  const CcRole first = cc_frame_layout_has_rgb(frame)                          ? CC_ROLE_RED
                       : cc_frame_layout_find_role(frame, CC_ROLE_LUMA, &luma) ? CC_ROLE_LUMA
                                                                               : CC_ROLE_GREY;
  for (guint i = 0; i < (first == CC_ROLE_GREY ? 1 : 3); i++)
    add_role(self, frame, first + i, i);
  const guint depth = frame->plane[self->plane].depth;
  cc_compose_find_range(frame, first, depth, &self->lo, &self->hi);
  set_weights(self, filter);
  if (first == CC_ROLE_RED)
    cc_color_to_rgb(rgb, depth, self->color);
  else if (first == CC_ROLE_LUMA)
    cc_color_to_yuv(rgb, frame, depth, self->color);
  else
    self->color[0] = cc_color_to_grey(rgb, frame, depth);
  return self;
}

CcRect
cc_overlay_rect(const CcOverlay *self, guint group, const CcFrameLayout *out_frame,
                const CcRect *frame_target) {
  const CcComponentGroup *of = &self->group[group];
  const CcPlaneLayout *plane = &out_frame->plane[of->plane];
  CcRect rect = frame_target[of->plane];
  if (plane->has_macropixels && group == 0) {
    rect.width = cc_target_pixels(plane, &rect);
    rect.x *= 2;
  }
  return rect;
}

CcOverlayCells
cc_overlay_cells(const CcOverlay *self, const CcFrameLayout *out_frame,
                 const CcRect *frame_target) {
  const guint last = self->n_groups - 1;
  const guint across = self->group[last].across, down = self->group[last].down;
  const CcRect pixels = cc_overlay_rect(self, 0, out_frame, frame_target);
  const CcRect samples = cc_overlay_rect(self, last, out_frame, frame_target);
  const guint right = (pixels.x + pixels.width - 1) / across + 1;
  /* a field may have no pixels, or no chroma */
  const guint below = pixels.height > 0 ? (pixels.y + pixels.height - 1) / down + 1 : 0;
  const guint end = samples.height > 0 ? samples.y + samples.height : 0;
  const guint x = MIN(pixels.x / across, samples.x), y = MIN(pixels.y / down, samples.y);
  const guint bottom = MAX(MAX(below, end), y);
  return (CcOverlayCells){x, y, MAX(right, samples.x + samples.width) - x, bottom - y};
}
