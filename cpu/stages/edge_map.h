/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The weak and strong pixels of Canny's edges as bits, and the growth of strong pixels along weak
 * ones. A word has 64 pixels of a row. Words are grown one by one: a word takes strong pixels from
 * its eight neighbours, and its runs of weak pixels are filled by arithmetic on the whole word. The
 * rows of a slice are grown from the first to the last, then from the last to the first. From the
 * second time on, a word that changes puts those of its neighbours on a stack that can grow because
 * of it. Each visit of a word on the stack follows a change of a neighbour, and a word changes 32
 * times at most. So the time is proportional to the number of words for any image. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  guint n_words, height;  /* words of a row, and rows */
  guint64 *weak, *strong; /* rows of n_words words; a strong pixel is also weak */
  guint32 *stack;         /* numbers of words that may grow; has room for each word once */
  guint8 *waits;          /* for each word: whether it is on the stack */
  guint8 *begins;         /* for each row: whether a slice begins here */
} CcEdgeMap;

/* Bytes of memory for the map of a region of this size. */
gsize cc_edge_map_bytes(guint width, guint height);

/* Uses memory that is aligned to 8 bytes. Does not change it. */
void cc_edge_map_init(CcEdgeMap *self, gpointer memory, guint width, guint height);

static inline gsize
cc_edge_map_word(const CcEdgeMap *self, guint y, guint i) {
  return (gsize)y * self->n_words + i;
}

/* Grows the strong pixels of a slice as if the rows outside of it did not exist. Threads may do
 * this for different slices at the same time. The words of all rows of the slice must be set. */
void cc_edge_map_grow_slice(CcEdgeMap *self, guint y0, guint y1);

/* Grows the strong pixels across the slices that all rows belong to. */
void cc_edge_map_join_slices(CcEdgeMap *self);

G_END_DECLS
