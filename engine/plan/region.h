/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Regions of a frame, and their rectangles in the planes. A region belongs to the submission of a
 * frame and not to the plan, so it may change with every frame. */

#include "engine/frame.h"

G_BEGIN_DECLS

/* A region as users describe it. Zero-initialised: the whole frame. */
typedef struct {
  /* In pixels of the input. A part outside of the frame is cut off. If width or height is 0, the
   * source is the whole frame. */
  CcRect source;
  /* The position of the result in the output. Without target_set, it is the position of the source
   * divided by the stride. */
  gboolean target_set;
  guint target_x, target_y;
} CcRoi;

/* A part of the frame that is filtered as if it were the whole frame: no pixel outside of its
 * source is read, the border rule applies at the edges of the source, and nothing outside of its
 * target is written. In packed 4:2:2 a region has whole macropixels, except for half a
 * macropixel at the end of a row. */
typedef struct {
  CcRect source; /* pixels of the input; not empty, inside of the input */
  /* position of the result's top left pixel, inside of the output; the part of the result that does
   * not fit is cut off */
  guint target_x, target_y;
  /* The smaller side of the rectangle that a user or a detector gave, if it is larger than that of
   * `source`, because the rectangle was cut to the frame. Else 0. */
  guint given_side;
} CcRegion;

/* The region that covers the whole frame, for frames of a layout. */
CcRegion cc_frame_layout_region(const CcFrameLayout *layout);

/* Finds the region of `roi` in frames of a layout, or in the largest frame if `frame` is NULL.
 * CC_ERROR_INVALID if its source or target begins outside of the frame or cuts a macropixel in
 * half. */
gboolean cc_roi_find_region(const CcRoi *roi, guint stride, const CcFrameLayout *frame,
                            CcRegion *region, GError **error);

/* Finds the region of a rectangle that a detector found. Its result stays in its place. The
 * rectangle is cut to the frame, and widened to whole macropixels if the frame has them. Returns
 * FALSE if nothing of it is inside of the frame. */
gboolean cc_rect_find_region(const CcRect *rect, guint stride, const CcFrameLayout *frame,
                             CcRegion *region);

/* Sets, for each plane, the rectangle of `in` that a region reads and the rectangle of `out` that
 * it writes. `out` is the layout `in` shrunk by `stride`. Units are pixels of the plane, or groups
 * if the plane has macropixels. No rectangle is empty. */
void cc_region_place(const CcRegion *region, const CcFrameLayout *in, const CcFrameLayout *out,
                     guint stride, CcRect source[CC_MAX_PLANES], CcRect target[CC_MAX_PLANES]);

G_END_DECLS
