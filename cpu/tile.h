/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What methods have in common: the columns that one is at, how rows are loaded, and how results get
 * into the target. */

#include "sweep.h"

G_BEGIN_DECLS

struct _CcTile {
  const CcSweep *sweep;
  const CcArea *area;
  const CcStrip *src, *dst;
  guint x, n; /* samples x to x + n - 1 of the rows */
  guint8 *scratch, *rings;
};

/* What to ask for while rows are made: n rows of the source from y on, and rows `first` to
 * `first` + n - 1 of the target, as far as there are such. Fills `*ahead` in place: returning it by
 * value would cause a store-forwarding stall. */
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

/* Line number `number` of rings of n_lines lines. */
guint8 *cc_tile_line(const CcTile *tile, guint number, guint n_lines);

/* CcMethodClass.rows of a method with blocks of block_rows rows of the source, which begin at
 * multiples of that number. Block number b is made from dot groups b to b + n_groups - 1. */
gint cc_tile_run_blocks(const CcTile *tile, guint y0, guint y1, gint next);

/* --- sweeps --- */

/* Makes rows y0 to y1 - 1 of the target. The strips are of the area's source and target. `next` is
 * the row that the rings want next, CC_NO_ROW at first; where tiles share no rings, what it was
 * left at with the rows above. Not with CC_LOOP_PLAIN: see plain.h. */
void cc_area_run(const CcArea *self, const CcStrip *src, const CcStrip *dst, guint y0, guint y1,
                 gint *next, guint8 *scratch);

G_END_DECLS
