/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "op.h"

#include <string.h>

void
cc_op_set_taps_of_factors(CcOp *op) {
  gint32 *tap = op->tap_i;
  op->has_taps = MAX(op->width, op->height) <= CC_MAX_MATRIX_SIZE;
  for (guint m = 0; m < op->n_matrices && op->has_taps; m++)
    for (guint r = 0; r < op->height && op->has_taps; r++)
      for (guint c = 0; c < op->width && op->has_taps; c++) {
        const gint64 product = cc_op_tap(op, m, r, c);
        op->has_taps = product >= -G_MAXINT32 && product <= G_MAXINT32;
        *tap++ = (gint32)product;
      }
}

static gboolean
is_column_empty(const CcOp *op, guint c) {
  for (guint m = 0; m < op->n_matrices; m++)
    for (guint r = 0; r < op->height; r++)
      if (cc_op_tap(op, m, r, c) != 0)
        return FALSE;
  return TRUE;
}

static gboolean
is_row_empty(const CcOp *op, guint r) {
  for (guint m = 0; m < op->n_matrices; m++)
    for (guint c = 0; c < op->width; c++)
      if (cc_op_tap(op, m, r, c) != 0)
        return FALSE;
  return TRUE;
}

/* Moves `n` numbers from index `first` to the start of a line of `was` numbers, and clears the
 * rest. */
static void
cut_line(gint32 *line, guint was, guint first, guint n) {
  memmove(line, line + first, n * sizeof *line);
  memset(line + n, 0, (was - n) * sizeof *line);
}

/* Keeps the taps from row `top` and column `left` on. op->width and op->height are the new size. */
static void
cut_taps(CcOp *op, guint was_width, guint was_height, guint left, guint top) {
  gint32 *to = op->tap_i;
  for (guint m = 0; m < op->n_matrices; m++)
    for (guint r = 0; r < op->height; r++)
      for (guint c = 0; c < op->width; c++)
        *to++ = op->tap_i[(m * was_height + top + r) * was_width + left + c];
  memset(to, 0, (gsize)(op->tap_i + op->n_matrices * was_width * was_height - to) * sizeof *to);
}

void
cc_op_trim(CcOp *op) {
  const guint width = op->width, height = op->height;
  guint left = 0, top = 0;
  while (2 * left + 1 < width && is_column_empty(op, left) && is_column_empty(op, width - 1 - left))
    left++;
  while (2 * top + 1 < height && is_row_empty(op, top) && is_row_empty(op, height - 1 - top))
    top++;
  op->width -= 2 * left;
  op->height -= 2 * top;
  if (left + top == 0)
    return;
  for (guint m = 0; op->separable && m < op->n_matrices; m++) {
    cut_line(op->row_i[m], width, left, op->width);
    cut_line(op->column_i[m], height, top, op->height);
  }
  if (op->has_taps)
    cut_taps(op, width, height, left, top);
  else
    cc_op_set_taps_of_factors(op);
}
