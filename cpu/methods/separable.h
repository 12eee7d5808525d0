/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sums of column times row, by products of several neighbours at a time (dot_products.h).
 *
 * Sums along lines are cut into words: one where that holds them, after the middle of their range
 * has become 0, else two, the low bits and what is above them. Where kernels can and both fit, it
 * is the taps that are cut in two, and each half has sums of its own, of signed samples. The words
 * of two lines, one below the other, lie in one bundle. Sums over lines are those of bundles, two
 * rows of results at a time, which begin at even rows. Two parts are added by products, too, where
 * taps over lines that are shifted to the left still fit words. Else the sums of the low bits are
 * carried to those of the others; sums that pass 32 bits are then without their low bits.
 *
 * Wide sums have three parts, none of which passes 32 bits over lines, and become samples in
 * double. Sums along a line may then pass 32 bits, too, as they are made of pieces. */

#include "dot_taps.h"

G_BEGIN_DECLS

typedef struct {
  CcBundleKind kind; /* of bundles along lines */
  guint n_bundles;   /* of lines, that the windows of two rows of results reach over */
  guint n_parts;     /* words of a sum along a line, 1 to CC_MOST_PARTS */
  guint low_bits;    /* of all words but the last */
  gboolean cuts_taps;
  guint over_parts; /* that sums over lines are made in: as many, or 1 where products add them */
  guint dropped;    /* low bits that the results lack */
  CcAlong along[CC_MAX_MATRICES];
  CcOver over[CC_MAX_MATRICES];
  gint32 *taps; /* of all of those */
} CcLines;

/* The sums of an op, wide or not, for samples of `type` with `depth` bits, of which `step` make a
 * pixel. NULL: there are none, and *reason says why, a static text. */
CcLines *cc_lines_new(const CcOp *op, CcSampleType type, guint depth, guint step, gboolean wide,
                      const CcRows *rows, const gchar **reason);
void cc_lines_free(CcLines *self);

G_END_DECLS
