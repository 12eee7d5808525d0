/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conv2d.h"
#include "engine/plan/output_stage.h"
#include "engine/ablation.h"

static void
set_taps(CcWindow *self, CcTaps taps, gint32 *to) {
  for (guint g = 0; g < self->n_bundles; g++)
    for (guint c = 0; c < taps.width; c++)
      for (guint i = 0; i < self->bundle; i++)
        *to++ = cc_taps_bundle(taps, (gint)(g * self->bundle) - (gint)i, c, self->bundle);
}

CcWindow *
cc_window_new(const CcOp *op, CcSampleType type, guint depth, const CcRows *rows,
              const gchar **reason) {
  const gint64 middle = depth == 16 ? 1 << 15 : 0; /* what signed words of samples lack */
  /* without an instruction for four products, blocks of four rows waste too much on three */
  const gboolean has_bytes = rows->window[1][0][0] && !cc_is_left_out("conv2d-bytes") &&
                             (op->height > 3 || rows->has_dot_of_four);
  *reason = !op->has_taps                        ? "there are only rows and columns"
            : cc_op_largest_sum(op) > G_MAXINT32 ? "sums pass 32 bits"
            : cc_is_left_out("conv2d")           ? "left out"
                                                 : NULL;
  if (*reason)
    return NULL;
  CcBundleKind kind = type == CC_SAMPLE_U16 ? CC_BUNDLE_WORDS
                      : has_bytes           ? CC_BUNDLE_BYTES
                                            : CC_BUNDLE_WIDENED;
  for (guint m = 0; m < op->n_matrices; m++) {
    if (!cc_taps_are_words(cc_taps_of_matrix(op, m))) {
      *reason = "taps pass 16 bits";
      return NULL;
    }
    if (kind == CC_BUNDLE_BYTES && !cc_taps_are_bytes(cc_taps_of_matrix(op, m), rows))
      kind = CC_BUNDLE_WIDENED;
  }
  CcWindow *self = g_new0(CcWindow, 1);
  const guint bundle = kind == CC_BUNDLE_BYTES ? 4 : 2;
  self->kind = kind;
  self->bundle = bundle;
  self->n_bundles = (op->height + 2 * (bundle - 1)) / bundle;
  self->flip = middle ? (gint32)0x80008000 : 0;
  const guint n = self->n_bundles * op->width * bundle;
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
