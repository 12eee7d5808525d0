/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dot_taps.h"

#include <stdlib.h>

CcTaps
cc_taps_of_matrix(const CcOp *op, guint m) {
  return (CcTaps){op->tap_i + m * op->width * op->height, op->width, op->height};
}

CcTaps
cc_taps_of_row(const CcOp *op, guint m) {
  return (CcTaps){op->row_i[m], 1, op->width};
}

CcTaps
cc_taps_of_column(const CcOp *op, guint m) {
  return (CcTaps){op->column_i[m], 1, op->height};
}

void
cc_taps_split(CcTaps taps, guint low_bits, CcSplitTaps *split) {
  for (guint i = 0; i < taps.height; i++) {
    const gint64 high = ((gint64)taps.tap[i] + (1 << low_bits >> 1)) >> low_bits;
    split->part[0][i] = (gint32)(taps.tap[i] - high * (1 << low_bits));
    split->part[1][i] = (gint32)high;
  }
}

gint64
cc_taps_sum(CcTaps taps) {
  gint64 sum = 0;
  for (guint i = 0; i < taps.width * taps.height; i++)
    sum += taps.tap[i];
  return sum;
}

gint64
cc_taps_sum_of_absolutes(CcTaps taps) {
  gint64 sum = 0;
  for (guint i = 0; i < taps.width * taps.height; i++)
    sum += llabs(taps.tap[i]);
  return sum;
}

gboolean
cc_taps_are_words(CcTaps taps) {
  for (guint i = 0; i < taps.width * taps.height; i++)
    if (taps.tap[i] < G_MININT16 || taps.tap[i] > G_MAXINT16)
      return FALSE;
  return TRUE;
}

gboolean
cc_taps_are_bytes(CcTaps taps, const CcRows *rows) {
  const guint n = taps.width * taps.height;
  for (guint i = 0; i < n; i++) {
    const gint32 tap = taps.tap[i], below = i + taps.width < n ? taps.tap[i + taps.width] : 0;
    if (tap < G_MININT8 || tap > G_MAXINT8 || llabs(tap) + llabs(below) > rows->max_byte_taps)
      return FALSE;
  }
  return TRUE;
}

gint32
cc_taps_group(CcTaps taps, gint row, guint column, guint group) {
  const guint bits = 32 / group, mask = (1u << bits) - 1;
  guint32 result = 0;
  for (guint i = 0; i < group; i++) {
    const gint at = row + (gint)i;
    if (at >= 0 && at < (gint)taps.height)
      result |= ((guint32)taps.tap[(guint)at * taps.width + column] & mask) << i * bits;
  }
  return (gint32)result;
}

guint
cc_dot_size(CcDotKind kind) {
  return kind == CC_DOT_BYTES || kind == CC_DOT_CENTRED ? 4 : 2;
}

const gchar *
cc_dot_name(CcDotKind kind) {
  static const gchar *const names[CC_N_DOT_KINDS] = {
      [CC_DOT_BYTES] = "dot products of 4 bytes",
      [CC_DOT_CENTRED] = "dot products of 4 centred bytes",
      [CC_DOT_WIDENED] = "dot products of 2 widened bytes",
      [CC_DOT_WORDS] = "dot products of 2 words",
  };
  return names[kind];
}
