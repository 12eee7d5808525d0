/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sums over lines of sums along them: loads two lines at a time, and makes two rows. */

#include "scratch_layout.h"
#include "tile.h"
#include "methods.h"

#define MOST_BUNDLES ((CC_MAX_KERNEL_SIZE + 1) / 2)

/* The bundles of lines 2 * number and the next, counted from the first that the first window has.
 */
static gint32 *
ring_row(const CcTile *tile, guint m, guint number, guint part) {
  const CcSweep *sweep = tile->sweep;
  const CcLines *lines = sweep->choice.lines;
  const guint row = (m * lines->n_bundles + number % lines->n_bundles) * lines->n_parts + part;
  return (gpointer)(tile->rings + row * sweep->ring_pitch);
}

/* Loads lines y and y + 1 and sums along them. */
static void
load_lines(const CcTile *tile, gint y, guint number) {
  const CcSweep *sweep = tile->sweep;
  gconstpointer from[2];
  for (guint i = 0; i < 2; i++) {
    guint8 *line = tile->scratch + sweep->line + i * sweep->line_pitch;
    cc_tile_load(tile, y + (gint)i, line);
    from[i] = line - sweep->n_edge * sweep->sample_lane_size;
  }
  for (guint m = 0; m < sweep->n_matrices; m++) {
    gint32 *parts[CC_MOST_PARTS];
    for (guint p = 0; p < sweep->choice.lines->n_parts; p++)
      parts[p] = ring_row(tile, m, number, p);
    sweep->along(parts, from, &sweep->choice.lines->along[m], tile->n);
  }
}

static void
sum_over(const CcTile *tile, guint m, guint block, gpointer const *rows, const CcAhead *ahead) {
  const CcSweep *sweep = tile->sweep;
  const CcLines *lines = sweep->choice.lines;
  gconstpointer bundles[CC_MOST_PARTS * MOST_BUNDLES];
  for (guint g = 0; g < lines->n_bundles; g++)
    for (guint p = 0; p < lines->n_parts; p++)
      bundles[g * lines->n_parts + p] = ring_row(tile, m, block + g, p);
  sweep->over(rows, bundles, &lines->over[m], tile->n, &sweep->choice.to_sample, ahead);
}

static gint
run(const CcTile *tile, guint y0, guint y1, gint next) {
  return cc_tile_run_blocks(tile, y0, y1, next, tile->sweep->choice.lines->n_bundles, load_lines,
                            sum_over);
}

void
cc_lines_prepare(CcSweep *sweep, const CcRows *rows, CcSampleType type) {
  const CcLines *lines = sweep->choice.lines;
  const CcSumStep step = cc_choice_sum_step(&sweep->choice);
  sweep->run = run;
  sweep->along = lines->cuts_taps ? rows->along_cut : rows->along[lines->kind][lines->n_parts - 1];
  sweep->over = rows->over[type][step][lines->over_parts - 1];
  sweep->makes_samples = step != CC_STEP_SUMS;
  sweep->block_rows = 2;
  const guint n_rows = sweep->n_matrices * lines->n_bundles * lines->n_parts;
  cc_sweep_take_tiles(sweep, n_rows, n_rows, sweep->n_matrices * 2);
  sweep->line = cc_sweep_take_rows(sweep, 2, sweep->sample_lane_size, &sweep->line_pitch);
}
