/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sums of windows whose taps are all the same, by running sums. Those of a column change by the row
 * that enters the window and the one that leaves it. Those along a line are made of sums of some
 * neighbours, and these of sums of fewer. */

#include "engine/op.h"

G_BEGIN_DECLS

#define CC_MEANS_LEVELS 3

typedef struct {
  gint32 factor; /* of every tap */
  /* A sum of level i is over `width[i]` pixels: level 0 are the columns, and each is made of
   * width[i] / width[i - 1] sums of the level below. The window is made of count[i] sums of each
   * level, the widest first. */
  guint width[CC_MEANS_LEVELS], count[CC_MEANS_LEVELS];
} CcMeans;

/* NULL: the taps are not all the same, or there are several matrices. */
CcMeans *cc_means_new(const CcOp *op);

G_END_DECLS
