/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "op.h"

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
