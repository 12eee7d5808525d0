/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Filtering macropixels (4:2:2) directly in the frame, luma and chroma in one sweep. A macropixel
 * then counts as one pixel of four components. */

#include "engine/plan/plan.h"

G_BEGIN_DECLS

/* Makes a plan with one pass that replaces the two of `plan`. It is valid as long as `plan`.
 * Returns FALSE unless the two passes filter all luma and chroma of the same macropixels alike. */
gboolean cc_macropixel_find(const CcPlan *plan, CcPlan *whole);

/* Returns the distance of a sample of component c to its right neighbour, in samples. Luma has two
 * samples in a macropixel. */
static inline guint
cc_macropixel_step(const CcPlaneLayout *plane, guint c) {
  return plane->has_macropixels && plane->role[c] == CC_ROLE_LUMA ? 2 : plane->step;
}

G_END_DECLS
