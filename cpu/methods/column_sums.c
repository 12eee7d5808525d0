/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Means by columns: a line enters the sums over columns and another one leaves them. */

#include "scratch_layout.h"
#include "tile.h"
#include "methods.h"

#include <string.h>

#define COLUMNS_ROWS 2 /* rows of the ring that sums over columns take */

/* Bytes from where a row of the ring begins to the samples that windows end at. */
static gsize
lead_of(const CcSweep *sweep) {
  return cc_row_align(sweep->n_edge * sweep->sample_lane_size);
}

/* Bytes that windows reach back from those samples. */
static gsize
reach_of(const CcSweep *sweep) {
  return cc_row_align(2 * sweep->n_edge * sweep->sample_lane_size);
}

/* Line y, from the samples on that windows end at, which are n_edge samples from the first one of
 * results. Line y - window - 1 has the same place. */
static guint8 *
ring_row(const CcTile *tile, gint y) {
  const CcSweep *sweep = tile->sweep;
  const guint at = (guint)(y + 2 * (gint)sweep->window_rows) % (sweep->window_rows + 1);
  return tile->rings + at * sweep->ring_pitch + lead_of(sweep);
}

/* The sums over columns, from the same samples on. */
static guint8 *
columns_of(const CcTile *tile) {
  const CcSweep *sweep = tile->sweep;
  return tile->rings + (sweep->window_rows + 1) * sweep->ring_pitch - lead_of(sweep) +
         COLUMNS_ROWS * reach_of(sweep);
}

static void
clear(const CcTile *tile) {
  const CcSweep *sweep = tile->sweep;
  memset(tile->rings - lead_of(sweep), 0,
         (sweep->window_rows + 1 + COLUMNS_ROWS) * sweep->ring_pitch);
}

static void
load_line(const CcTile *tile, gint y) {
  const CcSweep *sweep = tile->sweep;
  cc_tile_load(tile, y, ring_row(tile, y) - sweep->n_edge * sweep->sample_lane_size);
}

/* Line y enters, of which no samples are made. */
static void
add_line(const CcTile *tile, gint y) {
  const CcSweep *sweep = tile->sweep;
  const gsize reach = reach_of(sweep);
  sweep->add_columns(columns_of(tile) - COLUMNS_ROWS * reach, ring_row(tile, y) - reach,
                     ring_row(tile, y - (gint)sweep->window_rows) - reach,
                     reach + tile->n * sweep->sample_lane_size);
}

/* Row y of the target, whose windows end with line `last`. */
static void
make_row(const CcTile *tile, guint y, gint last) {
  const CcSweep *sweep = tile->sweep;
  CcAhead ahead;
  cc_tile_ahead(tile, last + 1, y + 1, 1, &ahead);
  guint8 *out = cc_tile_place(tile, y);
  sweep->choice.means->by_columns(columns_of(tile), ring_row(tile, last),
                                  ring_row(tile, last - (gint)sweep->window_rows), tile->n, out,
                                  &sweep->choice.to_sample, sweep->choice.means->factor, &ahead);
  cc_tile_store(tile, y, out);
}

static gint
run(const CcTile *tile, guint y0, guint y1, gint next) {
  const gint radius = (gint)tile->sweep->window_rows / 2;
  for (guint y = y0; y < y1; y++) {
    const gint last = (gint)(y * tile->sweep->stride) + radius;
    if (next == CC_NO_ROW) {
      clear(tile);
      next = last - 2 * radius;
    }
    for (; next < last; next++) {
      load_line(tile, next);
      add_line(tile, next);
    }
    load_line(tile, next++);
    make_row(tile, y, last);
  }
  return next;
}

/* Rings have a row more than the window: one leaves it. A row of results is made of that one, of
 * the one that enters and of the sums. */
void
cc_columns_prepare(CcSweep *sweep, const CcRows *rows, CcSampleType type) {
  sweep->run = run;
  sweep->add_columns = rows->add_columns[type];
  sweep->block_rows = 1;
  cc_sweep_take_tiles(sweep, sweep->window_rows + 1 + COLUMNS_ROWS, 2 + COLUMNS_ROWS, 0);
}
