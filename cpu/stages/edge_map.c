/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "edge_map.h"

#include <string.h>

gsize
cc_edge_map_bytes(guint width, guint height) {
  const gsize n_words = (gsize)(width + 63) / 64 * height;
  return n_words * (2 * sizeof(guint64) + sizeof(guint32) + 1) + height;
}

void
cc_edge_map_init(CcEdgeMap *self, gpointer memory, guint width, guint height) {
  self->n_words = (width + 63) / 64;
  self->height = height;
  const gsize n = (gsize)self->n_words * height;
  self->weak = memory;
  self->strong = self->weak + n;
  self->stack = (guint32 *)(self->strong + n);
  self->waits = (guint8 *)(self->stack + n);
  self->begins = self->waits + n;
}

/* The rows that grow, and the stack of words. */
typedef struct {
  const CcEdgeMap *map;
  guint y0, y1;
  guint32 *stack;
  gsize n;
} Growth;

/* A row of words, and the rows beside it. At the limits of the rows that grow, that is the row
 * itself. */
typedef struct {
  const guint64 *weak, *above, *below;
  guint64 *strong;
} Row;

static Row
row_at(const Growth *self, guint y) {
  const gsize n = self->map->n_words, at = cc_edge_map_word(self->map, y, 0);
  guint64 *strong = self->map->strong + at;
  return (Row){self->map->weak + at, y > self->y0 ? strong - n : strong,
               y + 1 < self->y1 ? strong + n : strong, strong};
}

static guint64
strong_near(const Row *row, guint i) {
  return row->strong[i] | row->above[i] | row->below[i];
}

/* The pixels of a word that touch a strong pixel. Each parameter is strong_near of a word. */
static guint64
find_touched(guint64 before, guint64 near, guint64 after) {
  return near | near << 1 | near >> 1 | before >> 63 | after << 63;
}

/* Fills the runs of weak pixels from their lowest pixel of `seeds` on. A sum does this, because it
 * carries from that pixel to the end of the run. */
static guint64
fill_upwards(guint64 seeds, guint64 weak) {
  return (((weak + seeds) ^ weak) | seeds) & weak;
}

/* Fills the runs of weak pixels that have a pixel of `seeds`. */
static guint64
fill_runs(guint64 seeds, guint64 weak) {
  guint64 filled = fill_upwards(seeds, weak);
  for (guint shift = 1; shift < 64; shift *= 2) {
    filled |= weak & filled >> shift;
    weak &= weak >> shift;
  }
  return filled;
}

/* Puts a word on the stack if one of the pixels `touched` can grow. */
static void
push(Growth *self, guint y, guint i, guint64 touched) {
  const CcEdgeMap *map = self->map;
  const gsize at = cc_edge_map_word(map, y, i);
  if (!(touched & map->weak[at] & ~map->strong[at]) || map->waits[at])
    return;
  map->waits[at] = TRUE;
  self->stack[self->n++] = (guint32)at;
}

/* Puts the neighbours of a word on the stack that can grow with its pixels `grown`. Those above row
 * `from` are left out. */
static void
push_neighbours(Growth *self, guint y, guint i, guint64 grown, guint from) {
  for (guint row = MAX(from, self->y0); row <= y + 1 && row < self->y1; row++) {
    if (i > 0)
      push(self, row, i - 1, grown << 63);
    if (row != y)
      push(self, row, i, grown | grown << 1 | grown >> 1);
    if (i + 1 < self->map->n_words)
      push(self, row, i + 1, grown >> 63);
  }
}

static void
grow_stacked(Growth *self) {
  const guint n = self->map->n_words;
  while (self->n > 0) {
    const gsize at = self->stack[--self->n];
    const guint y = (guint)(at / n), i = (guint)(at % n);
    self->map->waits[at] = FALSE;
    const Row row = row_at(self, y);
    const guint64 rest = row.weak[i] & ~row.strong[i];
    const guint64 touched = find_touched(i > 0 ? strong_near(&row, i - 1) : 0, strong_near(&row, i),
                                         i + 1 < n ? strong_near(&row, i + 1) : 0);
    const guint64 grown = fill_runs(touched & rest, rest);
    row.strong[i] |= grown;
    push_neighbours(self, y, i, grown, MAX(y, 1) - 1);
  }
}

/* Grows the words of a row from left to right. `is_last`: puts the neighbours that can grow with
 * them on the stack, except those above, which are grown next. */
static void
grow_row(Growth *self, guint y, gboolean is_last) {
  const guint n = self->map->n_words;
  const Row row = row_at(self, y);
  guint64 before = 0, near = strong_near(&row, 0);
  for (guint i = 0; i < n; i++) {
    const guint64 after = i + 1 < n ? strong_near(&row, i + 1) : 0;
    const guint64 rest = row.weak[i] & ~row.strong[i];
    const guint64 seeds = find_touched(before, near, after) & rest;
    before = near;
    near = after;
    if (!seeds)
      continue;
    /* the next word needs only the last pixel of `grown`, which this sum has sooner */
    before |= fill_upwards(seeds, rest);
    const guint64 grown = fill_runs(seeds, rest);
    row.strong[i] |= grown;
    if (is_last)
      push_neighbours(self, y, i, grown, y);
  }
}

void
cc_edge_map_grow_slice(CcEdgeMap *self, guint y0, guint y1) {
  Growth growth = {self, y0, y1, self->stack + cc_edge_map_word(self, y0, 0), 0};
  if (y0 == y1)
    return;
  memset(self->waits + cc_edge_map_word(self, y0, 0), 0, (gsize)self->n_words * (y1 - y0));
  memset(self->begins + y0, 0, y1 - y0);
  self->begins[y0] = TRUE;
  for (guint y = y0; y < y1; y++)
    grow_row(&growth, y, FALSE);
  for (guint y = y1; y-- > y0;)
    grow_row(&growth, y, TRUE);
  grow_stacked(&growth);
}

void
cc_edge_map_join_slices(CcEdgeMap *self) {
  Growth growth = {self, 0, self->height, self->stack, 0};
  for (guint y = 1; y < self->height; y++)
    for (guint i = 0; i < self->n_words && self->begins[y]; i++) {
      push(&growth, y - 1, i, G_MAXUINT64);
      push(&growth, y, i, G_MAXUINT64);
    }
  grow_stacked(&growth);
}
