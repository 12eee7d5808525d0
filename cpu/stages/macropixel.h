/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Pairs of pixels that are filtered as they lie in the frame, luma and chroma in one sweep: a pair
 * then counts as one pixel of four components. */

#include "engine/plan/plan.h"

G_BEGIN_DECLS

/* Makes the plan whose only pass does what the two of `plan` do; it is valid as long as that is.
 * FALSE if they are not luma and chroma of the same pairs, all filtered alike. */
gboolean cc_pairs_find(const CcPlan *plan, CcPlan *whole);

/* Samples from one of component c to its right neighbour: luma has two in a pair. */
static inline guint
cc_pairs_step(const CcPlaneLayout *plane, guint c) {
  return plane->pairs && plane->role[c] == CC_ROLE_LUMA ? 2 : plane->step;
}

G_END_DECLS
