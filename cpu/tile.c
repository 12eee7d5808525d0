/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tile.h"

#include <string.h>

/* With a stride, every tile begins at a pixel that is a result, because tiles begin at multiples of
 * CC_MASK_PERIOD samples and these are multiples of four pixels. */
guint8 *
cc_tile_target(const CcTile *tile, guint y) {
  const CcSweep *sweep = tile->sweep;
  const gsize byte = tile->x * sweep->sample_size;
  return cc_strip_row(tile->dst, (gint)y) + byte / sweep->stride;
}

/* Adds the prefetches of a row that has `bytes` bytes for each sample. Leaves out prefetches for
 * which CcAhead has no space. */
static void
prefetch_row(CcAhead *ahead, const guint8 *row, gsize bytes) {
  for (gsize i = 0; i < bytes && ahead->n < CC_MAX_AHEAD; i++) {
    ahead->line[ahead->n].at = row + i * CC_CACHE_LINE;
    ahead->line[ahead->n++].bytes = bytes;
  }
}

void
cc_tile_ahead(const CcTile *tile, gint y, guint first, guint n, CcAhead *ahead) {
  const CcSweep *sweep = tile->sweep;
  const guintptr alignment = (guintptr)cc_tile_target(tile, 0) | (guintptr)tile->dst->pitch;
  const gsize bytes = sweep->spacing * sweep->sample_size;
  ahead->n = 0;
  ahead->streams = sweep->streams && alignment % CC_CACHE_LINE == 0;
  if (!sweep->prefetches)
    return;
  for (gint i = MAX(y, 0); i < MIN(y + (gint)(n * sweep->stride), (gint)tile->area->source_height);
       i++)
    if (!sweep->by_position)
      prefetch_row(ahead, cc_strip_row(tile->src, i) + (gsize)tile->x * bytes, bytes);
  for (guint i = first; i < MIN(first + n, tile->area->height); i++)
    if (!sweep->to_scratch && !ahead->streams)
      prefetch_row(ahead, cc_tile_target(tile, i), sweep->sample_size);
}

/* If `source` is NULL, loads a row of the constant border, in which all pixels are equal. */
static void
load_samples(const CcTile *tile, const guint8 *source, guint8 *row) {
  const CcSweep *sweep = tile->sweep;
  const CcArea *area = tile->area;
  const gsize lane = sweep->sample_lane_size;
  const guint shift = sweep->shift;
  const guint right_of = area->n_source - tile->x - tile->n;
  const guint left = MIN(sweep->n_edge, tile->x), right = MIN(sweep->n_edge, right_of);
  const guint8 *src = source ? source : sweep->outside;
  const gsize first = (tile->x - left) * sweep->spacing * sweep->sample_size;
  /* bytes after which the constant border repeats */
  const gsize period = sweep->spacing * sweep->pixel_size;
  sweep->load(row - left * lane, src + (source ? first : first % period), sweep->spacing,
              left + tile->n + right, shift);
  if (left < sweep->n_edge)
    sweep->extend(row - sweep->n_edge * lane, src, area->left + left, sweep->n_edge - left, shift);
  if (right < sweep->n_edge)
    sweep->extend(row + (tile->n + right) * lane, src, area->right, sweep->n_edge - right, shift);
}

void
cc_tile_load(const CcTile *tile, gint y, guint8 *row) {
  const CcSweep *sweep = tile->sweep;
  const gint from = cc_border_index(y, (gint)tile->area->source_height, sweep->border);
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
    sweep->kernels->samples->merge(dst, filtered, src, sweep->masks, n_bytes);
}

static void
finish_part(const CcTile *tile, const gconstpointer *sums, guint x, guint n, guint8 *out) {
  const CcSweep *sweep = tile->sweep;
  gconstpointer from[CC_MAX_MATRICES];
  for (guint m = 0; m < sweep->n_matrices; m++)
    from[m] = (const guint8 *)sums[m] + x * sweep->sum_size;
  gconstpointer t = from[0];
  if (sweep->reduce) {
    sweep->reduce(tile->scratch + sweep->t, from, sweep->n_matrices, n);
    t = tile->scratch + sweep->t;
  }
  sweep->finish(out + x * sweep->sample_size, t, n, &sweep->method->output.to_sample);
}

void
cc_tile_finish(const CcTile *tile, const gconstpointer *sums, guint y, const CcAhead *ahead) {
  enum { AT_ONCE = 512 };
  guint8 *out = cc_tile_result(tile, y);
  for (guint x = 0; x < tile->n; x += AT_ONCE) {
    const guint n = MIN(AT_ONCE, tile->n - x);
    for (guint line = x; line < x + n; line += CC_CACHE_LINE)
      cc_look_ahead(ahead, line);
    finish_part(tile, sums, x, n, out);
  }
  cc_tile_store(tile, y, out);
}

/* --- blocks --- */

#define NO_ROW (-1)

guint8 *
cc_tile_ring_row(const CcTile *tile, guint number, guint n_rows) {
  return tile->rings + number % n_rows * tile->sweep->ring_pitch;
}

/* row[i] is the row of the target that row i of the block is written to, or NO_ROW. */
static void
make_block(const CcTile *tile, guint block, const gint row[CC_MAX_BLOCK_ROWS],
           const CcAhead *ahead) {
  static const CcAhead nothing;
  const CcSweep *sweep = tile->sweep;
  const CcMethod *method = sweep->method;
  const guint n = method->block_rows;
  const gboolean at_once = method->makes_samples && !cc_tile_needs_store(tile);
  gpointer out[CC_MAX_MATRICES][CC_MAX_BLOCK_ROWS];
  gconstpointer sums[CC_MAX_BLOCK_ROWS][CC_MAX_MATRICES];
  for (guint m = 0; m < sweep->n_matrices; m++) {
    for (guint i = 0; i < n; i++)
      sums[i][m] = out[m][i] = at_once && row[i] != NO_ROW
                                   ? cc_tile_target(tile, (guint)row[i])
                                   : tile->scratch + sweep->sums + (m * n + i) * sweep->sums_pitch;
    method->klass->sum_block(tile, m, block, out[m], m == 0 ? ahead : &nothing);
  }
  for (guint i = 0; i < n; i++)
    if (row[i] != NO_ROW && method->makes_samples)
      cc_tile_store(tile, (guint)row[i], out[0][i]);
    else if (row[i] != NO_ROW)
      cc_tile_finish(tile, sums[i], (guint)row[i], &nothing);
}

gint
cc_tile_run_blocks(const CcTile *tile, guint y0, guint y1, gint next) {
  const CcSweep *sweep = tile->sweep;
  const CcMethod *method = sweep->method;
  const guint rows = method->block_rows;
  const gint radius = (gint)sweep->window_rows / 2;
  for (guint y = y0; y < y1;) {
    const guint block = y * sweep->stride / rows;
    for (guint i = block; i < block + method->n_groups; i++) {
      const gint line = (gint)(i * rows) - radius;
      if (line >= next) {
        method->klass->load_group(tile, line, i);
        next = line + (gint)rows;
      }
    }
    CcAhead ahead;
    gint row[CC_MAX_BLOCK_ROWS] = {NO_ROW, NO_ROW, NO_ROW, NO_ROW};
    cc_tile_ahead(tile, next, (block + 1) * rows / sweep->stride, rows, &ahead);
    for (; y < y1 && y * sweep->stride < (block + 1) * rows; y++)
      row[y * sweep->stride - block * rows] = (gint)y;
    make_block(tile, block, row, &ahead);
  }
  return next;
}

/* --- sweeps --- */

/* Merges a row that has no filtered components, if there is a stride. */
static void
merge_thin_row(const CcArea *area, const guint8 *src, guint8 *dst, guint8 *scratch) {
  const CcSweep *self = area->sweep;
  guint8 *thinned = scratch + self->thinned_src;
  const gsize chunk = CC_MAX_TILE / self->stride * self->sample_size;
  for (gsize at = 0; at < area->row_bytes; at += chunk) {
    const gsize n = MIN(area->row_bytes - at, chunk);
    self->thin(thinned, src + at * self->stride, (guint)(n / self->pixel_size));
    self->kernels->samples->merge(dst + at, thinned, thinned, self->masks, n);
  }
}

/* Returns whether the rows of a strip are contiguous in memory and the memory has all of them. */
static gboolean
is_block(const CcArea *self, const CcStrip *strip) {
  return strip->pitch == (gssize)self->row_bytes && strip->mask == G_MAXUINT;
}

/* Processes all rows of some neighbouring tiles, which are interleaved block by block. Then
 * continues with the tiles to the right. */
static void
filter_rows(const CcArea *self, const CcStrip *src, const CcStrip *dst, guint y0, guint y1,
            gint *next, guint8 *scratch) {
  const CcSweep *sweep = self->sweep;
  const CcMethod *method = sweep->method;
  const gint first = *next;
  const guint rows = method->block_rows;
  for (guint x = 0; x < self->n; x += self->interleaved_tiles * self->tile) {
    const guint end = MIN(self->n, x + self->interleaved_tiles * self->tile);
    *next = first;
    for (guint y = y0, stop; y < y1; y = stop) {
      gint wanted = *next;
      stop = MIN(y1, y - y % rows + rows);
      for (guint at = x, i = 0; at < end; at += self->tile, i++) {
        const CcTile tile = {.sweep = sweep,
                             .area = self,
                             .src = src,
                             .dst = dst,
                             .x = at,
                             .n = MIN(self->tile, self->n - at),
                             .scratch = scratch,
                             .rings = scratch + sweep->ring + i * sweep->tile_pitch};
        wanted = method->klass->rows(&tile, y, stop, *next);
      }
      *next = wanted;
    }
  }
}

void
cc_area_run(const CcArea *area, const CcStrip *src, const CcStrip *dst, guint y0, guint y1,
            gint *next, guint8 *scratch) {
  const CcSweep *self = area->sweep;
  if (self->loop == CC_LOOP_FILTER) {
    filter_rows(area, src, dst, y0, y1, next, scratch);
    return;
  }
  if (self->loop == CC_LOOP_COPY && !self->thin && is_block(area, src) && is_block(area, dst)) {
    memcpy(cc_strip_row(dst, (gint)y0), cc_strip_row(src, (gint)y0), (y1 - y0) * area->row_bytes);
    return;
  }
  for (guint y = y0; y < y1; y++) {
    const guint8 *from =
        self->loop == CC_LOOP_FILL ? NULL : cc_strip_row(src, (gint)(y * self->stride));
    guint8 *to = cc_strip_row(dst, (gint)y);
    switch (self->loop) {
    case CC_LOOP_MERGE:
      if (self->thin)
        merge_thin_row(area, from, to, scratch);
      else
        self->kernels->samples->merge(to, from, from, self->masks, area->row_bytes);
      break;
    case CC_LOOP_COPY:
      if (self->thin)
        self->thin(to, from, area->width);
      else
        memcpy(to, from, area->row_bytes);
      break;
    case CC_LOOP_FILL:
      for (gsize at = 0; at < area->row_bytes; at += self->fill_bytes)
        memcpy(to + at, self->fill, MIN(self->fill_bytes, area->row_bytes - at));
      break;
    case CC_LOOP_PLAIN:
    case CC_LOOP_FILTER:
      g_assert_not_reached();
    }
  }
}
