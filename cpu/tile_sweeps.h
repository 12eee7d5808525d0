/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sweeps over a tile, one for each way to sum. All make rows y0 to y1 - 1 of the target. `next` is
 * the row that the rings want next, CC_NO_ROW when they are empty; what they want then is given. */

#include "tile.h"

G_BEGIN_DECLS

gint cc_terms_run(const CcTile *tile, guint y0, guint y1, gint next);
gint cc_window_run(const CcTile *tile, guint y0, guint y1, gint next);
gint cc_lines_run(const CcTile *tile, guint y0, guint y1, gint next);
gint cc_means_run(const CcTile *tile, guint y0, guint y1, gint next);

G_END_DECLS
