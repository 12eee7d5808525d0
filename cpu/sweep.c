/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program.h"
#include "tile_sweeps.h"

#include <string.h>

/* --- sums of terms --- */

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
  const guint at = (guint)(y + (gint)sweep->window / 2) % sweep->window;
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

/* Sum, absolute value and last step in one. */
static void
apply_row(const CcTile *tile, const gconstpointer *taps, guint y, const CcAhead *ahead) {
  const CcSweep *sweep = tile->sweep;
  const gboolean stores = cc_tile_needs_store(tile);
  guint8 *out = stores ? tile->scratch + sweep->filtered : cc_tile_target(tile, y);
  sweep->choice.apply(out, sweep->choice.over[0].terms, taps, tile->n, &sweep->choice.to_sample,
                      ahead);
  if (stores)
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
  const guint top = y % sweep->window; /* where the first row of the window is */
  for (guint m = 0; m < sweep->n_matrices; m++) {
    const CcWeights *weights = &sweep->choice.over[m];
    for (guint i = 0; i < weights->n_taps; i++) {
      const guint at = top + weights->places[i].row;
      *taps++ = ring_row(tile, m, at < sweep->window ? at : at - sweep->window) +
                weights->places[i].offset * (gssize)sweep->ring_lane_size;
    }
  }
}

/* Makes the tile's part of row y of the target from the rings, whose rows are all there. */
static void
make_row(const CcTile *tile, guint y, gint next) {
  const CcAhead ahead = cc_tile_ahead(tile, next, y + 1, 1);
  gconstpointer taps[CC_MAX_TAPS];
  place_taps(tile, y * tile->sweep->stride, taps);
  if (tile->sweep->choice.apply)
    apply_row(tile, taps, y, &ahead);
  else
    sum_row(tile, taps, y, &ahead);
}

gint
cc_terms_run(const CcTile *tile, guint y0, guint y1, gint next) {
  const gint radius = (gint)tile->sweep->window / 2;
  for (guint y = y0; y < y1; y++) {
    const gint center = (gint)(y * tile->sweep->stride);
    for (next = MAX(next, center - radius); next <= center + radius; next++)
      load_row(tile, next);
    make_row(tile, y, next);
  }
  return next;
}

/* --- filtered, copied and filled --- */

/* Rows y0 to y1 - 1 of a strip, which begins with sample x0. Gives the row that the rings want
 * next.
 */
static gint
run_strip(const CcTile *place, guint x0, guint y0, guint y1, gint next) {
  const CcSweep *sweep = place->sweep;
  gint wanted = next;
  CcTile tile = *place;
  for (guint i = 0; i < sweep->strip_tiles && x0 + i * sweep->tile < sweep->n; i++) {
    tile.x = x0 + i * sweep->tile;
    tile.n = MIN(sweep->tile, sweep->n - tile.x);
    tile.number = i;
    tile.rings = tile.scratch + sweep->ring + i * sweep->tile_pitch;
    wanted = sweep->run(&tile, y0, y1, next);
  }
  return wanted;
}

/* As few rows as can be are made of all tiles of a strip in turn, so that memory is read and
 * written in its order. */
static void
run_filter(const CcSweep *sweep, const CcStrip *src, const CcStrip *dst, guint y0, guint y1,
           gint *next_row, guint8 *scratch) {
  const CcTile place = {.sweep = sweep, .src = src, .dst = dst, .scratch = scratch};
  const gint first = *next_row;
  for (guint x = 0; x < sweep->n; x += sweep->strip_tiles * sweep->tile) {
    *next_row = first;
    for (guint y = y0, end; y < y1; y = end) {
      end = MIN(y1, y - y % sweep->band + sweep->band);
      *next_row = run_strip(&place, x, y, end, *next_row);
    }
  }
}

/* Row y, of which nothing is filtered, with a stride. */
static void
merge_thin_row(const CcSweep *sweep, const guint8 *src, guint8 *dst, guint8 *scratch) {
  guint8 *thinned = scratch + sweep->thinned_src;
  const gsize chunk = CC_MOST_TILE / sweep->stride * sweep->sample_size;
  for (gsize at = 0; at < sweep->row_bytes; at += chunk) {
    const gsize n = MIN(sweep->row_bytes - at, chunk);
    sweep->thin(thinned, src + at * sweep->stride, (guint)(n / sweep->pixel_size));
    sweep->merge(dst + at, thinned, thinned, sweep->masks, n);
  }
}

static void
run_merge(const CcSweep *sweep, const CcStrip *src, const CcStrip *dst, guint y0, guint y1,
          guint8 *scratch) {
  for (guint y = y0; y < y1; y++) {
    const guint8 *from = cc_strip_row(src, (gint)(y * sweep->stride));
    if (sweep->thin)
      merge_thin_row(sweep, from, cc_strip_row(dst, (gint)y), scratch);
    else
      sweep->merge(cc_strip_row(dst, (gint)y), from, from, sweep->masks, sweep->row_bytes);
  }
}

/* Whether rows follow each other without a gap, and are all there. */
static gboolean
is_block(const CcSweep *sweep, const CcStrip *strip) {
  return strip->pitch == (gssize)sweep->row_bytes && strip->mask == G_MAXUINT;
}

static void
run_copy(const CcSweep *sweep, const CcStrip *src, const CcStrip *dst, guint y0, guint y1) {
  if (!sweep->thin && is_block(sweep, src) && is_block(sweep, dst)) {
    memcpy(cc_strip_row(dst, (gint)y0), cc_strip_row(src, (gint)y0), (y1 - y0) * sweep->row_bytes);
    return;
  }
  for (guint y = y0; y < y1; y++) {
    const guint8 *from = cc_strip_row(src, (gint)(y * sweep->stride));
    if (sweep->thin)
      sweep->thin(cc_strip_row(dst, (gint)y), from, sweep->target.width);
    else
      memcpy(cc_strip_row(dst, (gint)y), from, sweep->row_bytes);
  }
}

static void
run_fill(const CcSweep *sweep, const CcStrip *dst, guint y0, guint y1) {
  for (guint y = y0; y < y1; y++) {
    guint8 *row = cc_strip_row(dst, (gint)y);
    for (gsize at = 0; at < sweep->row_bytes; at += sweep->fill_bytes)
      memcpy(row + at, sweep->fill, MIN(sweep->fill_bytes, sweep->row_bytes - at));
  }
}

void
cc_sweep_run(const CcSweep *sweep, const CcStrip *src, const CcStrip *dst, guint y0, guint y1,
             gint *next, guint8 *scratch) {
  switch (sweep->choice.loop) {
  case CC_LOOP_PLAIN: /* needs no strips */
    break;
  case CC_LOOP_FILTER:
    run_filter(sweep, src, dst, y0, y1, next, scratch);
    break;
  case CC_LOOP_MERGE:
    run_merge(sweep, src, dst, y0, y1, scratch);
    break;
  case CC_LOOP_COPY:
    run_copy(sweep, src, dst, y0, y1);
    break;
  case CC_LOOP_FILL:
    run_fill(sweep, dst, y0, y1);
    break;
  }
}
