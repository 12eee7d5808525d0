/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Weighted sums of taps, resolved for the row kernels. */

#include "cpu/kernels/row_kernels.h"
#include "engine/plan/op.h"

G_BEGIN_DECLS

/* The position of a tap: the row of the window, and the samples right of the result. */
typedef struct {
  guint row;
  gint offset;
} CcTapPosition;

/* A weighted sum. `offsets` is in the order of the groups. */
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

/* Returns whether column times row is cheaper than all taps at once. It is for 3x3 blurs, but not
 * for 3x3 derivatives. */
gboolean cc_prefers_separable(const CcOp *op);

/* Returns the number of nonzero taps of all matrices of an op; those of rows and columns if
 * cc_prefers_separable. */
guint cc_tap_count(const CcOp *op);

/* Returns the cost of tap groups over whole windows, in additions. */
guint cc_tap_groups_cost(const CcOp *op);

/* Returns the name of a tap pattern: "20-20-10" has n_plus and n_minus of each group. */
const gchar *cc_tap_pattern_name(CcTapPattern pattern);

G_END_DECLS
