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

/* The strong pixels of word i in a row and the rows beside it. */
static guint64
strong_near(const Growth *self, guint y, guint i) {
  const guint64 *word = &self->map->strong[cc_edge_map_word(self->map, y, i)];
  const gsize row = self->map->n_words;
  return word[0] | (y > self->y0 ? *(word - row) : 0) | (y + 1 < self->y1 ? word[row] : 0);
}

/* The pixels of a word that touch a strong pixel. */
static guint64
find_touched(const Growth *self, guint y, guint i) {
  const guint64 near = strong_near(self, y, i);
  guint64 touched = near | near << 1 | near >> 1;
  if (i > 0)
    touched |= strong_near(self, y, i - 1) >> 63;
  if (i + 1 < self->map->n_words)
    touched |= strong_near(self, y, i + 1) << 63;
  return touched;
}

/* Fills the runs of weak pixels that have a pixel of `seeds`. A sum fills a run upwards, because it
 * carries from the lowest seed to the end of the run. */
static guint64
fill_runs(guint64 seeds, guint64 weak) {
  guint64 filled = (((weak + seeds) ^ weak) | seeds) & weak;
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

/* Grows a word, and puts the neighbours that can grow with it on the stack. `scans`: all words are
 * visited in the order of reading, so those after this word are not put there. */
static void
grow(Growth *self, guint y, guint i, gboolean scans) {
  const CcEdgeMap *map = self->map;
  const gsize at = cc_edge_map_word(map, y, i);
  const guint64 rest = map->weak[at] & ~map->strong[at];
  const guint64 seeds = rest ? find_touched(self, y, i) & rest : 0;
  if (!seeds)
    return;
  const guint64 grown = fill_runs(seeds, rest);
  map->strong[at] |= grown;
  const guint64 beside = grown | grown << 1 | grown >> 1;
  for (guint row = y > self->y0 ? y - 1 : y; row <= y + !scans && row < self->y1; row++) {
    if (i > 0)
      push(self, row, i - 1, grown << 63);
    if (row != y)
      push(self, row, i, beside);
    if (i + 1 < map->n_words && !(scans && row == y))
      push(self, row, i + 1, grown >> 63);
  }
}

static void
grow_stacked(Growth *self) {
  while (self->n > 0) {
    const gsize at = self->stack[--self->n];
    self->map->waits[at] = FALSE;
    grow(self, (guint)(at / self->map->n_words), (guint)(at % self->map->n_words), FALSE);
  }
}

static void
grow_row(Growth *self, guint y, gboolean scans) {
  for (guint i = 0; i < self->map->n_words; i++)
    grow(self, y, i, scans);
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
    grow_row(&growth, y, TRUE);
  grow_stacked(&growth);
}

void
cc_edge_map_join_slices(CcEdgeMap *self) {
  Growth growth = {self, 0, self->height, self->stack, 0};
  for (guint y = 1; y < self->height; y++)
    if (self->begins[y]) {
      grow_row(&growth, y - 1, FALSE);
      grow_row(&growth, y, FALSE);
    }
  grow_stacked(&growth);
}
