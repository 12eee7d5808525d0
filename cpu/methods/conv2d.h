/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sums over whole windows by products of several neighbours at a time (dot_products.h).
 *
 * Rows of the source lie in bundles of two words or of four bytes, one above the other. As many
 * rows of results as a bundle has are made at a time, a block, from the same bundles and from taps
 * that are shifted by a row each. Blocks begin at multiples of that number, whatever a slice begins
 * with. */

#include "dot_taps.h"

G_BEGIN_DECLS

typedef struct {
  CcBundleKind kind;             /* BYTES, WIDENED or WORDS */
  guint bundle;                  /* rows of a bundle, 2 or 4 */
  guint n_bundles;               /* that the windows of a block reach over */
  gint32 flip;                   /* what makes signed words of samples, by exclusive or */
  gint32 *taps;                  /* of matrix m, bundle g, column c and row i of the block at
                                    ((m * n_bundles + g) * width + c) * bundle + i */
  gint32 start[CC_MAX_MATRICES]; /* what the sums of a matrix start from */
} CcWindow;

/* The taps of an op for samples of `type` with `depth` bits; sums are S_i. NULL: *reason says why,
 * a static text. */
CcWindow *cc_window_new(const CcOp *op, CcSampleType type, guint depth, const CcRows *rows,
                        const gchar **reason);
void cc_window_free(CcWindow *self);

G_END_DECLS
