/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The oracle: filtered frames straight from the definitions in docs/numerics.md, in integers where
 * the coefficients are rational and in long double elsewhere. It is slow, and it shares no
 * arithmetic with the plan and the backends, so that an error has to be made twice to go unseen. */

#include "engine/plan/plan.h"

G_BEGIN_DECLS

/* How far from the oracle a right result may lie, in code values, for every component of the
 * target; outside of that not at all. */
typedef struct {
  guint limit[CC_MAX_PLANES][CC_MAX_COMPONENTS];
  CcRect target[CC_MAX_PLANES];
  gboolean circular; /* filtered samples are angles: 2^depth - 1 and 0 are neighbours */
  /* Of samples that show a hue, 1 + the row of hue_word that they are from, else 0. Angles that lie
   * next to a rounding limit may have the neighbouring hue. */
  guint hue_component[CC_MAX_PLANES][CC_MAX_COMPONENTS];
  guint16 hue_word[3][256];
} OracleTolerance;

/* Whether a sample shows a hue and may have the stored word `got` where the oracle has `expected`:
 * whether two neighbouring hues have these words. Black has no neighbours. */
gboolean oracle_direction_colors_match(const OracleTolerance *tolerance, guint plane,
                                       guint component, guint expected, guint got);

/* The layout of what the filter makes of frames of `layout`. */
CcFrameLayout oracle_out_layout(const CcFilter *filter, const CcFrameLayout *layout);

/* The groups of samples of a plane that the filter may read, and those of the output's plane that
 * it writes. */
void oracle_regions(const CcFilter *filter, const CcFrameLayout *layout, guint plane,
                    CcRect *source, CcRect *target);

/* The same of samples of which the frame has plane_width x plane_height. */
void oracle_regions_of_size(const CcFilter *filter, const CcFrameLayout *layout, guint plane_width,
                            guint plane_height, CcRect *source, CcRect *target);

/* Filters src into the target of dst, which must not overlap. `filter` must be one that cc_plan_new
 * accepts for `layout`. `tolerance` may be NULL; where coefficients, scale and bias are rational
 * its limits are 0. */
void oracle_filter(const CcFilter *filter, const CcFrameLayout *layout, const CcFrame *src,
                   const CcFrame *dst, OracleTolerance *tolerance);

/* The index inside 0..n-1 that position i stands for, or -1 for a constant outside. */
gint oracle_border_index(gint i, gint n, CcBorder border);

G_END_DECLS
