/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "box.h"

static gboolean
are_same(const gint32 *taps, guint n) {
  for (guint i = 1; i < n; i++)
    if (taps[i] != taps[0])
      return FALSE;
  return TRUE;
}

/* Sums that are read for a window, those of the levels included. */
static guint
cost_of(guint width, guint a, guint b) {
  const guint of_levels = (a > 1 ? a : 0) + (b > 1 ? b : 0);
  return of_levels + width / (a * b) + width % (a * b) / a + width % a;
}

static void
set_levels(CcMeans *self, guint width) {
  guint best_a = 1, best_b = 1;
  for (guint a = 1; a <= width; a++)
    for (guint b = 1; a * b <= width; b++)
      if (cost_of(width, a, b) < cost_of(width, best_a, best_b))
        best_a = a, best_b = b;
  const guint widths[CC_MEANS_LEVELS] = {1, best_a, best_a * best_b};
  guint left = width;
  for (guint level = CC_MEANS_LEVELS; level-- > 0;) {
    const gboolean used = level == 0 || widths[level] > widths[level - 1];
    self->width[level] = widths[level];
    self->count[level] = used ? left / widths[level] : 0;
    left -= self->count[level] * widths[level];
  }
}

CcMeans *
cc_means_new(const CcOp *op, guint left) {
  if (!op->separable || op->n_matrices != 1 || op->width == 1 || op->height == 1 ||
      !are_same(op->row_i[0], op->width) || !are_same(op->column_i[0], op->height))
    return NULL;
  CcMeans *self = g_new0(CcMeans, 1);
  self->factor = op->row_i[0][0] * op->column_i[0][0] * (1 << left);
  set_levels(self, op->width);
  return self;
}
