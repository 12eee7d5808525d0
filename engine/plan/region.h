/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Regions of the picture, and which rectangles of its planes they are. */

#include "filter.h"
#include "engine/frame.h"

G_BEGIN_DECLS

/* Sets, for each plane in its own pixels, which rectangle of `layout` is read and which of
 * `out_layout`, which is `layout` divided by `stride`, is written. CC_ERROR_INVALID where the
 * filter's source or target lies outside of the picture, or cuts a pair of pixels of `frame` in
 * half. */
gboolean cc_filter_find_regions(const CcFilter *filter, const CcFrameLayout *frame,
                                const CcFrameLayout *layout, const CcFrameLayout *out_layout,
                                guint stride, CcRect source[CC_MAX_PLANES],
                                CcRect target[CC_MAX_PLANES], GError **error);

G_END_DECLS
