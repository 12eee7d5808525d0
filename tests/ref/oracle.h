/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The oracle: filtered frames straight from the definitions in docs/numerics.md, in integers where
 * the coefficients are rational and in long double elsewhere. It is slow, and it shares no
 * arithmetic with the plan and the backends, so that an error has to be made twice to go unseen. */

#include "engine/plan.h"

G_BEGIN_DECLS

/* How far from the oracle a right result may lie, in code values, for every component. */
typedef struct {
  guint limit[CC_MAX_PLANES][CC_MAX_COMPONENTS];
  gboolean circular; /* filtered samples are angles: 2^depth - 1 and 0 are neighbours */
} OracleTolerance;

/* Filters src into dst, which must not overlap. `filter` must be one that cc_plan_new accepts for
 * `layout`. `tolerance` may be NULL; where coefficients, scale and bias are rational it is 0. */
void oracle_filter(const CcFilter *filter, const CcFrameLayout *layout, const CcFrame *src,
                   const CcFrame *dst, OracleTolerance *tolerance);

/* The index inside 0..n-1 that position i stands for, or -1 for a constant outside. */
gint oracle_border_index(gint i, gint n, CcBorder border);

G_END_DECLS
