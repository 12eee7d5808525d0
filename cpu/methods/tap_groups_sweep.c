/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sums of terms: of taps that share their coefficients (tap_groups.h). */

#include "scratch_layout.h"
#include "tile.h"
#include "methods.h"

/* Row y of the picture or its surroundings is at (y + radius) % window in the ring. */
static guint8 *
ring_row(const CcTile *tile, guint matrix, guint at) {
  const CcSweep *sweep = tile->sweep;
  return tile->rings + matrix * sweep->matrix_pitch + at * sweep->ring_pitch;
}

/* Fills the rings' rows for row y, which may lie outside of the picture. */
static void
load_row(const CcTile *tile, gint y) {
  const CcSweep *sweep = tile->sweep;
  const guint at = (guint)(y + (gint)sweep->window_rows / 2) % sweep->window_rows;
  guint8 *row = sweep->choice.separable ? tile->scratch + sweep->line : ring_row(tile, 0, at);
  cc_tile_load(tile, y, row);
  if (!sweep->choice.separable)
    return;
  for (guint m = 0; m < sweep->n_matrices; m++) {
    const CcWeights *weights = &sweep->choice.along[m];
    gconstpointer taps[CC_MAX_KERNEL_SIZE];
    for (guint i = 0; i < weights->n_taps; i++)
      taps[i] = row + weights->places[i].offset * (gssize)sweep->sample_lane_size;
    weights->sum(ring_row(tile, m, at), weights->terms, weights->n_terms, taps, tile->n);
  }
}

/* Sums, reduction and last step in one. */
static void
apply_row(const CcTile *tile, const gconstpointer *taps, guint y, const CcAhead *ahead) {
  const CcSweep *sweep = tile->sweep;
  guint8 *out = cc_tile_place(tile, y);
  sweep->choice.apply(out, sweep->choice.over[0].terms, taps, tile->n, &sweep->choice.to_sample,
                      ahead);
  cc_tile_store(tile, y, out);
}

/* The same from the taps of all matrices. */
static void
sum_row(const CcTile *tile, const gconstpointer *taps, guint y, const CcAhead *ahead) {
  const CcSweep *sweep = tile->sweep;
  gconstpointer sums[CC_MAX_MATRICES];
  for (guint m = 0; m < sweep->n_matrices; m++) {
    const CcWeights *weights = &sweep->choice.over[m];
    guint8 *sum = tile->scratch + sweep->sums + m * sweep->sums_pitch;
    weights->sum(sum, weights->terms, weights->n_terms, taps, tile->n);
    taps += weights->n_taps;
    sums[m] = sum;
  }
  cc_tile_finish(tile, sums, y, ahead);
}

/* Where the taps of all matrices are for the row whose window is in the ring. */
static void
place_taps(const CcTile *tile, guint y, gconstpointer *taps) {
  const CcSweep *sweep = tile->sweep;
  const guint top = y % sweep->window_rows; /* where the first row of the window is */
  for (guint m = 0; m < sweep->n_matrices; m++) {
    const CcWeights *weights = &sweep->choice.over[m];
    for (guint i = 0; i < weights->n_taps; i++) {
      const guint at = top + weights->places[i].row;
      *taps++ = ring_row(tile, m, at < sweep->window_rows ? at : at - sweep->window_rows) +
                weights->places[i].offset * (gssize)sweep->ring_lane_size;
    }
  }
}

/* Makes the tile's part of row y of the target from the rings, whose rows are all there. */
static void
make_row(const CcTile *tile, guint y, gint next) {
  CcAhead ahead;
  cc_tile_ahead(tile, next, y + 1, 1, &ahead);
  gconstpointer taps[CC_MAX_TAPS];
  place_taps(tile, y * tile->sweep->stride, taps);
  if (tile->sweep->choice.apply)
    apply_row(tile, taps, y, &ahead);
  else
    sum_row(tile, taps, y, &ahead);
}

static gint
run(const CcTile *tile, guint y0, guint y1, gint next) {
  const gint radius = (gint)tile->sweep->window_rows / 2;
  for (guint y = y0; y < y1; y++) {
    const gint center = (gint)(y * tile->sweep->stride);
    for (next = MAX(next, center - radius); next <= center + radius; next++)
      load_row(tile, next);
    make_row(tile, y, next);
  }
  return next;
}

void
cc_terms_prepare(CcSweep *sweep) {
  const gboolean separable = sweep->choice.separable;
  const guint n_rows = (separable ? sweep->n_matrices : 1) * sweep->window_rows;
  sweep->run = run;
  sweep->block_rows = 1;
  cc_sweep_take_tiles(sweep, n_rows, n_rows, sweep->choice.apply ? 0 : sweep->n_matrices);
  if (separable)
    sweep->line = cc_sweep_take_rows(sweep, 1, sweep->sample_lane_size, &sweep->line_pitch);
  sweep->matrix_pitch = separable ? sweep->window_rows * sweep->ring_pitch : 0;
}
