/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Taps as dot_products.h wants them: some neighbours, two signed words or four signed bytes, in a
 * lane of 32 bits. */

#include "engine/plan/op.h"
#include "cpu/kernels/row_kernels.h"

G_BEGIN_DECLS

/* `height` rows of `width` taps. */
typedef struct {
  const gint32 *tap;
  guint width, height;
} CcTaps;

/* All taps of a matrix of an op that has them, its row and its column. */
CcTaps cc_taps_of_matrix(const CcOp *op, guint m);
CcTaps cc_taps_of_row(const CcOp *op, guint m);
CcTaps cc_taps_of_column(const CcOp *op, guint m);

/* A row or column of taps that is cut: 2^low_bits * high + low, with low ones of either sign. */
typedef struct {
  gint32 part[2][CC_MAX_KERNEL_SIZE]; /* low, high */
} CcCutTaps;

void cc_taps_cut(CcTaps taps, guint low_bits, CcCutTaps *cut);

gint64 cc_taps_sum(CcTaps taps);
gint64 cc_taps_sum_of_absolutes(CcTaps taps);

/* Whether they fit signed words. */
gboolean cc_taps_are_words(CcTaps taps);

/* Whether they fit signed bytes, and the kernels can multiply bytes that lie below each other. */
gboolean cc_taps_are_bytes(CcTaps taps, const CcRows *rows);

/* `group` (2 or 4) taps of a column from `row` on, which may lie outside: those are 0. */
gint32 cc_taps_group(CcTaps taps, gint row, guint column, guint group);

/* How many samples a dot group has, 2 or 4. */
guint cc_dot_size(CcDotKind kind);

/* The instructions for a kind of dot groups, for people: "dot products of 2 words". */
const gchar *cc_dot_name(CcDotKind kind);

G_END_DECLS
