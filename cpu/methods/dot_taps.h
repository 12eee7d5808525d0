/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Taps in the layout of dot_products.h: some neighbouring taps, two signed words or four signed
 * bytes, in a 32-bit lane. */

#include "engine/plan/op.h"
#include "cpu/kernels/row_kernels.h"

G_BEGIN_DECLS

/* `height` rows of `width` taps. */
typedef struct {
  const gint32 *tap;
  guint width, height;
} CcTaps;

/* Return all taps of a matrix of an op, or its row or its column. The op must have those. */
CcTaps cc_taps_of_matrix(const CcOp *op, guint m);
CcTaps cc_taps_of_row(const CcOp *op, guint m);
CcTaps cc_taps_of_column(const CcOp *op, guint m);

/* A row or column of taps split into low and high: tap = 2^low_bits * high + low. Low parts are
 * signed. */
typedef struct {
  gint32 part[2][CC_MAX_KERNEL_SIZE]; /* low, high */
} CcSplitTaps;

void cc_taps_split(CcTaps taps, guint low_bits, CcSplitTaps *split);

gint64 cc_taps_sum(CcTaps taps);
gint64 cc_taps_sum_of_absolutes(CcTaps taps);

/* Returns whether the taps fit signed words. */
gboolean cc_taps_are_words(CcTaps taps);

/* Returns whether the taps fit signed bytes, and the kernels can multiply vertical groups of bytes
 * by them. */
gboolean cc_taps_are_bytes(CcTaps taps, const CcRows *rows);

/* Returns `group` (2 or 4) taps of a column, from `row` on. Rows outside the taps give 0. */
gint32 cc_taps_group(CcTaps taps, gint row, guint column, guint group);

/* Returns how many samples a dot group has: 2 or 4. */
guint cc_dot_size(CcDotKind kind);

/* Returns a name of the instructions for a kind of dot groups, for people: "dot products of 2
 * words". */
const gchar *cc_dot_name(CcDotKind kind);

G_END_DECLS
