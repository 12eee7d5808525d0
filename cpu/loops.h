/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The loops over rows: what is filtered, copied and filled. */

#include "cpu/methods/sweep.h"

G_BEGIN_DECLS

/* Makes rows y0 to y1 - 1 of the sweep's target. The strips are of its source and its target.
 * `next` is the row that the rings want next: CC_NO_ROW when they are empty; and where tiles share
 * no rings, what it was left at with the rows above. */
void cc_sweep_run(const CcSweep *sweep, const CcStrip *src, const CcStrip *dst, guint y0, guint y1,
                  gint *next, guint8 *scratch);

G_END_DECLS
