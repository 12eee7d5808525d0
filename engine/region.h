/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Regions of the picture, and which rectangles of its planes they are. */

#include "plan.h"

G_BEGIN_DECLS

/* Sets out_layout, source and target of a plan whose layout and stride are set. CC_ERROR_INVALID
 * where the filter's source or target lies outside of the picture. */
gboolean cc_plan_set_regions(CcPlan *plan, const CcFilter *filter, GError **error);

G_END_DECLS
