/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gradient.h"

#include <stdlib.h>

/* Whether both sums are differences of two samples. */
static gboolean
is_of_four(const CcWeights over[2]) {
  return over[0].shape == CC_SHAPE_11 && over[1].shape == CC_SHAPE_11 &&
         abs(over[0].terms[0].factor) == abs(over[1].terms[0].factor);
}

/* Whether a 3x3 matrix has the taps `corner` and `middle` in lines that it takes from each other.
 * The places of taps are so far apart along a line and from line to line. */
static gboolean
is_derivative(const gint32 *tap, guint along, guint across, gint32 corner, gint32 middle) {
  const gint32 line[] = {corner, middle, corner};
  for (guint i = 0; i < 3; i++) {
    const gint32 *at = tap + i * along;
    if (at[0] != line[i] || at[across] != 0 || at[2 * across] != -line[i])
      return FALSE;
  }
  return TRUE;
}

/* Whether the second matrix is the first one transposed, or that with its sign changed. */
static gboolean
is_of_eight(const CcOp *op) {
  if (op->width != 3 || op->height != 3)
    return FALSE;
  const gint32 *x = op->tap_i, *y = op->tap_i + 9;
  const gint32 corner = x[0], middle = x[3];
  return is_derivative(x, 3, 1, corner, middle) &&
         (is_derivative(y, 1, 3, corner, middle) || is_derivative(y, 1, 3, -corner, -middle));
}

CcGradient
cc_gradient_find(const CcOp *op, const CcWeights over[2]) {
  return is_of_four(over)  ? CC_GRADIENT_OF_FOUR
         : is_of_eight(op) ? CC_GRADIENT_OF_EIGHT
                           : CC_N_GRADIENTS;
}

/* Weights of no shape, with a factor for each four places. */
static CcWeights
weights_of(const CcTapPlace *places, guint n, const gint32 *factors) {
  CcWeights weights = {
      .shape = CC_SHAPE_ANY,
      .n_terms = n / 4,
      .n_taps = n,
      .terms = g_new0(CcTerm, n / 4),
      .places = g_memdup2(places, n * sizeof *places),
  };
  for (guint i = 0; i < weights.n_terms; i++)
    weights.terms[i].factor = factors[i];
  return weights;
}

void
cc_gradient_join(CcGradient gradient, const CcOp *op, CcWeights over[2], guint step, guint left) {
  CcWeights both;
  if (gradient == CC_GRADIENT_OF_FOUR) {
    const CcTapPlace *a = over[0].places, *b = over[1].places;
    const CcTapPlace places[] = {a[0], a[1], b[0], b[1]};
    both = weights_of(places, G_N_ELEMENTS(places), &over[0].terms[0].factor);
  } else {
    const gint pixel = (gint)step;
    const CcTapPlace places[] = {{0, -pixel}, {2, pixel}, {2, -pixel}, {0, pixel},
                                 {1, -pixel}, {1, pixel}, {0, 0},      {2, 0}};
    const gint32 factors[] = {op->tap_i[0] * (1 << left), op->tap_i[3] * (1 << left)};
    both = weights_of(places, G_N_ELEMENTS(places), factors);
  }
  for (guint m = 0; m < 2; m++)
    cc_weights_clear(&over[m]);
  over[0] = both;
  over[1] = (CcWeights){.shape = CC_SHAPE_ANY};
}
