/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Running sums: a line enters the windows and another one leaves them. */

#include "scratch_layout.h"
#include "tile.h"
#include "methods.h"

#include <string.h>

/* Sums along row y and along row y - window - 1 have the same place. */
static guint8 *
ring_row(const CcTile *tile, gint y) {
  const CcSweep *sweep = tile->sweep;
  const guint at = (guint)(y + 2 * (gint)sweep->window_rows) % (sweep->window_rows + 1);
  return tile->rings + at * sweep->ring_pitch;
}

/* The sums of the windows of a row of results. */
static guint8 *
window_sums(const CcTile *tile) {
  return tile->rings + (tile->sweep->window_rows + 1) * tile->sweep->ring_pitch;
}

static void
clear(const CcTile *tile) {
  const CcSweep *sweep = tile->sweep;
  memset(tile->rings, 0, (sweep->window_rows + 2) * sweep->ring_pitch);
}

/* Sums along a line from those of levels; `line` is the first sample that the first window has. */
static void
sum_levels(const CcTile *tile, const guint8 *line, guint8 *sums) {
  const CcSweep *sweep = tile->sweep;
  const CcMeans *means = sweep->choice.means;
  const CcSumFunc sum = sweep->choice.over[0].sum;
  const gsize pixel = sweep->step * sweep->sum_lane_size;
  gconstpointer taps[CC_MAX_KERNEL_SIZE];
  const guint8 *row[CC_MEANS_LEVELS] = {line};
  for (guint level = 1; level < CC_MEANS_LEVELS; level++) {
    const guint width = means->width[level], below = means->width[level - 1];
    const CcTerm plain = {1, width / below, 0};
    row[level] = row[level - 1];
    if (width == below)
      continue;
    for (guint i = 0; i < width / below; i++)
      taps[i] = row[level - 1] + i * below * pixel;
    guint8 *to = tile->scratch + sweep->levels + (level - 1) * sweep->levels_pitch;
    sum(to, &plain, 1, taps, tile->n + 2 * sweep->n_edge - (width - 1) * sweep->step);
    row[level] = to;
  }
  guint n_taps = 0, first = 0;
  for (guint level = CC_MEANS_LEVELS; level-- > 0;)
    for (guint i = 0; i < means->count[level]; i++, first += means->width[level])
      taps[n_taps++] = row[level] + first * pixel;
  const CcTerm whole = {means->factor, n_taps, 0};
  sum(sums, &whole, 1, taps, tile->n);
}

static void
load_line(const CcTile *tile, gint y) {
  const CcSweep *sweep = tile->sweep;
  guint8 *line = tile->scratch + sweep->line;
  cc_tile_load(tile, y, line);
  sum_levels(tile, line - sweep->n_edge * sweep->sample_lane_size, ring_row(tile, y));
}

/* Line y enters the windows, and the first of those before leaves them. */
static void
slide(const CcTile *tile, CcSlideFunc by, gint y, gpointer dst, const CcAhead *ahead) {
  const CcSweep *sweep = tile->sweep;
  by(window_sums(tile), ring_row(tile, y), ring_row(tile, y - (gint)sweep->window_rows), tile->n,
     dst, &sweep->choice.to_sample, ahead);
}

/* Row y of the target, whose windows end with line `last`. */
static void
make_row(const CcTile *tile, guint y, gint last) {
  const CcSweep *sweep = tile->sweep;
  CcAhead ahead;
  cc_tile_ahead(tile, last + 1, y + 1, 1, &ahead);
  if (!sweep->makes_samples) {
    slide(tile, sweep->slide, last, NULL, &ahead);
    cc_tile_finish(tile, (gconstpointer[]){window_sums(tile)}, y, &ahead);
    return;
  }
  guint8 *out = cc_tile_place(tile, y);
  slide(tile, sweep->slide_to_samples, last, out, &ahead);
  cc_tile_store(tile, y, out);
}

static gint
run(const CcTile *tile, guint y0, guint y1, gint next) {
  static const CcAhead nothing;
  const gint radius = (gint)tile->sweep->window_rows / 2;
  for (guint y = y0; y < y1; y++) {
    const gint last = (gint)(y * tile->sweep->stride) + radius;
    if (next == CC_NO_ROW) {
      clear(tile);
      next = last - 2 * radius;
    }
    for (; next <= last; next++) {
      load_line(tile, next);
      if (next < last)
        slide(tile, tile->sweep->slide, next, NULL, &nothing);
    }
    make_row(tile, y, last);
  }
  return next;
}

/* Rings have two rows more than the window: one leaves it, and the sums of windows are the other.
 */
void
cc_means_prepare(CcSweep *sweep, const CcRows *rows, CcSampleType type) {
  const CcChoice *choice = &sweep->choice;
  const guint wide = choice->sum_lane == CC_LANE_32;
  const CcSumStep step = cc_choice_sum_step(choice);
  sweep->run = run;
  sweep->slide = rows->slide[type][CC_STEP_SUMS][wide];
  sweep->slide_to_samples = rows->slide[type][step][wide];
  sweep->makes_samples = step != CC_STEP_SUMS;
  sweep->block_rows = 1;
  cc_sweep_take_tiles(sweep, sweep->window_rows + 2, sweep->window_rows + 2, 0);
  sweep->line = cc_sweep_take_rows(sweep, 1, sweep->sample_lane_size, &sweep->line_pitch);
  sweep->levels =
      cc_sweep_take_rows(sweep, CC_MEANS_LEVELS - 1, sweep->sum_lane_size, &sweep->levels_pitch);
  sweep->levels -= cc_row_align(sweep->n_edge * sweep->sum_lane_size);
}
