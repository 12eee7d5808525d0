/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sums of windows whose taps are all the same, by running sums: the sum of a window changes by the
 * sum along the line that enters it and by that along the line that leaves it. By columns, sums
 * over those change, and sums along the line are made of them. */

#include "cpu/kernels/row_kernels.h"
#include "engine/plan/plan.h"

G_BEGIN_DECLS

#define CC_MEANS_LEVELS 3

typedef struct {
  gint32 factor;          /* of every tap, times 2^left */
  CcMeansFunc by_columns; /* NULL: by sums along lines */
  /* Sums along lines are made of sums of some neighbours, and these of sums of fewer. A sum of
   * level i is over `width[i]` pixels: level 0 are samples, and each is made of
   * width[i] / width[i - 1] sums of the level below. The whole is made of count[i] sums of each
   * level, the widest first. */
  guint width[CC_MEANS_LEVELS], count[CC_MEANS_LEVELS];
} CcMeans;

/* Sums are 2^left times the op's. NULL: the taps are not all the same, or there are several
 * matrices. To be freed with g_free. */
CcMeans *cc_means_new(const CcOp *op, guint left);

G_END_DECLS
