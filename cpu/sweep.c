/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program.h"

#include <string.h>

#define PREFETCH_ROWS 2

/* The columns that a sweep is at. */
typedef struct {
  const CcSweep *sweep;
  const CcStrip *src, *dst;
  guint x, n; /* samples x to x + n - 1 of the rows */
  guint8 *scratch, *rings;
} Tile;

/* Row y of the picture or its surroundings is at (y + radius) % window in the ring. */
static guint8 *
ring_row(const Tile *tile, guint matrix, guint at) {
  const CcSweep *sweep = tile->sweep;
  return tile->rings + matrix * sweep->matrix_pitch + at * sweep->ring_pitch;
}

/* Asks for a row that is loaded a little later: sweeps are fast enough to wait for memory. */
static void
prefetch_row(const Tile *tile, gint y) {
  enum { CACHE_LINE = 64 };
  if (y < 0 || y >= (gint)tile->sweep->source.height || tile->sweep->by_position)
    return;
  const gsize sample = tile->sweep->spacing * tile->sweep->sample_size;
  const guint8 *row = cc_strip_row(tile->src, y) + tile->x * sample;
  for (gsize i = 0; i < tile->n * sample; i += CACHE_LINE)
    __builtin_prefetch(row + i);
}

/* Loads the tile's part of a row of the picture, and what the window reaches left and right of it;
 * a row of the constant border, which repeats every pixel, when it is NULL. */
static void
load_samples(const Tile *tile, const guint8 *picture, guint8 *row) {
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

/* Fills the rings' rows for row y, which may lie outside of the picture. */
static void
load_row(const Tile *tile, gint y) {
  const CcSweep *sweep = tile->sweep;
  const guint at = (guint)(y + (gint)sweep->window / 2) % sweep->window;
  const gint from = cc_border_index(y, (gint)sweep->source.height, sweep->border);
  guint8 *row = sweep->choice.separable ? tile->scratch + sweep->line : ring_row(tile, 0, at);
  load_samples(tile, from < 0 ? NULL : cc_strip_row(tile->src, sweep->by_position ? y : from), row);
  if (!sweep->choice.separable)
    return;
  for (guint m = 0; m < sweep->n_matrices; m++) {
    const CcWeights *weights = &sweep->choice.along[m];
    gconstpointer taps[CC_MAX_KERNEL_SIZE];
    for (guint i = 0; i < weights->n_taps; i++)
      taps[i] = row + weights->places[i].offset * (gssize)sweep->sample_lane_size;
    weights->sum(ring_row(tile, m, at), weights->terms, weights->n_terms, taps, 0, tile->n);
  }
}

/* Results for n samples from sample `at` of the tile on, from the taps of all matrices. */
static void
finish_chunk(const Tile *tile, const gconstpointer *taps, guint at, guint n, guint8 *out) {
  const CcSweep *sweep = tile->sweep;
  const gsize byte = at * sweep->ring_lane_size;
  if (sweep->choice.apply) {
    sweep->choice.apply(out, sweep->choice.over[0].terms, taps, byte, n, &sweep->choice.to_sample);
    return;
  }
  gconstpointer sums[CC_MAX_MATRICES];
  for (guint m = 0; m < sweep->n_matrices; m++) {
    const CcWeights *weights = &sweep->choice.over[m];
    guint8 *sum = tile->scratch + sweep->sums + m * sweep->sums_pitch;
    weights->sum(sum, weights->terms, weights->n_terms, taps, byte, n);
    taps += weights->n_taps;
    sums[m] = sum;
  }
  gconstpointer t = sums[0];
  if (sweep->reduce) {
    sweep->reduce(tile->scratch + sweep->t, sums, sweep->n_matrices, n);
    t = tile->scratch + sweep->t;
  }
  sweep->finish(out, t, n, &sweep->choice.to_sample);
}

/* Where the taps of all matrices are for the row whose window is in the ring. */
static void
place_taps(const Tile *tile, guint y, gconstpointer *taps) {
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

/* Makes the tile's part of row y from the rings, whose rows are all there. */
static void
make_row(const Tile *tile, guint y) {
  const CcSweep *sweep = tile->sweep;
  gconstpointer taps[CC_MAX_TAPS];
  place_taps(tile, y, taps);
  const guint8 *src = cc_strip_row(tile->src, (gint)y);
  guint8 *dst = cc_strip_row(tile->dst, (gint)y), *filtered = tile->scratch + sweep->filtered;
  for (guint at = 0; at < tile->n; at += CC_CHUNK) {
    const guint n = MIN(tile->n - at, CC_CHUNK);
    const gsize byte = (tile->x + at) * sweep->sample_size;
    finish_chunk(tile, taps, at, n, sweep->masks ? filtered : dst + byte);
    if (sweep->masks)
      sweep->merge(dst + byte, filtered, src + byte, sweep->masks, n * sweep->sample_size);
  }
}

/* The same with a stride: row y of the target from row y * stride. Tiles and chunks begin at
 * results, as CC_MASK_PERIOD samples are a multiple of four pixels. */
static void
make_thin_row(const Tile *tile, guint y) {
  const CcSweep *sweep = tile->sweep;
  const guint step = (guint)(sweep->pixel_size / sweep->sample_size);
  gconstpointer taps[CC_MAX_TAPS];
  place_taps(tile, y * sweep->stride, taps);
  const guint8 *src = cc_strip_row(tile->src, (gint)(y * sweep->stride));
  guint8 *dst = cc_strip_row(tile->dst, (gint)y), *filtered = tile->scratch + sweep->filtered;
  guint8 *thinned = tile->scratch + sweep->thinned,
         *thinned_src = tile->scratch + sweep->thinned_src;
  for (guint at = 0; at < tile->n; at += CC_CHUNK) {
    const guint n = MIN(tile->n - at, CC_CHUNK);
    const gsize byte = (tile->x + at) * sweep->sample_size;
    const guint n_pixels = (n / step + sweep->stride - 1) / sweep->stride;
    guint8 *out = dst + byte / sweep->stride;
    finish_chunk(tile, taps, at, n, filtered);
    sweep->thin(sweep->masks ? thinned : out, filtered, n_pixels);
    if (sweep->masks) {
      sweep->thin(thinned_src, src + byte, n_pixels);
      sweep->merge(out, thinned, thinned_src, sweep->masks, n_pixels * sweep->pixel_size);
    }
  }
}

static void
run_filter(const CcSweep *sweep, const CcStrip *src, const CcStrip *dst, guint y0, guint y1,
           gint *next_row, guint8 *scratch) {
  const gint radius = (gint)sweep->window / 2;
  gint next = *next_row;
  guint8 *rings = scratch + sweep->ring;
  for (guint x = 0; x < sweep->n; x += sweep->tile, rings += sweep->tile_pitch) {
    const Tile tile = {sweep, src, dst, x, MIN(sweep->tile, sweep->n - x), scratch, rings};
    next = *next_row;
    for (guint y = y0; y < y1; y++) {
      const gint center = (gint)(y * sweep->stride);
      for (next = MAX(next, center - radius); next <= center + radius; next++) {
        prefetch_row(&tile, next + PREFETCH_ROWS);
        load_row(&tile, next);
      }
      if (sweep->thin)
        make_thin_row(&tile, y);
      else
        make_row(&tile, y);
    }
  }
  *next_row = next;
}

/* Row y, of which nothing is filtered, with a stride. */
static void
merge_thin_row(const CcSweep *sweep, const guint8 *src, guint8 *dst, guint8 *scratch) {
  guint8 *thinned = scratch + sweep->thinned_src;
  const gsize chunk = CC_CHUNK / sweep->stride * sweep->sample_size;
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
