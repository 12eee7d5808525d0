/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sums over whole windows: loads bundles of rows, and makes a block of rows from them. */

#include "scratch_layout.h"
#include "tile.h"
#include "methods.h"

#define MOST_BUNDLES ((CC_MAX_MATRIX_SIZE + 1) / 2 * CC_MAX_MATRIX_SIZE)

static guint8 *
ring_row(const CcTile *tile, guint number) {
  const CcSweep *sweep = tile->sweep;
  return tile->rings + number % sweep->choice.window->n_bundles * sweep->ring_pitch;
}

/* Loads the rows from y on as bundle `number`. */
static void
load_bundle(const CcTile *tile, gint y, guint number) {
  const CcSweep *sweep = tile->sweep;
  const CcWindow *window = sweep->choice.window;
  const guint lead = cc_sweep_lead(sweep);
  gconstpointer lines[4];
  for (guint i = 0; i < window->bundle; i++) {
    guint8 *line = tile->scratch + sweep->line + i * sweep->line_pitch;
    cc_tile_load(tile, y + (gint)i, line);
    lines[i] = line - lead * sweep->sample_lane_size;
  }
  sweep->bundle(ring_row(tile, number) - lead * sizeof(gint32), lines,
                lead + tile->n + sweep->n_edge, window->flip);
}

static void
sum_windows(const CcTile *tile, guint m, guint block, gpointer const *rows, const CcAhead *ahead) {
  const CcSweep *sweep = tile->sweep;
  const CcWindow *window = sweep->choice.window;
  const guint width = sweep->pass->op->width, n = window->n_bundles * width;
  gconstpointer bundles[MOST_BUNDLES];
  for (guint g = 0; g < window->n_bundles; g++)
    for (guint c = 0; c < width; c++)
      bundles[g * width + c] = (gint32 *)(gpointer)ring_row(tile, block + g) +
                               ((gint)c - (gint)width / 2) * (gint)sweep->step;
  sweep->window_sums(rows, bundles, window->taps + m * n * window->bundle, n, tile->n,
                     window->start[m], &sweep->choice.to_sample, ahead);
}

static gint
run(const CcTile *tile, guint y0, guint y1, gint next) {
  return cc_tile_run_blocks(tile, y0, y1, next, tile->sweep->choice.window->n_bundles, load_bundle,
                            sum_windows);
}

void
cc_window_prepare(CcSweep *sweep, const CcRows *rows, CcSampleType type) {
  const CcWindow *window = sweep->choice.window;
  const CcSumStep step = cc_choice_sum_step(&sweep->choice);
  sweep->run = run;
  sweep->bundle = rows->bundle[window->kind];
  sweep->window_sums = rows->window[window->kind == CC_BUNDLE_BYTES][type][step];
  sweep->makes_samples = step != CC_STEP_SUMS;
  sweep->block_rows = window->bundle;
  cc_sweep_take_tiles(sweep, window->n_bundles, window->n_bundles,
                      sweep->n_matrices * window->bundle);
  sweep->line =
      cc_sweep_take_rows(sweep, window->bundle, sweep->sample_lane_size, &sweep->line_pitch);
}
