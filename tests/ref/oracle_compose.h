/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The oracle's threshold, invert, mix and overlay, straight from the formulas in docs/numerics.md.
 */

#include "engine/plan/filter.h"
#include "engine/plan/region.h"

G_BEGIN_DECLS

/* Whether a filter has any of them. */
gboolean oracle_composes(const CcFilter *filter);

/* Returns the filter without them, which also measures nothing. The kernel is borrowed. */
CcFilter oracle_without_compose(const CcFilter *filter);

/* Returns the smallest code value that a threshold makes white: lo + threshold (hi - lo), rounded
 * up. Decimal fractions are exact. */
gint64 oracle_limit(gdouble threshold, gint64 lo, gint64 hi);

/* Composes the target of a region in `dst`, which has the filtered samples, with the source frame
 * `src` of `layout`. If `roi` is NULL, the region is the whole frame. */
void oracle_compose(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout,
                    const CcFrame *src, const CcFrame *dst);

G_END_DECLS
