/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Weighted sums over taps, resolved for the row kernels. */

#include "cpu/kernels/row_kernels.h"
#include "engine/plan/op.h"

G_BEGIN_DECLS

/* Where a tap lies: the row of the window, and how many samples right of the result. */
typedef struct {
  guint row;
  gint offset;
} CcTapOffset;

/* A weighted sum; the places in the order of the groups. */
typedef struct {
  CcSumFunc sum;
  CcTapPattern pattern;
  guint n_groups, n_taps;
  CcTapGroup *group;
  CcTapOffset *offsets;
} CcTapGroups;

/* The weighted sum of n taps and its shape. Taps of 0 are left out. `sum` is left to the caller. */
void cc_tap_groups_init(CcTapGroups *groups, const gint32 *c, const CcTapOffset *offsets, guint n);
void cc_tap_groups_clear(CcTapGroups *groups);

/* Whether column times row is less work than all taps at once: it is for 3x3 blurs, and not for 3x3
 * derivatives. */
gboolean cc_prefers_separable(const CcOp *op);

/* The taps of an op that are not 0, of all matrices; in rows and columns where cc_prefers_separable
 * says so. */
guint cc_tap_count(const CcOp *op);

/* What sums of tap groups over whole windows cost, in additions. */
guint cc_tap_groups_cost(const CcOp *op);

/* The digits of a pattern of taps: "20-20-10" is n_plus and n_minus of each term. */
const gchar *cc_tap_pattern_name(CcTapPattern pattern);

G_END_DECLS
