/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Regions of the picture, and which rectangles of its planes they are. A region belongs to the
 * submission of a frame and not to the plan, so that it may move with every frame. */

#include "filter.h"
#include "engine/frame.h"

G_BEGIN_DECLS

/* A part of the picture that is filtered as if it were all there is: no pixel outside of its source
 * is read, the border rule applies at the edges of that, and nothing outside of its target is
 * written. In packed 4:2:2 it has whole pairs of pixels, but for half a pair at the end of a row.
 */
typedef struct {
  CcRect source;            /* pixels of the input; not empty, and inside of it */
  guint target_x, target_y; /* where the top left pixel goes, inside of the output; what does not
                               fit there is cut off */
} CcRegion;

/* The region of all pixels of frames of a layout. */
CcRegion cc_frame_layout_region(const CcFrameLayout *layout);

/* The region that a filter asks for in frames of a layout. CC_ERROR_INVALID where its source or
 * target lies outside of the picture, or cuts a pair of pixels in half. */
gboolean cc_filter_find_region(const CcFilter *filter, const CcFrameLayout *frame, CcRegion *region,
                               GError **error);

/* Sets, for each plane in its own pixels, or in groups where it has pairs, which rectangle of `in`
 * a region reads and which of `out`, which is `in` divided by `stride`, it writes. None is empty.
 */
void cc_region_place(const CcRegion *region, const CcFrameLayout *in, const CcFrameLayout *out,
                     guint stride, CcRect source[CC_MAX_PLANES], CcRect target[CC_MAX_PLANES]);

G_END_DECLS
