/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sums of windows whose taps are all the same, by running sums: the sum of a window changes by the
 * sum along the line that enters it and by that along the line that leaves it. */

#include "along.h"

G_BEGIN_DECLS

#define CC_MEANS_LEVELS 3

typedef struct {
  gint32 factor; /* of every tap, times 2^left */
  /* Sums along lines by products; NULL: they are made of sums of some neighbours, and these of sums
   * of fewer. A sum of level i is over `width[i]` pixels: level 0 are samples, and each is made of
   * width[i] / width[i - 1] sums of the level below. The whole is made of count[i] sums of each
   * level, the widest first. */
  CcAlong *along;
  CcBundleKind kind;
  gint32 *taps;
  guint width[CC_MEANS_LEVELS], count[CC_MEANS_LEVELS];
} CcMeans;

/* For samples of `type` with `depth` bits, of which `step` make a pixel; sums are 2^left times the
 * op's. NULL: the taps are not all the same, or there are several matrices. */
CcMeans *cc_means_new(const CcOp *op, CcSampleType type, guint depth, guint step, guint left,
                      const CcRows *rows);
void cc_means_free(CcMeans *self);

G_END_DECLS
