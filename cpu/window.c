/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "window.h"
#include "engine/last_step.h"
#include "room.h"
#include "tile_sweeps.h"

/* --- the taps --- */

static void
set_taps(CcWindow *self, CcTaps taps, gint32 *to) {
  for (guint g = 0; g < self->n_groups; g++)
    for (guint c = 0; c < taps.width; c++)
      for (guint i = 0; i < self->group; i++)
        *to++ = cc_taps_group(taps, (gint)(g * self->group) - (gint)i, c, self->group);
}

CcWindow *
cc_window_new(const CcOp *op, CcSampleType type, guint depth, const CcRows *rows) {
  const gint64 middle = depth == 16 ? 1 << 15 : 0; /* what signed words of samples lack */
  if (!op->has_taps || cc_op_largest_sum(op) > G_MAXINT32)
    return NULL;
  CcGroupKind kind = type == CC_SAMPLE_U16   ? CC_GROUP_WORDS
                     : rows->window[1][0][0] ? CC_GROUP_BYTES
                                             : CC_GROUP_WIDENED;
  for (guint m = 0; m < op->n_matrices; m++) {
    if (!cc_taps_are_words(cc_taps_of_matrix(op, m)))
      return NULL;
    if (kind == CC_GROUP_BYTES && !cc_taps_are_bytes(cc_taps_of_matrix(op, m), rows))
      kind = CC_GROUP_WIDENED;
  }
  CcWindow *self = g_new0(CcWindow, 1);
  const guint group = kind == CC_GROUP_BYTES ? 4 : 2;
  self->kind = kind;
  self->group = group;
  self->n_groups = (op->height + 2 * (group - 1)) / group;
  self->flip = middle ? (gint32)0x80008000 : 0;
  const guint n = self->n_groups * op->width * group;
  self->taps = g_new(gint32, op->n_matrices * n);
  for (guint m = 0; m < op->n_matrices; m++) {
    set_taps(self, cc_taps_of_matrix(op, m), self->taps + m * n);
    self->start[m] = (gint32)(cc_taps_sum(cc_taps_of_matrix(op, m)) * middle);
  }
  return self;
}

void
cc_window_free(CcWindow *self) {
  if (self)
    g_free(self->taps);
  g_free(self);
}

/* --- the sweep --- */

#define MOST_GROUPS ((CC_MAX_MATRIX_SIZE + 1) / 2 * CC_MAX_MATRIX_SIZE)

static guint8 *
ring_row(const CcTile *tile, guint number) {
  const CcSweep *sweep = tile->sweep;
  return tile->rings + number % sweep->choice.window->n_groups * sweep->ring_pitch;
}

/* Loads the rows from y on as group `number`. */
static void
load_group(const CcTile *tile, gint y, guint number) {
  const CcSweep *sweep = tile->sweep;
  const CcWindow *window = sweep->choice.window;
  const guint lead = cc_sweep_lead(sweep);
  gconstpointer lines[4];
  for (guint i = 0; i < window->group; i++) {
    guint8 *line = tile->scratch + sweep->line + i * sweep->line_pitch;
    cc_tile_load(tile, y + (gint)i, line);
    lines[i] = line - lead * sweep->sample_lane_size;
  }
  sweep->group(ring_row(tile, number) - lead * sizeof(gint32), lines,
               lead + tile->n + sweep->n_edge, window->flip);
}

static void
sum_windows(const CcTile *tile, guint m, guint block, gpointer const *rows, const CcAhead *ahead) {
  const CcSweep *sweep = tile->sweep;
  const CcWindow *window = sweep->choice.window;
  const guint width = sweep->pass->op->width, n = window->n_groups * width;
  gconstpointer groups[MOST_GROUPS];
  for (guint g = 0; g < window->n_groups; g++)
    for (guint c = 0; c < width; c++)
      groups[g * width + c] = (gint32 *)(gpointer)ring_row(tile, block + g) +
                              ((gint)c - (gint)width / 2) * (gint)sweep->step;
  sweep->window_sums(rows, groups, window->taps + m * n * window->group, n, tile->n,
                     window->start[m], &sweep->choice.to_sample, ahead);
}

static gint
run(const CcTile *tile, guint y0, guint y1, gint next) {
  const CcSweep *sweep = tile->sweep;
  const guint group = sweep->choice.window->group, n_groups = sweep->choice.window->n_groups;
  const gint radius = (gint)sweep->window_rows / 2;
  for (guint y = y0; y < y1;) {
    const guint block = y * sweep->stride / group;
    for (guint g = 0; g < n_groups; g++) {
      const gint row = (gint)((block + g) * group) - radius;
      if (row >= next) {
        load_group(tile, row, block + g);
        next = row + (gint)group;
      }
    }
    const CcAhead ahead = cc_tile_ahead(tile, next, (block + 1) * group / sweep->stride, group);
    y = cc_tile_make_block(tile, block, y, y1, &ahead, sum_windows);
  }
  return next;
}

void
cc_window_prepare(CcSweep *sweep, const CcRows *rows, CcSampleType type) {
  const CcWindow *window = sweep->choice.window;
  const CcSumStep step = cc_choice_sum_step(&sweep->choice);
  sweep->run = run;
  sweep->group = rows->group[window->kind];
  sweep->window_sums = rows->window[window->kind == CC_GROUP_BYTES][type][step];
  sweep->makes_samples = step != CC_STEP_SUMS;
  sweep->block_rows = window->group;
  cc_sweep_take_tiles(sweep, window->n_groups, sweep->n_matrices * window->group);
  sweep->line =
      cc_sweep_take_rows(sweep, window->group, sweep->sample_lane_size, &sweep->line_pitch);
}
