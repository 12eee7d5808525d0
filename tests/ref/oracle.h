/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The oracle: filters frames straight from the definitions in docs/numerics.md. It computes in
 * integers if the coefficients are rational, else in long double. It is slow and shares no
 * arithmetic with the plan and the backends, so tests miss an error only if both have the same
 * error. */

#include "engine/plan/plan.h"

G_BEGIN_DECLS

/* The maximum difference between a correct result and the oracle's result, in code values, for each
 * component of the target. Outside the target no difference is allowed. */
typedef struct {
  guint limit[CC_MAX_PLANES][CC_MAX_COMPONENTS];
  CcRect target[CC_MAX_PLANES];
  gboolean circular; /* filtered samples are angles: 2^depth - 1 and 0 are neighbours */
  /* For a component that shows a direction as color: 1 + its index in color_word. For other
   * components: 0. If an angle lies next to a rounding limit, the neighbouring color is also
   * correct. */
  guint color_component[CC_MAX_PLANES][CC_MAX_COMPONENTS];
  guint16 color_word[3][256];
} OracleTolerance;

/* Returns whether a sample shows a color and the stored word `got` is correct although the oracle
 * has the word `expected`. The word is correct if these are the words of two neighbouring colors.
 * Black has no neighbours. */
gboolean oracle_direction_colors_match(const OracleTolerance *tolerance, guint plane,
                                       guint component, guint expected, guint got);

/* Returns what happens to chroma. Never auto. */
CcChroma oracle_chroma(const CcFilter *filter);

/* Returns the layout of the frames that the filter makes from frames of `layout`. */
CcFrameLayout oracle_out_layout(const CcFilter *filter, const CcFrameLayout *layout);

/* Sets the groups of samples of a plane that the filter may read, and the groups of the output's
 * plane that it writes. If `roi` is NULL, the region is the whole frame. */
void oracle_regions(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout,
                    guint plane, CcRect *source, CcRect *target);

/* Like oracle_regions, for a plane of plane_width x plane_height samples. */
void oracle_regions_of_size(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout,
                            guint plane_width, guint plane_height, CcRect *source, CcRect *target);

/* Filters a region of src into its target in dst. Filters the target again as often as the filter
 * repeats, with the border rule at the edges of the target. src and dst must not overlap.
 * cc_plan_new must accept `filter`, and cc_roi_find_region must accept `roi`, for `layout`. If
 * `roi` is NULL, the region is the whole frame. `tolerance` may be NULL. The limits in it are 0 if
 * coefficients, scale and bias are rational. With other numbers and repetitions, the limits are
 * right only for means. */
void oracle_filter(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout,
                   const CcFrame *src, const CcFrame *dst, OracleTolerance *tolerance);

/* Does the same, but filters colors without weights also with alpha=weighted. */
void oracle_filter_unweighted(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout,
                              const CcFrame *src, const CcFrame *dst, OracleTolerance *tolerance);

/* Returns whether R, G and B become their luma. */
gboolean oracle_is_grey(const CcFilter *filter, const CcFrameLayout *layout);

/* Fills dst with what pixels outside of all regions have: a copy of src, or black. */
void oracle_outside(const CcFilter *filter, const CcFrameLayout *layout, const CcFrame *src,
                    const CcFrame *dst);

G_END_DECLS
