/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Weighted sums over taps, resolved for the row kernels. */

#include "cpu/kernels/row_kernels.h"

G_BEGIN_DECLS

/* Where a tap lies: the row of the window, and how many samples right of the result. */
typedef struct {
  guint row;
  gint offset;
} CcTapPlace;

/* A weighted sum; the places in the order of the terms. */
typedef struct {
  CcSumFunc sum;
  CcShape shape;
  guint n_terms, n_taps;
  CcTerm *terms;
  CcTapPlace *places;
} CcWeights;

/* The weighted sum of n taps and its shape. Taps of 0 are left out. `sum` is left to the caller. */
void cc_weights_init(CcWeights *weights, const gint32 *c, const CcTapPlace *places, guint n);
void cc_weights_clear(CcWeights *weights);

/* The digits of a pattern of taps: "20-20-10" is n_plus and n_minus of each term. */
const gchar *cc_shape_name(CcShape shape);

G_END_DECLS
