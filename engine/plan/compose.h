/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Compose: what is made of the filtered frame and its source. The stage COMPOSE does threshold,
 * invert and mix, each component by itself. The stage OVERLAY lays a color over the source, as
 * strong as the filtered pixels are bright. compose_shared.h defines the arithmetic, and
 * docs/numerics.md explains it. */

#include "component_group.h"
#include "compose_shared.h"
#include "filter.h"

G_BEGIN_DECLS

/* How a component is composed, in code values. A component with neither `point` nor `mixes` keeps
 * the value of the filter. */
typedef struct {
  CcPoint point;
  guint16 limit, above, below; /* CC_POINT_SELECT: arguments of cc_compose_select */
  guint16 sum;                 /* CC_POINT_INVERT: argument of cc_compose_invert */
  gboolean mixes;
} CcComposeComponent;

typedef struct {
  CcComposeComponent component[CC_MAX_PLANES][CC_MAX_COMPONENTS]; /* by plane of the frame */
  gint mix;                                                       /* argument of cc_compose_mix */
} CcCompose;

typedef struct {
  guint plane;       /* of the frame: the plane of the first component that is colored */
  guint lo, hi;      /* arguments of cc_overlay_strength */
  guint whole, part; /* arguments of cc_overlay_weight */
  /* The colored components. The first group has a sample for each pixel: R, G and B, or luma, or
   * grey. A second group has the chroma of subsampled formats. `plane` of a group is a plane of the
   * frame. */
  guint n_groups;
  CcComponentGroup group[2];
  guint16 color[3]; /* code value of each component of the color */
} CcOverlay;

/* Samples of an overlay that belong together: those of the last group, and all samples of the
 * pixels that they cover. A rectangle of cells covers a region. Positions are those of the last
 * group in the frame. */
typedef CcRect CcOverlayCells;

/* The range of code values from black to white. */
void cc_compose_find_range(const CcFrameLayout *frame, CcRole role, guint depth, guint *lo,
                           guint *hi);

/* The smallest code value at or above a threshold: lo + threshold (hi - lo), rounded up. A
 * threshold such as 0.2 means the decimal fraction. */
guint cc_compose_find_limit(gdouble threshold, guint lo, guint hi);

/* Makes the parameters of COMPOSE for frames of a layout. `chroma` is how the stages before it make
 * chroma.
 * Returns NULL if the stage would change nothing. */
CcCompose *cc_compose_new(const CcFilter *filter, CcChroma chroma, const CcFrameLayout *frame);

/* Makes the parameters of OVERLAY. Returns NULL if there is no overlay. */
CcOverlay *cc_overlay_new(const CcFilter *filter, const CcFrameLayout *frame);

/* The rectangle of a group's samples in the target. With macropixels, the samples of luma are
 * counted as pixels. */
CcRect cc_overlay_rect(const CcOverlay *self, guint group, const CcFrameLayout *out_frame,
                       const CcRect *frame_target);

CcOverlayCells cc_overlay_cells(const CcOverlay *self, const CcFrameLayout *out_frame,
                                const CcRect *frame_target);

/* The number of the source sample at the position of sample i in a row of a target with `n_pixels`
 * pixels. Both are counted from the start of the row. In a macropixel that is half a pixel, the
 * second sample of luma repeats the first. */
static inline guint
cc_source_sample(const CcPlaneLayout *plane, guint stride, guint n_pixels, guint i) {
  const guint group = i / plane->step, c = i % plane->step;
  if (!plane->has_macropixels || cc_role_is_chroma(plane->role[c]))
    return stride * group * plane->step + c;
  const guint pixel = stride * MIN(2 * group + c / 2, n_pixels - 1);
  return pixel / 2 * plane->step + pixel % 2 * 2 + c % 2;
}

/* The pixels in a row of a target of packed 4:2:2: one less than the samples of luma if the row
 * ends in half a macropixel. For other planes, the width of the target. */
static inline guint
cc_target_pixels(const CcPlaneLayout *plane, const CcRect *target) {
  return plane->has_macropixels ? MIN(2 * target->width, plane->width - 2 * target->x)
                                : target->width;
}

G_END_DECLS
