/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What sweeps have in common: the columns that one is at, how its rows are loaded, and how
 * results get into the target. */

#include "sweep.h"

G_BEGIN_DECLS

struct _CcTile {
  const CcSweep *sweep;
  const CcStrip *src, *dst;
  guint x, n; /* samples x to x + n - 1 of the rows */
  guint8 *scratch, *rings;
};

/* What to ask for while rows are made: n rows of the source from y on, and rows `first` to
 * `first` + n - 1 of the target, as far as there are such. It is set where it lies: a copy that is
 * read in wider pieces than it was written in takes as long as some vectors of a row. */
void cc_tile_ahead(const CcTile *tile, gint y, guint first, guint n, CcAhead *ahead);

/* Loads row y of the picture, which may lie outside, as lanes with what the window reaches left and
 * right of it. */
void cc_tile_load(const CcTile *tile, gint y, guint8 *row);

/* Where the tile's samples of row y of the target lie. */
guint8 *cc_tile_target(const CcTile *tile, guint y);

/* Whether results are to be made elsewhere, and then stored. */
static inline gboolean
cc_tile_needs_store(const CcTile *tile) {
  return tile->sweep->masks || tile->sweep->thin;
}

/* Where the samples of row y are to be made, and brought from by cc_tile_store. */
static inline guint8 *
cc_tile_place(const CcTile *tile, guint y) {
  return cc_tile_needs_store(tile) ? tile->scratch + tile->sweep->filtered
                                   : cc_tile_target(tile, y);
}

/* Brings samples that are not there yet to row y of the target. With a stride, those of the results
 * that are left out are among them. */
void cc_tile_store(const CcTile *tile, guint y, const guint8 *filtered);

/* Makes the samples of row y from the sums of all matrices, and brings them there. */
void cc_tile_finish(const CcTile *tile, const gconstpointer *sums, guint y, const CcAhead *ahead);

/* Sums of matrix m for a block of rows, into as many rows as it has; or samples, where sweep says
 * so. */
typedef void (*CcBlockSums)(const CcTile *tile, guint m, guint block, gpointer const *rows,
                            const CcAhead *ahead);

/* Loads the rows from y on, as many as a block has, as bundle `number` of the rings. */
typedef void (*CcLoadBundle)(const CcTile *tile, gint y, guint number);

/* A CcTileSweep in blocks of sweep->block_rows rows of the source, which begin at multiples of that
 * number. Block number b is made from bundles b to b + n_bundles - 1. */
gint cc_tile_run_blocks(const CcTile *tile, guint y0, guint y1, gint next, guint n_bundles,
                        CcLoadBundle load, CcBlockSums sum);

G_END_DECLS
