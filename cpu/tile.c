/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tile.h"

/* Tiles and chunks begin at results, as CC_MASK_PERIOD samples are a multiple of four pixels. */
guint8 *
cc_tile_target(const CcTile *tile, guint y, guint at) {
  const CcSweep *sweep = tile->sweep;
  const gsize byte = (tile->x + at) * sweep->sample_size;
  return cc_strip_row(tile->dst, (gint)y) + byte / sweep->stride;
}

void
cc_tile_prefetch(const CcTile *tile, gint y) {
  enum { CACHE_LINE = 64 };
  if (y < 0 || y >= (gint)tile->sweep->source.height || tile->sweep->by_position)
    return;
  const gsize sample = tile->sweep->spacing * tile->sweep->sample_size;
  const guint8 *row = cc_strip_row(tile->src, y) + tile->x * sample;
  for (gsize i = 0; i < tile->n * sample; i += CACHE_LINE)
    __builtin_prefetch(row + i);
}

void
cc_tile_prefetch_target(const CcTile *tile, guint y) {
  enum { CACHE_LINE = 64 };
  if (y >= tile->sweep->target.height)
    return;
  const guint8 *row = cc_tile_target(tile, y, 0);
  const gsize n = tile->n * tile->sweep->sample_size / tile->sweep->stride;
  for (gsize i = 0; i < n; i += CACHE_LINE)
    __builtin_prefetch(row + i, 1);
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
cc_tile_store(const CcTile *tile, guint y, guint at, guint n, const guint8 *filtered) {
  const CcSweep *sweep = tile->sweep;
  const guint8 *src = cc_strip_row(tile->src, (gint)(y * sweep->stride)) +
                      (tile->x + at) * sweep->sample_size;
  guint8 *dst = cc_tile_target(tile, y, at);
  gsize n_bytes = n * sweep->sample_size;
  if (sweep->thin) {
    const guint n_pixels = (n / sweep->step + sweep->stride - 1) / sweep->stride;
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

void
cc_tile_finish(const CcTile *tile, const gconstpointer *sums, guint n, guint y, guint at) {
  const CcSweep *sweep = tile->sweep;
  const gboolean stores = cc_tile_needs_store(tile);
  guint8 *out = stores ? tile->scratch + sweep->filtered : cc_tile_target(tile, y, at);
  gconstpointer t = sums[0];
  if (sweep->reduce) {
    sweep->reduce(tile->scratch + sweep->t, sums, sweep->n_matrices, n);
    t = tile->scratch + sweep->t;
  }
  sweep->finish(out, t, n, &sweep->choice.to_sample);
  if (stores)
    cc_tile_store(tile, y, at, n, out);
}
