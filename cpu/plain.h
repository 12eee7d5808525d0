/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The definition of a sweep as a plain loop. The variant "plain" runs it. */

#include "cpu/stages/edge_map.h"
#include "sweep.h"

G_BEGIN_DECLS

/* Computes rows y0 to y1 - 1 of the pass's target in a region. src and dst are whole frames. `from`
 * and `to` have the target of each plane of the plan. The target in `from` is filtered. If `from`
 * is NULL, the source in src is filtered. The rows are written to `to`, or to dst if `to` is
 * NULL. */
void cc_plain_sweep(const CcPlan *plan, const CcPass *pass, const CcPlacement *placement,
                    const CcFrame *src, const CcFrame *dst, const CcStrip *from, const CcStrip *to,
                    guint y0, guint y1);

/* Writes row y of all `planes` of the plan to the frame dst. */
void cc_plain_store(const CcPlan *plan, const CcPlacement *placement, const CcStrip *planes,
                    const CcFrame *dst, guint y);

/* Computes rows y0 to y1 - 1 of a component group of direction-color. */
void cc_plain_direction_color(const CcPlan *plan, const CcComponentGroup *group,
                              const CcPlacement *placement, const CcFrame *src, const CcFrame *dst,
                              guint y0, guint y1);

/* Finds the weak and strong pixels of rows y0 to y1 - 1 of the source of Canny's edges. */
void cc_plain_suppress(const CcPlan *plan, const CcPlacement *placement, const CcFrame *src,
                       const CcEdgeMap *map, guint y0, guint y1);

G_END_DECLS
