/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The oracle: filters frames straight from the definitions in docs/numerics.md. It computes in
 * integers if the coefficients are rational, else in long double. It is slow and shares no
 * arithmetic with the plan and the backends, so an error goes unnoticed only if it is made
 * twice. */

#include "engine/plan/plan.h"

G_BEGIN_DECLS

/* How far a correct result may be from the oracle's, in code values, for each component of the
 * target. Outside the target no difference is allowed. */
typedef struct {
  guint limit[CC_MAX_PLANES][CC_MAX_COMPONENTS];
  CcRect target[CC_MAX_PLANES];
  gboolean circular; /* filtered samples are angles: 2^depth - 1 and 0 are neighbours */
  /* For components that show a direction as color: 1 + their row of color_word; else 0. An angle
   * next to a rounding limit may have the neighbouring color. */
  guint color_component[CC_MAX_PLANES][CC_MAX_COMPONENTS];
  guint16 color_word[3][256];
} OracleTolerance;

/* Returns whether a sample shows a color and may have the stored word `got` although the oracle has
 * `expected`: whether two neighbouring colors have these words. Black has no neighbours. */
gboolean oracle_direction_colors_match(const OracleTolerance *tolerance, guint plane,
                                       guint component, guint expected, guint got);

/* Returns the layout of the frames that the filter makes from frames of `layout`. */
CcFrameLayout oracle_out_layout(const CcFilter *filter, const CcFrameLayout *layout);

/* Sets the groups of samples of a plane that the filter may read, and the groups of the output's
 * plane that it writes. */
void oracle_regions(const CcFilter *filter, const CcFrameLayout *layout, guint plane,
                    CcRect *source, CcRect *target);

/* The same for samples of which a frame has plane_width x plane_height. */
void oracle_regions_of_size(const CcFilter *filter, const CcFrameLayout *layout, guint plane_width,
                            guint plane_height, CcRect *source, CcRect *target);

/* Filters src into the target of dst. They must not overlap. cc_plan_new must accept `filter` for
 * `layout`. `tolerance` may be NULL. Its limits are 0 if coefficients, scale and bias are
 * rational. */
void oracle_filter(const CcFilter *filter, const CcFrameLayout *layout, const CcFrame *src,
                   const CcFrame *dst, OracleTolerance *tolerance);

/* Returns the index in 0..n-1 that position i stands for, or -1 for a constant outside. */
gint oracle_border_index(gint i, gint n, CcBorder border);

G_END_DECLS
