/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "means.h"

#include "tile_sweeps.h"

#include <string.h>

/* --- the sums --- */

static gboolean
are_same(const gint32 *taps, guint n) {
  for (guint i = 1; i < n; i++)
    if (taps[i] != taps[0])
      return FALSE;
  return TRUE;
}

/* Sums that are read for a window, those of the levels included. */
static guint
cost_of(guint width, guint a, guint b) {
  const guint of_levels = (a > 1 ? a : 0) + (b > 1 ? b : 0);
  return of_levels + width / (a * b) + width % (a * b) / a + width % a;
}

CcMeans *
cc_means_new(const CcOp *op) {
  if (!op->separable || op->n_matrices != 1 || op->width == 1 || op->height == 1 ||
      !are_same(op->row_i[0], op->width) || !are_same(op->column_i[0], op->height))
    return NULL;
  guint best_a = 1, best_b = 1;
  for (guint a = 1; a <= op->width; a++)
    for (guint b = 1; a * b <= op->width; b++)
      if (cost_of(op->width, a, b) < cost_of(op->width, best_a, best_b))
        best_a = a, best_b = b;
  CcMeans *self = g_new0(CcMeans, 1);
  self->factor = op->row_i[0][0] * op->column_i[0][0];
  const guint width[CC_MEANS_LEVELS] = {1, best_a, best_a * best_b};
  guint left = op->width;
  for (guint level = CC_MEANS_LEVELS; level-- > 0;) {
    self->width[level] = width[level];
    self->count[level] = level > 0 && width[level] == width[level - 1] ? 0 : left / width[level];
    left -= self->count[level] * width[level];
  }
  return self;
}

/* --- the sweep --- */

/* Bytes from sample 0 to the first one left of the tile. */
static gsize
lead_of(const CcSweep *sweep, gsize lane_size) {
  return cc_row_align(sweep->n_edge * lane_size);
}

/* Rows y and y - window of the picture and its surroundings. */
static guint8 *
ring_row(const CcTile *tile, gint y) {
  const CcSweep *sweep = tile->sweep;
  const guint at = (guint)(y + 2 * (gint)sweep->window) % (sweep->window + 1);
  return tile->rings + at * sweep->ring_pitch;
}

static guint8 *
level_row(const CcTile *tile, guint level) {
  const CcSweep *sweep = tile->sweep;
  return tile->scratch + (level > 0 ? sweep->levels + (level - 1) * sweep->levels_pitch
                                    : sweep->columns + tile->number * sweep->columns_pitch);
}

static void
clear(const CcTile *tile) {
  const CcSweep *sweep = tile->sweep;
  for (guint i = 0; i <= sweep->window; i++) {
    guint8 *row = ring_row(tile, (gint)i) - lead_of(sweep, sweep->sample_lane_size);
    memset(row, 0, sweep->ring_pitch);
  }
  memset(level_row(tile, 0) - lead_of(sweep, sweep->sum_lane_size), 0, sweep->columns_pitch);
}

/* Row y enters the window, and the row that it takes the place of leaves it. */
static void
slide(const CcTile *tile, gint y) {
  const CcSweep *sweep = tile->sweep;
  const gsize samples = sweep->n_edge * sweep->sample_lane_size;
  cc_tile_load(tile, y, ring_row(tile, y));
  sweep->slide(level_row(tile, 0) - sweep->n_edge * sweep->sum_lane_size,
               ring_row(tile, y) - samples, ring_row(tile, y - (gint)sweep->window) - samples,
               tile->n + 2 * sweep->n_edge);
}

/* The sums along the line of the window's rows. */
static void
make_row(const CcTile *tile, guint y, gint next) {
  const CcAhead ahead = cc_tile_ahead(tile, next, y + 1, 1);
  const CcSweep *sweep = tile->sweep;
  const CcMeans *means = sweep->choice.means;
  const gsize pixel = sweep->step * sweep->sum_lane_size;
  const CcSumFunc sum = sweep->choice.over[0].sum;
  gconstpointer taps[CC_MAX_KERNEL_SIZE];
  const guint8 *left[CC_MEANS_LEVELS]; /* where the window of the tile's first pixel begins */
  left[0] = level_row(tile, 0) - sweep->n_edge * sweep->sum_lane_size;
  for (guint level = 1; level < CC_MEANS_LEVELS; level++)
    left[level] = level_row(tile, level) - lead_of(sweep, sweep->sum_lane_size); /* is aligned */
  guint n_taps = 0, first = 0;
  for (guint level = 1; level < CC_MEANS_LEVELS; level++) {
    const guint width = means->width[level], below = means->width[level - 1];
    if (width == below)
      left[level] = left[level - 1];
    if (width == below)
      continue;
    const CcTerm plain = {1, width / below, 0};
    for (guint i = 0; i < width / below; i++)
      taps[i] = left[level - 1] + i * below * pixel;
    const guint n = tile->n + 2 * sweep->n_edge - (width - 1) * sweep->step;
    sum((gpointer)left[level], &plain, 1, taps, 0, n);
  }
  for (guint level = CC_MEANS_LEVELS; level-- > 0;)
    for (guint i = 0; i < means->count[level]; i++, first += means->width[level])
      taps[n_taps++] = left[level] + first * pixel;
  const CcTerm whole = {means->factor << sweep->choice.left, n_taps, 0};
  gpointer sums = tile->scratch + sweep->sums;
  sum(sums, &whole, 1, taps, 0, tile->n);
  cc_tile_finish(tile, (gconstpointer[]){sums}, y, &ahead);
}

gint
cc_means_run(const CcTile *tile, guint y0, guint y1, gint next) {
  const gint radius = (gint)tile->sweep->window / 2;
  for (guint y = y0; y < y1; y++) {
    const gint center = (gint)(y * tile->sweep->stride);
    if (next == CC_NO_ROW) {
      clear(tile);
      next = center - radius;
    }
    for (; next <= center + radius; next++)
      slide(tile, next);
    make_row(tile, y, next);
  }
  return next;
}
