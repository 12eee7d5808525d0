/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The definition of a sweep as a plain loop; also the variant "plain". */

#include "engine/plan/plan.h"

G_BEGIN_DECLS

/* Makes rows y0 to y1 - 1 of the pass's target. src and dst are whole frames. */
void cc_plain_sweep(const CcPlan *plan, const CcPass *pass, const CcFrame *src, const CcFrame *dst,
                    guint y0, guint y1);

/* The same of a field of the plan's hue. */
void cc_plain_hue(const CcPlan *plan, const CcHueField *field, const CcFrame *src,
                  const CcFrame *dst, guint y0, guint y1);

G_END_DECLS
