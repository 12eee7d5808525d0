/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Room for a sweep in the scratch memory of a thread, as offsets into it. */

#include "sweep.h"

G_BEGIN_DECLS

/* Takes aligned room. */
gsize cc_sweep_take(CcSweep *sweep, gsize n_bytes);

/* Takes n_rows rows of a tile with its edges, a pitch apart; gives where sample 0 is. */
gsize cc_sweep_take_rows(CcSweep *sweep, guint n_rows, gsize lane_size, gsize *pitch);

/* Sets the tile, and takes rings of n_rows rows, n_used of which are read or written for a row of
 * results, and what n_sums rows of sums become samples in.
 * Tiles that take turns have rings of their own: all of a packed frame, whose rows are made a few
 * at a time, else as many as a level 2 cache holds the rings of. */
void cc_sweep_take_tiles(CcSweep *sweep, guint n_rows, guint n_used, guint n_sums);

G_END_DECLS
