/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Code that all methods share: tiles, loading of rows, and storing of results. A tile is a range of
 * columns in which a method computes rows. */

#include "sweep.h"

G_BEGIN_DECLS

struct _CcTile {
  const CcSweep *sweep;
  const CcArea *area;
  const CcStrip *src, *dst;
  guint x, n; /* the tile has samples x to x + n - 1 of each row */
  guint8 *scratch, *rings;
};

/* Sets which rows kernels prefetch while they compute other rows: n * stride rows of the source
 * from y on, and rows `first` to `first` + n - 1 of the target. Leaves out rows that do not exist,
 * source rows that were deinterleaved, and target rows in scratch memory or with non-temporal
 * stores. Fills `*ahead` in place. Returning it by value would cause a store-forwarding stall. */
void cc_tile_ahead(const CcTile *tile, gint y, guint first, guint n, CcAhead *ahead);

/* Loads the tile's part of row y of the source as lanes. Adds the samples that the window needs
 * left and right of the tile. Row y may lie outside the source; the border rule then gives its
 * samples. */
void cc_tile_load(const CcTile *tile, gint y, guint8 *row);

/* Returns the address of the tile's samples in row y of the target. */
guint8 *cc_tile_target(const CcTile *tile, guint y);

/* Returns whether results are written to scratch memory first. cc_tile_store then stores them in
 * the target. */
static inline gboolean
cc_tile_needs_store(const CcTile *tile) {
  return tile->sweep->masks || tile->sweep->thin;
}

/* Returns the address where the caller writes the samples of row y. The caller then calls
 * cc_tile_store. */
static inline guint8 *
cc_tile_result(const CcTile *tile, guint y) {
  return cc_tile_needs_store(tile) ? tile->scratch + tile->sweep->filtered
                                   : cc_tile_target(tile, y);
}

/* Stores the samples `filtered` in row y of the target, unless `filtered` already lies in the
 * target. With a stride, `filtered` has the samples of all pixels, and only the samples of results
 * are stored. */
void cc_tile_store(const CcTile *tile, guint y, const guint8 *filtered);

/* Computes the samples of row y from the sums of all matrices and stores the samples. */
void cc_tile_finish(const CcTile *tile, const gconstpointer *sums, guint y, const CcAhead *ahead);

/* Returns the address of row number `number` in a ring of n_rows rows. */
guint8 *cc_tile_ring_row(const CcTile *tile, guint number, guint n_rows);

/* Implements CcMethodClass.rows for methods that compute blocks. A block is the results at
 * block_rows rows of the source. The first of these rows is a multiple of block_rows. Block number
 * b is computed from dot groups b to b + n_groups - 1. */
gint cc_tile_run_blocks(const CcTile *tile, guint y0, guint y1, gint next);

/* --- sweeps --- */

/* Computes rows y0 to y1 - 1 of the target. `src` and `dst` are the strips of the area's source and
 * target. *next is the row that the rings load next; the caller sets it to CC_NO_ROW before the
 * first call. If no two tiles share a ring (in_chunks), the value that a call leaves in *next is
 * passed to the call for the rows below. For CC_LOOP_PLAIN see plain.h instead. */
void cc_area_run(const CcArea *self, const CcStrip *src, const CcStrip *dst, guint y0, guint y1,
                 gint *next, guint8 *scratch);

G_END_DECLS
