/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What sweeps have in common: the columns that one is at, how its rows are loaded, and how
 * results get into the target. */

#include "program.h"

G_BEGIN_DECLS

#define CC_PREFETCH_ROWS 2

struct _CcTile {
  const CcSweep *sweep;
  const CcStrip *src, *dst;
  guint x, n; /* samples x to x + n - 1 of the rows */
  guint8 *scratch, *rings;
};

/* Asks for a row that is loaded a little later: sweeps are fast enough to wait for memory. */
void cc_tile_prefetch(const CcTile *tile, gint y);

void cc_tile_prefetch_target(const CcTile *tile, guint y);

/* Loads row y of the picture, which may lie outside, as lanes with what the window reaches left and
 * right of it. */
void cc_tile_load(const CcTile *tile, gint y, guint8 *row);

/* Where the samples of row y of the target from number `at` of the tile on lie. */
guint8 *cc_tile_target(const CcTile *tile, guint y, guint at);

/* Whether results are to be made elsewhere, and then stored. */
static inline gboolean
cc_tile_needs_store(const CcTile *tile) {
  return tile->sweep->masks || tile->sweep->thin;
}

/* Brings n samples to row y of the target, from number `at` of the tile on. With a stride, those of
 * the results that are left out are among them. */
void cc_tile_store(const CcTile *tile, guint y, guint at, guint n, const guint8 *filtered);

/* Makes those samples from the sums of all matrices, and brings them there. */
void cc_tile_finish(const CcTile *tile, const gconstpointer *sums, guint n, guint y, guint at);

G_END_DECLS
