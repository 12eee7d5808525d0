/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "separable.h"
#include "horizontal_pass.h"
#include "engine/plan/output_stage.h"
#include "engine/ablation.h"

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

/* A row of taps that is cut: 2^low_bits * high + low, with low ones of either sign. */
typedef struct {
  gint32 low[CC_MAX_KERNEL_SIZE], high[CC_MAX_KERNEL_SIZE];
} CutRow;

static void
cut_row(CutRow *cut, CcTaps row, guint low_bits) {
  for (guint i = 0; i < row.height; i++) {
    cut->high[i] = (row.tap[i] + (1 << low_bits >> 1)) >> low_bits;
    cut->low[i] = row.tap[i] - cut->high[i] * (1 << low_bits);
  }
}

/* Whether kernels can multiply the taps by signed samples of a byte, and the sums fit words. */
static gboolean
fits_word(CcTaps taps, const CcRows *rows) {
  const gint64 sum = cc_taps_sum(taps), absolute = cc_taps_sum_of_absolutes(taps);
  const gint64 plus = (absolute + sum) / 2, minus = (absolute - sum) / 2;
  return cc_taps_are_bytes(taps, rows) && plus * G_MAXINT8 - minus * G_MININT8 <= G_MAXINT16 &&
         plus * G_MININT8 - minus * G_MAXINT8 >= G_MININT16;
}

/* Finds how taps of words are cut into bytes, if they can be. The low sums are carried from where
 * the results lack their bits, and so must not wrap around. */
static gboolean
find_cut(CcLines *self, const CcOp *op, CcSampleType type, const CcRows *rows) {
  const gint64 largest = cc_op_largest_sum(op);
  if (type != CC_SAMPLE_U8 || self->n_parts != 2 || !rows->along_cut ||
      cc_is_left_out("separable-cut-taps"))
    return FALSE;
  for (guint bits = 1; bits < 8; bits++) {
    const guint dropped = largest <= G_MAXINT32 ? 0 : bits;
    gboolean fits = (largest >> dropped) + 1 <= G_MAXINT32;
    for (guint m = 0; m < op->n_matrices && fits; m++) {
      const gint64 over = cc_taps_sum_of_absolutes(cc_taps_of_column(op, m));
      CutRow cut;
      cut_row(&cut, cc_taps_of_row(op, m), bits);
      fits = fits_word((CcTaps){cut.low, 1, op->width}, rows) &&
             fits_word((CcTaps){cut.high, 1, op->width}, rows) &&
             (dropped == 0 || over * -G_MININT16 + (1 << bits) <= G_MAXINT32);
    }
    if (fits) {
      self->kind = CC_BUNDLE_BYTES;
      self->cuts_taps = TRUE;
      self->low_bits = bits;
      self->dropped = dropped;
      return TRUE;
    }
  }
  return FALSE;
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
  self->n_parts = span <= G_MAXUINT16 && !cc_is_left_out("separable-one-part") ? 1 : 2;
  if (self->n_parts == 1)
    return largest <= G_MAXINT32;
  if (cc_is_left_out("separable-two-parts"))
    return FALSE;
  for (self->low_bits = LEAST_LOW_BITS; self->low_bits <= MOST_LOW_BITS; self->low_bits++) {
    self->dropped = largest <= G_MAXINT32 ? 0 : self->low_bits;
    if (span <= G_MAXUINT32 && span >> self->low_bits < G_MAXUINT16 &&
        (self->dropped == 0 || (steepest + 1) << self->low_bits <= G_MAXINT32) &&
        (largest >> self->dropped) + 1 <= G_MAXINT32)
      return TRUE;
  }
  return FALSE;
}

/* Whether taps over lines fit words when they are multiplied by what is above the low bits. */
static gboolean
can_add_parts(const CcLines *self, const CcOp *op) {
  if (cc_is_left_out("separable-added-parts"))
    return FALSE;
  for (guint m = 0; m < op->n_matrices; m++)
    for (guint i = 0; i < op->height; i++)
      if (ABS((gint64)op->column_i[m][i]) << self->low_bits > G_MAXINT16)
        return FALSE;
  return self->dropped == 0;
}

/* Taps are cut if they can be, else sums. */
static gboolean
find_words(CcLines *self, const CcOp *op, CcSampleType type, gint64 most_sample,
           const CcRows *rows) {
  const gboolean cuts_sums = find_parts(self, op, most_sample);
  if (!find_cut(self, op, type, rows) && !cuts_sums)
    return FALSE;
  self->over_parts = can_add_parts(self, op) ? 1 : self->n_parts;
  return TRUE;
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

/* The taps for two rows, for part p of the bundles from `first` on. */
static void
set_taps_over(gint32 row_taps[2], const CcLines *self, CcTaps taps, guint first, guint p) {
  gint32 shifted[CC_MAX_KERNEL_SIZE];
  const guint left = self->over_parts == 1 ? p * self->low_bits : 0;
  for (guint i = 0; i < taps.height; i++)
    shifted[i] = taps.tap[i] * (1 << left);
  for (guint i = 0; i < 2; i++)
    row_taps[i] = cc_taps_bundle((CcTaps){shifted, 1, taps.height}, (gint)first - (gint)i, 0, 2);
}

static gint32 *
set_over(CcOver *over, const CcLines *self, CcTaps taps, gint64 start, gint32 *room) {
  over->n_bundles = self->n_bundles * (self->n_parts / self->over_parts);
  over->low_bits = self->low_bits;
  over->drops_low = self->dropped > 0;
  for (guint p = 0; p < self->over_parts; p++) {
    const gboolean last = p + 1 == self->over_parts;
    over->start[p] = (gint32)(last ? start : start & ((1 << self->low_bits) - 1));
    start >>= self->low_bits;
  }
  if (self->n_parts == CC_MOST_PARTS) { /* codes_of_parts wants 2^31 more */
    over->start[0] ^= G_MININT32;
    over->start[2] ^= G_MININT32;
  }
  over->taps = room;
  for (guint g = 0; g < self->n_bundles; g++)
    for (guint p = 0; p < self->n_parts / self->over_parts; p++, room += 2)
      set_taps_over(room, self, taps, 2 * g, p);
  return room;
}

/* Sets sums along lines and their offset; gives what is left of the room. NULL: there are too many
 * pieces. */
typedef gint32 *(*SetAlong)(CcAlong *self, const CcLines *lines, CcTaps row, guint depth,
                            guint step, const CcRows *rows, gint32 *room, gint64 *offset);

/* Of one part or two. */
static gint32 *
set_along(CcAlong *self, const CcLines *lines, CcTaps row, guint depth, guint step,
          const CcRows *rows, gint32 *room, gint64 *offset) {
  room = cc_along_init(self, lines->kind, row, depth, step, rows, room);
  *offset = offset_along(row, (1 << depth) - 1);
  self->start = (gint32)(self->start + *offset);
  self->low_bits = lines->low_bits;
  return room;
}

/* Of taps that are cut, and of samples that lack 128. */
static gint32 *
set_cut_along(CcAlong *self, const CcLines *lines, CcTaps row, guint depth, guint step,
              const CcRows *rows, gint32 *room, gint64 *offset) {
  CutRow cut;
  cut_row(&cut, row, lines->low_bits);
  const CcTaps low = {cut.low, 1, row.height}, high = {cut.high, 1, row.height};
  gint32 *const low_taps = cc_along_init(self, lines->kind, high, depth, step, rows, room);
  *offset = G_MININT8 * cc_taps_sum(row);
  self->start =
      (guint16)(G_MININT8 * cc_taps_sum(high)); /* halves of lanes are sums of their own */
  self->low_start = (guint16)(G_MININT8 * cc_taps_sum(low));
  self->low_taps = low_taps;
  return cc_along_bundle_taps(low, lines->kind, low_taps);
}

/* Of three parts. */
static gint32 *
set_wide_along(CcAlong *self, const CcLines *lines, CcTaps row, guint depth, guint step,
               const CcRows *rows, gint32 *room, gint64 *offset) {
  const gint64 most_sample = (1 << depth) - 1;
  room = cc_along_init(self, lines->kind, row, depth, step, rows, room);
  const gint64 lacking = self->flip ? (most_sample + 1) / 2 : 0; /* of signed samples */
  *offset = -lacking * cc_taps_sum(row);
  self->start = 0;
  self->low_bits = lines->low_bits;
  const gint64 most = MAX(lacking, most_sample - lacking);
  return set_pieces(self, row, cc_along_bundle(lines->kind), most) ? room : NULL;
}

CcLines *
cc_lines_new(const CcOp *op, CcSampleType type, guint depth, guint step, gboolean wide,
             const CcRows *rows, const gchar **reason) {
  const gint64 most_sample = (1 << depth) - 1;
  CcLines found = {.n_parts = CC_MOST_PARTS, .over_parts = CC_MOST_PARTS, .low_bits = CC_PART_BITS};
  *reason = !op->separable                                                 ? "the kernel is not"
            : cc_is_left_out(wide ? "separable-three-parts" : "separable") ? "left out"
            : !find_kind(&found, op, type, rows)                           ? "taps pass 16 bits"
            : !(wide ? fits_three_parts(op, most_sample)
                     : find_words(&found, op, type, most_sample, rows))
                ? (wide ? "sums pass three words" : "sums pass two words")
                : NULL;
  if (*reason)
    return NULL;
  CcLines *self = g_memdup2(&found, sizeof found);
  self->n_bundles = (op->height + 2) / 2;
  self->taps =
      g_new(gint32, op->n_matrices * ((op->width + 3) / 2 + 2 * self->n_parts * self->n_bundles));
  const SetAlong set = wide ? set_wide_along : self->cuts_taps ? set_cut_along : set_along;
  gint32 *room = self->taps;
  gint64 offset = 0;
  for (guint m = 0; m < op->n_matrices && room; m++) {
    const CcTaps row = cc_taps_of_row(op, m), column = cc_taps_of_column(op, m);
    room = set(&self->along[m], self, row, depth, step, rows, room, &offset);
    if (room)
      room = set_over(&self->over[m], self, column, -offset * cc_taps_sum(column), room);
  }
  if (!room) {
    *reason = "sums along a line pass 32 bits too often";
    g_clear_pointer(&self, cc_lines_free);
  }
  return self;
}

void
cc_lines_free(CcLines *self) {
  if (self)
    g_free(self->taps);
  g_free(self);
}
