/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Weighted sums of taps in the form that the row kernels take: tap groups and the pattern they
 * have. */

#include "cpu/kernels/row_kernels.h"
#include "engine/plan/op.h"

G_BEGIN_DECLS

/* The position of a tap: its row in the window, and its distance to the right of the result, in
 * samples. */
typedef struct {
  guint row;
  gint offset;
} CcTapPosition;

/* A weighted sum. `offsets` has the positions of all taps, in the order of the groups. */
typedef struct {
  CcSumFunc sum;
  CcTapPattern pattern;
  guint n_groups, n_taps;
  CcTapGroup *group;
  CcTapPosition *offsets;
} CcTapGroups;

/* Prepares the weighted sum of n taps and finds its pattern. Taps of 0 are left out. The caller
 * sets `sum`. */
void cc_tap_groups_init(CcTapGroups *groups, const gint32 *c, const CcTapPosition *offsets,
                        guint n);
void cc_tap_groups_clear(CcTapGroups *groups);

/* Returns whether a horizontal and a vertical sum are cheaper than one sum over all taps. For
 * example they are cheaper for 3x3 blurs, but not for 3x3 derivatives. */
gboolean cc_prefers_separable(const CcOp *op);

/* Returns the number of nonzero taps of all matrices of an op. If cc_prefers_separable, counts the
 * taps of rows and columns instead. */
guint cc_tap_count(const CcOp *op);

/* Returns the cost of non-separable sums of tap groups, in additions for each sample. */
guint cc_tap_groups_cost(const CcOp *op);

/* Returns the name of a tap pattern: "20-20-10" lists the digits n_plus and n_minus of each
 * group. */
const gchar *cc_tap_pattern_name(CcTapPattern pattern);

G_END_DECLS
