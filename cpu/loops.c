/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "loops.h"
#include "cpu/methods/tile.h"

#include <string.h>

/* Rows y0 to y1 - 1 of the tiles that take turns, which begin with sample x0. Gives the row that
 * their rings want next. */
static gint
run_in_turn(CcTile *tile, guint x0, guint y0, guint y1, gint next) {
  const CcSweep *sweep = tile->sweep;
  gint wanted = next;
  for (guint i = 0; i < sweep->tiles_in_turn && x0 + i * sweep->tile < sweep->n; i++) {
    tile->x = x0 + i * sweep->tile;
    tile->n = MIN(sweep->tile, sweep->n - tile->x);
    tile->rings = tile->scratch + sweep->ring + i * sweep->tile_pitch;
    wanted = sweep->run(tile, y0, y1, next);
  }
  return wanted;
}

/* As few rows as can be are made of the tiles in turn, so that memory is read and
 * written in its order. */
static void
run_filter(const CcSweep *sweep, const CcStrip *src, const CcStrip *dst, guint y0, guint y1,
           gint *next_row, guint8 *scratch) {
  CcTile tile = {.sweep = sweep, .src = src, .dst = dst, .scratch = scratch};
  const gint first = *next_row;
  for (guint x = 0; x < sweep->n; x += sweep->tiles_in_turn * sweep->tile) {
    *next_row = first;
    for (guint y = y0, end; y < y1; y = end) {
      end = MIN(y1, y - y % sweep->block_rows + sweep->block_rows);
      *next_row = run_in_turn(&tile, x, y, end, *next_row);
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
