/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Filters the macropixels of packed 4:2:2 frames directly in the frame. One sweep filters luma and
 * chroma. It treats a macropixel as one pixel of four components. */

#include "engine/plan/plan.h"

G_BEGIN_DECLS

/* Initialises `whole`, a plan with one pass that replaces the two passes of `plan`. `plan` must
 * outlive `whole`. Returns FALSE unless the two passes filter all luma and all chroma of the
 * macropixels with the same op. Also returns FALSE with a stride, and if the width is odd. */
gboolean cc_macropixel_find(const CcPlan *plan, CcPlan *whole);

/* Returns the distance from a sample of component c to its right neighbour, in samples. A
 * macropixel has two luma samples. */
static inline guint
cc_macropixel_step(const CcPlaneLayout *plane, guint c) {
  return plane->has_macropixels && plane->role[c] == CC_ROLE_LUMA ? 2 : plane->step;
}

G_END_DECLS
