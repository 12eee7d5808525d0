/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lines.h"
#include "along.h"
#include "engine/last_step.h"

#define LEAST_LOW_BITS 8 /* the last step of quantized kernels can do without so many */
#define MOST_LOW_BITS 15

/* What makes the middle of the range of sums along a line 0, or -1. */
static gint64
offset_along(CcTaps taps, gint64 most_sample) {
  const gint64 all = cc_taps_sum_of_absolutes(taps) * most_sample;
  const gint64 least = (cc_taps_sum(taps) * most_sample - all) / 2;
  return -least - all / 2 - 1;
}

/* Finds how sums along lines are cut into words. Sums wrap around, so that only the results have to
 * fit 32 bits, and those of low bits, from which is carried. Gives the low bits; with one part
 * there are none. */
static gboolean
find_parts(CcLines *self, const CcOp *op, gint64 most_sample, guint *low_bits) {
  gint64 span = 0, steepest = 0;
  const gint64 largest = cc_op_largest_sum(op);
  for (guint m = 0; m < op->n_matrices; m++) {
    span = MAX(span, cc_taps_sum_of_absolutes(cc_taps_of_row(op, m)) * most_sample);
    steepest = MAX(steepest, cc_taps_sum_of_absolutes(cc_taps_of_column(op, m)));
  }
  *low_bits = 0;
  self->n_parts = span <= G_MAXUINT16 ? 1 : 2;
  if (self->n_parts == 1)
    return largest <= G_MAXINT32;
  for (*low_bits = LEAST_LOW_BITS; *low_bits <= MOST_LOW_BITS; (*low_bits)++) {
    self->dropped = largest <= G_MAXINT32 ? 0 : *low_bits;
    if (span <= G_MAXUINT32 && span >> *low_bits < G_MAXUINT16 &&
        (self->dropped == 0 || (steepest + 1) << *low_bits <= G_MAXINT32) &&
        (largest >> self->dropped) + 1 <= G_MAXINT32)
      return TRUE;
  }
  return FALSE;
}

/* FALSE: taps pass words. */
static gboolean
find_kind(CcLines *self, const CcOp *op, CcSampleType type, const CcRows *rows) {
  CcTaps taps[CC_MAX_MATRICES];
  for (guint m = 0; m < op->n_matrices; m++) {
    taps[m] = cc_taps_of_row(op, m);
    if (!cc_taps_are_words(taps[m]) || !cc_taps_are_words(cc_taps_of_column(op, m)))
      return FALSE;
  }
  self->kind = cc_along_find_kind(taps, op->n_matrices, type, rows);
  return TRUE;
}

static gint32 *
set_over(CcOver *over, const CcLines *self, CcTaps taps, gint64 start, guint low_bits,
         gint32 *room) {
  const gint64 high = start >> low_bits;
  over->n_bundles = self->n_bundles;
  over->low_bits = low_bits;
  over->drops_low = self->dropped > 0;
  over->start[0] = (gint32)(start - (self->n_parts == 2 ? high * (1 << low_bits) : 0));
  over->start[1] = (gint32)high;
  over->taps = room;
  for (guint g = 0; g < self->n_bundles; g++)
    for (guint i = 0; i < 2; i++)
      *room++ = cc_taps_bundle(taps, (gint)(2 * g) - (gint)i, 0, 2);
  return room;
}

CcLines *
cc_lines_new(const CcOp *op, CcSampleType type, guint depth, guint step, const CcRows *rows) {
  const gint64 most_sample = (1 << depth) - 1;
  CcLines found = {0};
  guint low_bits;
  if (!op->separable || !find_parts(&found, op, most_sample, &low_bits) ||
      !find_kind(&found, op, type, rows))
    return NULL;
  CcLines *self = g_memdup2(&found, sizeof found);
  self->n_bundles = (op->height + 2) / 2;
  self->taps = g_new(gint32, op->n_matrices * ((op->width + 1) / 2 + 2 * self->n_bundles));
  gint32 *room = self->taps;
  for (guint m = 0; m < op->n_matrices; m++) {
    const CcTaps row = cc_taps_of_row(op, m), column = cc_taps_of_column(op, m);
    const gint64 offset = offset_along(row, most_sample);
    room = cc_along_init(&self->along[m], self->kind, row, depth, step, rows, room);
    self->along[m].start = (gint32)(self->along[m].start + offset);
    self->along[m].low_bits = low_bits;
    room = set_over(&self->over[m], self, column, -offset * cc_taps_sum(column), low_bits, room);
  }
  return self;
}

void
cc_lines_free(CcLines *self) {
  if (self)
    g_free(self->taps);
  g_free(self);
}
