/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tile.h"

/* Tiles begin at results, as CC_MASK_PERIOD samples are a multiple of four pixels. */
guint8 *
cc_tile_target(const CcTile *tile, guint y) {
  const CcSweep *sweep = tile->sweep;
  const gsize byte = tile->x * sweep->sample_size;
  return cc_strip_row(tile->dst, (gint)y) + byte / sweep->stride;
}

void
cc_tile_ahead(const CcTile *tile, gint y, guint first, guint n, CcAhead *ahead) {
  const CcSweep *sweep = tile->sweep;
  ahead->n_sources = ahead->n_targets = 0;
  ahead->source_bytes = (guint)(sweep->spacing * sweep->sample_size);
  ahead->target_bytes = (guint)sweep->sample_size;
  for (gint i = 0; i < (gint)MIN(n * sweep->stride, CC_MOST_AHEAD); i++)
    if (sweep->prefetches && y + i >= 0 && y + i < (gint)sweep->source.height &&
        !sweep->by_position)
      ahead->source[ahead->n_sources++] =
          cc_strip_row(tile->src, y + i) + (gsize)tile->x * ahead->source_bytes;
  const guintptr place = (guintptr)cc_tile_target(tile, 0) | (guintptr)tile->dst->pitch;
  ahead->streams = sweep->streams && place % CC_CACHE_LINE == 0;
  const gboolean asks_for_target = sweep->prefetches && !sweep->plan->packed && !ahead->streams;
  for (guint i = first; i < MIN(first + n, sweep->target.height) && asks_for_target; i++)
    ahead->target[ahead->n_targets++] = cc_tile_target(tile, i);
}

/* Loads the tile's part of a row of the picture, and what the window reaches left and right of it;
 * a row of the constant border, which repeats every pixel, when it is NULL. */
static void
load_samples(const CcTile *tile, const guint8 *picture, guint8 *row) {
  const CcSweep *sweep = tile->sweep;
  const gsize lane = sweep->sample_lane_size;
  const guint shift = sweep->choice.to_sample.shift;
  const guint right_of = sweep->n_source - tile->x - tile->n;
  const guint left = MIN(sweep->n_edge, tile->x), right = MIN(sweep->n_edge, right_of);
  const guint8 *src = picture ? picture : sweep->outside;
  const gsize first = (tile->x - left) * sweep->spacing * sweep->sample_size;
  const gsize period = sweep->spacing * sweep->pixel_size; /* of the constant border */
  sweep->load(row - left * lane, src + (picture ? first : first % period), sweep->spacing,
              left + tile->n + right, shift);
  if (left < sweep->n_edge)
    sweep->extend(row - sweep->n_edge * lane, src, sweep->left + left, sweep->n_edge - left, shift);
  if (right < sweep->n_edge)
    sweep->extend(row + (tile->n + right) * lane, src, sweep->right, sweep->n_edge - right, shift);
}

void
cc_tile_load(const CcTile *tile, gint y, guint8 *row) {
  const CcSweep *sweep = tile->sweep;
  const gint from = cc_border_index(y, (gint)sweep->source.height, sweep->border);
  load_samples(tile, from < 0 ? NULL : cc_strip_row(tile->src, sweep->by_position ? y : from), row);
}

void
cc_tile_store(const CcTile *tile, guint y, const guint8 *filtered) {
  const CcSweep *sweep = tile->sweep;
  if (!cc_tile_needs_store(tile))
    return;
  const guint8 *src =
      cc_strip_row(tile->src, (gint)(y * sweep->stride)) + tile->x * sweep->sample_size;
  guint8 *dst = cc_tile_target(tile, y);
  gsize n_bytes = tile->n * sweep->sample_size;
  if (sweep->thin) {
    const guint n_pixels = (tile->n / sweep->step + sweep->stride - 1) / sweep->stride;
    guint8 *thinned = tile->scratch + sweep->thinned;
    sweep->thin(sweep->masks ? thinned : dst, filtered, n_pixels);
    if (sweep->masks)
      sweep->thin(tile->scratch + sweep->thinned_src, src, n_pixels);
    filtered = thinned;
    src = tile->scratch + sweep->thinned_src;
    n_bytes = n_pixels * sweep->pixel_size;
  }
  if (sweep->masks)
    sweep->merge(dst, filtered, src, sweep->masks, n_bytes);
}

/* Samples from number x on. */
static void
finish_part(const CcTile *tile, const gconstpointer *sums, guint x, guint n, guint8 *out) {
  const CcSweep *sweep = tile->sweep;
  gconstpointer from[CC_MAX_MATRICES];
  for (guint m = 0; m < sweep->n_matrices; m++)
    from[m] = (const guint8 *)sums[m] + x * sweep->sum_lane_size;
  gconstpointer t = from[0];
  if (sweep->reduce) {
    sweep->reduce(tile->scratch + sweep->t, from, sweep->n_matrices, n);
    t = tile->scratch + sweep->t;
  }
  sweep->finish(out + x * sweep->sample_size, t, n, &sweep->choice.to_sample);
}

void
cc_tile_finish(const CcTile *tile, const gconstpointer *sums, guint y, const CcAhead *ahead) {
  enum { AT_ONCE = 512 };
  guint8 *out = cc_tile_place(tile, y);
  for (guint x = 0; x < tile->n; x += AT_ONCE) {
    const guint n = MIN(AT_ONCE, tile->n - x);
    cc_look_ahead(ahead, x, n);
    finish_part(tile, sums, x, n, out);
  }
  cc_tile_store(tile, y, out);
}

/* --- blocks --- */

#define MOST_ROWS 4 /* of a block */
#define NO_ROW (-1)

static gpointer
sums_of(const CcTile *tile, guint m, guint i) {
  const CcSweep *sweep = tile->sweep;
  return tile->scratch + sweep->sums + (m * sweep->block_rows + i) * sweep->sums_pitch;
}

/* Samples straight from the sums. */
static void
make_samples(const CcTile *tile, guint block, const gint *of_target, const CcAhead *ahead,
             CcBlockSums sum) {
  const gboolean stores = cc_tile_needs_store(tile);
  gpointer rows[MOST_ROWS];
  for (guint i = 0; i < tile->sweep->block_rows; i++) {
    const gboolean there = of_target[i] != NO_ROW && !stores;
    rows[i] = there ? cc_tile_target(tile, (guint)of_target[i]) : sums_of(tile, 0, i);
  }
  sum(tile, 0, block, rows, ahead);
  for (guint i = 0; i < tile->sweep->block_rows; i++)
    if (of_target[i] != NO_ROW)
      cc_tile_store(tile, (guint)of_target[i], rows[i]);
}

static void
make_sums(const CcTile *tile, guint block, const gint *of_target, const CcAhead *ahead,
          CcBlockSums sum) {
  static const CcAhead nothing;
  gconstpointer sums[MOST_ROWS][CC_MAX_MATRICES];
  for (guint m = 0; m < tile->sweep->n_matrices; m++) {
    gpointer rows[MOST_ROWS];
    for (guint i = 0; i < tile->sweep->block_rows; i++)
      sums[i][m] = rows[i] = sums_of(tile, m, i);
    sum(tile, m, block, rows, m == 0 ? ahead : &nothing);
  }
  for (guint i = 0; i < tile->sweep->block_rows; i++)
    if (of_target[i] != NO_ROW)
      cc_tile_finish(tile, sums[i], (guint)of_target[i], &nothing);
}

/* Makes those of rows y to y1 - 1 of the target that are in the block. Gives the first that is not.
 */
static guint
make_block(const CcTile *tile, guint block, guint y, guint y1, const CcAhead *ahead,
           CcBlockSums sum) {
  const CcSweep *sweep = tile->sweep;
  gint of_target[MOST_ROWS] = {NO_ROW, NO_ROW, NO_ROW, NO_ROW};
  for (; y < y1 && y * sweep->stride < (block + 1) * sweep->block_rows; y++)
    of_target[y * sweep->stride - block * sweep->block_rows] = (gint)y;
  if (sweep->makes_samples)
    make_samples(tile, block, of_target, ahead, sum);
  else
    make_sums(tile, block, of_target, ahead, sum);
  return y;
}

gint
cc_tile_run_blocks(const CcTile *tile, guint y0, guint y1, gint next, guint n_bundles,
                   CcLoadBundle load, CcBlockSums sum) {
  const CcSweep *sweep = tile->sweep;
  const guint rows = sweep->block_rows;
  const gint radius = (gint)sweep->window_rows / 2;
  for (guint y = y0; y < y1;) {
    const guint block = y * sweep->stride / rows;
    for (guint i = block; i < block + n_bundles; i++) {
      const gint row = (gint)(i * rows) - radius;
      if (row >= next) {
        load(tile, row, i);
        next = row + (gint)rows;
      }
    }
    CcAhead ahead;
    cc_tile_ahead(tile, next, (block + 1) * rows / sweep->stride, rows, &ahead);
    y = make_block(tile, block, y, y1, &ahead, sum);
  }
  return next;
}
