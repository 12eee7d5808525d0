/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Code that methods share: the columns of a row that they work on, loading rows, and storing
 * results. */

#include "sweep.h"

G_BEGIN_DECLS

struct _CcTile {
  const CcSweep *sweep;
  const CcArea *area;
  const CcStrip *src, *dst;
  guint x, n; /* samples x to x + n - 1 of the rows */
  guint8 *scratch, *rings;
};

/* Sets what to prefetch while rows are made: n rows of the source from y on, and rows `first` to
 * `first` + n - 1 of the target, as far as they exist. Fills `*ahead` in place. Returning it by
 * value would cause a store-forwarding stall. */
void cc_tile_ahead(const CcTile *tile, gint y, guint first, guint n, CcAhead *ahead);

/* Loads row y of the source, which may lie outside, as lanes with the samples that the window
 * needs left and right of it. */
void cc_tile_load(const CcTile *tile, gint y, guint8 *row);

/* Returns the address of the tile's samples in row y of the target. */
guint8 *cc_tile_target(const CcTile *tile, guint y);

/* Returns whether results are made in scratch memory and then stored. */
static inline gboolean
cc_tile_needs_store(const CcTile *tile) {
  return tile->sweep->masks || tile->sweep->thin;
}

/* Returns where to make the samples of row y, before cc_tile_store is called. */
static inline guint8 *
cc_tile_result(const CcTile *tile, guint y) {
  return cc_tile_needs_store(tile) ? tile->scratch + tile->sweep->filtered
                                   : cc_tile_target(tile, y);
}

/* Stores samples in row y of the target if they are not there yet. With a stride, `filtered` also
 * has the samples that are left out. */
void cc_tile_store(const CcTile *tile, guint y, const guint8 *filtered);

/* Makes the samples of row y from the sums of all matrices, and stores them. */
void cc_tile_finish(const CcTile *tile, const gconstpointer *sums, guint y, const CcAhead *ahead);

/* Returns row number `number` of rings of n_rows rows. */
guint8 *cc_tile_ring_row(const CcTile *tile, guint number, guint n_rows);

/* CcMethodClass.rows of a method with blocks. A block is block_rows rows of the source and begins
 * at a multiple of block_rows. Block number b is made from dot groups b to b + n_groups - 1. */
gint cc_tile_run_blocks(const CcTile *tile, guint y0, guint y1, gint next);

/* --- sweeps --- */

/* Makes rows y0 to y1 - 1 of the target. The strips are those of the area's source and target.
 * *next is the row that the rings load next: CC_NO_ROW at first. If no two tiles share a ring
 * (in_chunks), it is later the value that the call for the rows above left. Not for CC_LOOP_PLAIN:
 * see plain.h. */
void cc_area_run(const CcArea *self, const CcStrip *src, const CcStrip *dst, guint y0, guint y1,
                 gint *next, guint8 *scratch);

G_END_DECLS
