/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "window.h"
#include "engine/last_step.h"

static void
set_taps(CcWindow *self, CcTaps taps, gint32 *to) {
  for (guint g = 0; g < self->n_groups; g++)
    for (guint c = 0; c < taps.width; c++)
      for (guint i = 0; i < self->group; i++)
        *to++ = cc_taps_group(taps, (gint)(g * self->group) - (gint)i, c, self->group);
}

CcWindow *
cc_window_new(const CcOp *op, CcSampleType type, guint depth, const CcRows *rows) {
  const gint64 middle = depth == 16 ? 1 << 15 : 0; /* what signed words of samples lack */
  if (!op->has_taps || cc_op_largest_sum(op) > G_MAXINT32)
    return NULL;
  CcGroupKind kind = type == CC_SAMPLE_U16   ? CC_GROUP_WORDS
                     : rows->window[1][0][0] ? CC_GROUP_BYTES
                                             : CC_GROUP_WIDENED;
  for (guint m = 0; m < op->n_matrices; m++) {
    if (!cc_taps_are_words(cc_taps_of_matrix(op, m)))
      return NULL;
    if (kind == CC_GROUP_BYTES && !cc_taps_are_bytes(cc_taps_of_matrix(op, m), rows))
      kind = CC_GROUP_WIDENED;
  }
  CcWindow *self = g_new0(CcWindow, 1);
  const guint group = kind == CC_GROUP_BYTES ? 4 : 2;
  self->kind = kind;
  self->group = group;
  self->n_groups = (op->height + 2 * (group - 1)) / group;
  self->flip = middle ? (gint32)0x80008000 : 0;
  const guint n = self->n_groups * op->width * group;
  self->taps = g_new(gint32, op->n_matrices * n);
  for (guint m = 0; m < op->n_matrices; m++) {
    set_taps(self, cc_taps_of_matrix(op, m), self->taps + m * n);
    self->start[m] = (gint32)(cc_taps_sum(cc_taps_of_matrix(op, m)) * middle);
  }
  return self;
}

void
cc_window_free(CcWindow *self) {
  if (self)
    g_free(self->taps);
  g_free(self);
}
