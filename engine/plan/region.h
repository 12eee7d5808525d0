/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Regions of a frame, and their rectangles in the planes. A region belongs to the submission of a
 * frame and not to the plan, so it may change with every frame. */

#include "filter.h"
#include "engine/frame.h"

G_BEGIN_DECLS

/* A part of the frame that is filtered as if it were the whole frame: no pixel outside of its
 * source is read, the border rule applies at the edges of the source, and nothing outside of its
 * target is written. In packed 4:2:2 a region has whole macropixels, except for half a
 * macropixel at the end of a row. */
typedef struct {
  CcRect source; /* pixels of the input; not empty, inside of the input */
  /* position of the result's top left pixel, inside of the output; the part of the result that does
   * not fit is cut off */
  guint target_x, target_y;
} CcRegion;

/* The region that covers the whole frame, for frames of a layout. */
CcRegion cc_frame_layout_region(const CcFrameLayout *layout);

/* The region of a filter in frames of a layout. CC_ERROR_INVALID if its source or target begins
 * outside of the frame or cuts a macropixel in half. */
gboolean cc_filter_find_region(const CcFilter *filter, const CcFrameLayout *frame, CcRegion *region,
                               GError **error);

/* Sets, for each plane, the rectangle of `in` that a region reads and the rectangle of `out` that
 * it writes. `out` is the layout `in` shrunk by `stride`. Units are pixels of the plane, or groups
 * if the plane has macropixels. No rectangle is empty. */
void cc_region_place(const CcRegion *region, const CcFrameLayout *in, const CcFrameLayout *out,
                     guint stride, CcRect source[CC_MAX_PLANES], CcRect target[CC_MAX_PLANES]);

G_END_DECLS
