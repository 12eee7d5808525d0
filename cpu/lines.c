/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lines.h"
#include "along.h"
#include "engine/last_step.h"

/* --- one part or two --- */

#define LEAST_LOW_BITS 8 /* the last step of quantized kernels can do without so many */
#define MOST_LOW_BITS 15

/* What makes the middle of the range of sums along a line 0, or -1. */
static gint64
offset_along(CcTaps taps, gint64 most_sample) {
  const gint64 all = cc_taps_sum_of_absolutes(taps) * most_sample;
  const gint64 least = (cc_taps_sum(taps) * most_sample - all) / 2;
  return -least - all / 2 - 1;
}

/* Finds how sums along lines are cut into one word or two. Sums wrap around, so that only the
 * results have to fit 32 bits, and those of low bits, from which is carried. With one part
 * there are no low bits. */
static gboolean
find_parts(CcLines *self, const CcOp *op, gint64 most_sample) {
  gint64 span = 0, steepest = 0;
  const gint64 largest = cc_op_largest_sum(op);
  for (guint m = 0; m < op->n_matrices; m++) {
    span = MAX(span, cc_taps_sum_of_absolutes(cc_taps_of_row(op, m)) * most_sample);
    steepest = MAX(steepest, cc_taps_sum_of_absolutes(cc_taps_of_column(op, m)));
  }
  self->low_bits = 0;
  self->n_parts = span <= G_MAXUINT16 ? 1 : 2;
  if (self->n_parts == 1)
    return largest <= G_MAXINT32;
  for (self->low_bits = LEAST_LOW_BITS; self->low_bits <= MOST_LOW_BITS; self->low_bits++) {
    self->dropped = largest <= G_MAXINT32 ? 0 : self->low_bits;
    if (span <= G_MAXUINT32 && span >> self->low_bits < G_MAXUINT16 &&
        (self->dropped == 0 || (steepest + 1) << self->low_bits <= G_MAXINT32) &&
        (largest >> self->dropped) + 1 <= G_MAXINT32)
      return TRUE;
  }
  return FALSE;
}

/* --- three parts --- */

#define MOST_WORD (2 << CC_PART_BITS) /* more than any word */

/* Whether three parts do: words fit, so do the sums of each part over lines, and so do both
 * numbers that codes_of_parts is given. */
static gboolean
fits_three_parts(const CcOp *op, gint64 most_sample) {
  const gint64 along = cc_taps_sum_of_absolutes(cc_taps_of_row(op, 0)) * most_sample;
  const gint64 over = cc_taps_sum_of_absolutes(cc_taps_of_column(op, 0));
  return op->n_matrices == 1 && (along >> CC_HIGH_BITS) + 2 < MOST_WORD &&
         over * MOST_WORD + (1 << (CC_HIGH_BITS + 1)) <= G_MAXINT32 &&
         (cc_op_largest_sum(op) >> CC_HIGH_BITS) + MOST_WORD <= G_MAXINT32;
}

/* Cuts the bundles of a line into pieces whose sums fit 32 bits. FALSE: they are too many. */
static gboolean
set_pieces(CcAlong *self, CcTaps taps, guint bundle, gint64 most_sample) {
  gint64 sum = 0;
  for (guint g = 0; g < self->n_bundles; g++) {
    const CcTaps some = {taps.tap + g * bundle, 1, MIN(bundle, taps.height - g * bundle)};
    const gint64 more = cc_taps_sum_of_absolutes(some) * most_sample;
    sum += more;
    if (g == 0 || sum > G_MAXINT32) {
      if (self->n_pieces == CC_MOST_PIECES || more > G_MAXINT32)
        return FALSE;
      self->n_pieces++;
      sum = more;
    }
    self->piece_end[self->n_pieces - 1] = g + 1;
  }
  return TRUE;
}

/* --- the sums --- */

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
set_over(CcOver *over, const CcLines *self, CcTaps taps, gint64 start, gint32 *room) {
  over->n_bundles = self->n_bundles;
  over->low_bits = self->low_bits;
  over->drops_low = self->dropped > 0;
  for (guint p = 0; p < self->n_parts; p++) {
    const gboolean last = p + 1 == self->n_parts;
    over->start[p] = (gint32)(last ? start : start & ((1 << self->low_bits) - 1));
    start >>= self->low_bits;
  }
  if (self->n_parts == CC_MOST_PARTS) { /* codes_of_parts wants 2^31 more */
    over->start[0] ^= G_MININT32;
    over->start[2] ^= G_MININT32;
  }
  over->taps = room;
  for (guint g = 0; g < self->n_bundles; g++)
    for (guint i = 0; i < 2; i++)
      *room++ = cc_taps_bundle(taps, (gint)(2 * g) - (gint)i, 0, 2);
  return room;
}

CcLines *
cc_lines_new(const CcOp *op, CcSampleType type, guint depth, guint step, gboolean wide,
             const CcRows *rows) {
  const gint64 most_sample = (1 << depth) - 1;
  CcLines found = {.n_parts = CC_MOST_PARTS, .low_bits = CC_PART_BITS};
  if (!op->separable || !find_kind(&found, op, type, rows) ||
      !(wide ? fits_three_parts(op, most_sample) : find_parts(&found, op, most_sample)))
    return NULL;
  CcLines *self = g_memdup2(&found, sizeof found);
  self->n_bundles = (op->height + 2) / 2;
  self->taps = g_new(gint32, op->n_matrices * ((op->width + 1) / 2 + 2 * self->n_bundles));
  gint32 *room = self->taps;
  for (guint m = 0; m < op->n_matrices; m++) {
    CcAlong *along = &self->along[m];
    const CcTaps row = cc_taps_of_row(op, m), column = cc_taps_of_column(op, m);
    room = cc_along_init(along, self->kind, row, depth, step, rows, room);
    const gint64 lacking = along->flip ? (most_sample + 1) / 2 : 0; /* of signed samples */
    const gint64 offset = wide ? -lacking * cc_taps_sum(row) : offset_along(row, most_sample);
    along->start = wide ? 0 : (gint32)(along->start + offset);
    along->low_bits = self->low_bits;
    room = set_over(&self->over[m], self, column, -offset * cc_taps_sum(column), room);
    if (wide &&
        !set_pieces(along, row, cc_along_bundle(self->kind), MAX(lacking, most_sample - lacking))) {
      cc_lines_free(self);
      return NULL;
    }
  }
  return self;
}

void
cc_lines_free(CcLines *self) {
  if (self)
    g_free(self->taps);
  g_free(self);
}
