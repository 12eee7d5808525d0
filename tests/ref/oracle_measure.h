/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The oracle's figures of measuring, straight from docs/numerics.md. */

#include "engine/plan/filter.h"
#include "engine/plan/measure_shared.h"
#include "engine/plan/region.h"

G_BEGIN_DECLS

/* Adds the figures of the target of a region in `filtered`. This is a frame of the output, filtered
 * without compose. If `roi` is NULL, the region is the whole frame. Bins are always counted. */
void oracle_measure(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout,
                    const CcFrame *filtered, CcMeasured *figures);

G_END_DECLS
