/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Packs taps in the layout of dot_products.h. A 32-bit lane holds two neighbouring taps as signed
 * words, or four as bytes. */

#include "engine/plan/op.h"
#include "cpu/kernels/row_kernels.h"

G_BEGIN_DECLS

/* A matrix of `height` rows of `width` taps. Does not own the taps. */
typedef struct {
  const gint32 *tap;
  guint width, height;
} CcTaps;

/* Return all taps of matrix m of an op, the taps of its row, or the taps of its column. The op must
 * have the requested taps. */
CcTaps cc_taps_of_matrix(const CcOp *op, guint m);
CcTaps cc_taps_of_row(const CcOp *op, guint m);
CcTaps cc_taps_of_column(const CcOp *op, guint m);

/* A row or column of taps that are split into two parts: tap = 2^low_bits * high + low. Low parts
 * are signed. */
typedef struct {
  gint32 part[2][CC_MAX_KERNEL_SIZE]; /* low parts, then high parts */
} CcSplitTaps;

void cc_taps_split(CcTaps taps, guint low_bits, CcSplitTaps *split);

gint64 cc_taps_sum(CcTaps taps);
gint64 cc_taps_sum_of_absolutes(CcTaps taps);

/* Returns whether the taps fit signed words. */
gboolean cc_taps_are_words(CcTaps taps);

/* Returns whether the taps fit signed bytes and the row kernels can multiply dot groups of bytes by
 * these taps. A dot group is multiplied by neighbouring taps of a column. */
gboolean cc_taps_are_bytes(CcTaps taps, const CcRows *rows);

/* Returns `group` (2 or 4) neighbouring taps of a column, from row `row` on, packed in a lane. Rows
 * outside the matrix give 0. */
gint32 cc_taps_group(CcTaps taps, gint row, guint column, guint group);

/* Returns how many samples a dot group has: 2 or 4. */
guint cc_dot_size(CcDotKind kind);

/* Returns the name of a kind of dot products for messages: "dot products of 2 words". */
const gchar *cc_dot_name(CcDotKind kind);

G_END_DECLS
