/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "means.h"

#include "tile_sweeps.h"

#include <string.h>

#define MOST_PRODUCTS 15 /* taps of a line; longer sums are made of sums */

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

static void
set_levels(CcMeans *self, guint width) {
  guint best_a = 1, best_b = 1;
  for (guint a = 1; a <= width; a++)
    for (guint b = 1; a * b <= width; b++)
      if (cost_of(width, a, b) < cost_of(width, best_a, best_b))
        best_a = a, best_b = b;
  const guint widths[CC_MEANS_LEVELS] = {1, best_a, best_a * best_b};
  guint left = width;
  for (guint level = CC_MEANS_LEVELS; level-- > 0;) {
    const gboolean used = level == 0 || widths[level] > widths[level - 1];
    self->width[level] = widths[level];
    self->count[level] = used ? left / widths[level] : 0;
    left -= self->count[level] * widths[level];
  }
}

/* Short sums are products where bytes can be put in any order. */
static void
set_along(CcMeans *self, const CcOp *op, CcSampleType type, guint depth, guint step,
          const CcRows *rows) {
  if (!rows->order_is_whole || op->width > MOST_PRODUCTS || self->factor > G_MAXINT16 ||
      self->factor < G_MININT16)
    return;
  gint32 row[MOST_PRODUCTS];
  for (guint i = 0; i < op->width; i++)
    row[i] = self->factor;
  const CcTaps taps = {row, 1, op->width};
  self->kind = cc_along_find_kind(&taps, 1, type, rows);
  self->along = g_new(CcAlong, 1);
  self->taps = g_new(gint32, op->width);
  cc_along_init(self->along, self->kind, taps, depth, step, rows, self->taps);
}

CcMeans *
cc_means_new(const CcOp *op, CcSampleType type, guint depth, guint step, guint left,
             const CcRows *rows) {
  if (!op->separable || op->n_matrices != 1 || op->width == 1 || op->height == 1 ||
      !are_same(op->row_i[0], op->width) || !are_same(op->column_i[0], op->height))
    return NULL;
  CcMeans *self = g_new0(CcMeans, 1);
  self->factor = op->row_i[0][0] * op->column_i[0][0] * (1 << left);
  set_levels(self, op->width);
  set_along(self, op, type, depth, step, rows);
  return self;
}

void
cc_means_free(CcMeans *self) {
  if (!self)
    return;
  g_free(self->along);
  g_free(self->taps);
  g_free(self);
}

/* --- the sweep --- */

/* Sums along row y and along row y - window - 1 have the same place. */
static guint8 *
ring_row(const CcTile *tile, gint y) {
  const CcSweep *sweep = tile->sweep;
  const guint at = (guint)(y + 2 * (gint)sweep->window) % (sweep->window + 1);
  return tile->rings + at * sweep->ring_pitch;
}

/* The sums of the windows of a row of results. */
static guint8 *
window_sums(const CcTile *tile) {
  return tile->rings + (tile->sweep->window + 1) * tile->sweep->ring_pitch;
}

static void
clear(const CcTile *tile) {
  const CcSweep *sweep = tile->sweep;
  memset(tile->rings, 0, (sweep->window + 2) * sweep->ring_pitch);
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
    sum(to, &plain, 1, taps, 0, tile->n + 2 * sweep->n_edge - (width - 1) * sweep->step);
    row[level] = to;
  }
  guint n_taps = 0, first = 0;
  for (guint level = CC_MEANS_LEVELS; level-- > 0;)
    for (guint i = 0; i < means->count[level]; i++, first += means->width[level])
      taps[n_taps++] = row[level] + first * pixel;
  const CcTerm whole = {means->factor, n_taps, 0};
  sum(sums, &whole, 1, taps, 0, tile->n);
}

static void
load_line(const CcTile *tile, gint y) {
  const CcSweep *sweep = tile->sweep;
  const CcMeans *means = sweep->choice.means;
  guint8 *line = tile->scratch + sweep->line;
  cc_tile_load(tile, y, line);
  line -= sweep->n_edge * sweep->sample_lane_size;
  if (means->along)
    sweep->along_one(ring_row(tile, y), line, means->along, tile->n);
  else
    sum_levels(tile, line, ring_row(tile, y));
}

/* Line y enters the windows, and the first of those before leaves them. */
static void
slide(const CcTile *tile, CcSlideFunc by, gint y, gpointer dst, const CcAhead *ahead) {
  const CcSweep *sweep = tile->sweep;
  by(window_sums(tile), ring_row(tile, y), ring_row(tile, y - (gint)sweep->window), tile->n, dst,
     &sweep->choice.to_sample, ahead);
}

/* Row y of the target, whose windows end with line `last`. */
static void
make_row(const CcTile *tile, guint y, gint last) {
  const CcSweep *sweep = tile->sweep;
  const CcAhead ahead = cc_tile_ahead(tile, last + 1, y + 1, 1);
  const gboolean stores = cc_tile_needs_store(tile);
  guint8 *out = stores ? tile->scratch + sweep->filtered : cc_tile_target(tile, y);
  if (!sweep->makes_samples) {
    slide(tile, sweep->slide, last, NULL, &ahead);
    cc_tile_finish(tile, (gconstpointer[]){window_sums(tile)}, y, &ahead);
    return;
  }
  slide(tile, sweep->slide_to_samples, last, out, &ahead);
  if (stores)
    cc_tile_store(tile, y, out);
}

gint
cc_means_run(const CcTile *tile, guint y0, guint y1, gint next) {
  static const CcAhead nothing;
  const gint radius = (gint)tile->sweep->window / 2;
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
