/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The matrices of a filter as the oracle uses them: as rational numbers if possible. */

#include "engine/plan/filter.h"

G_BEGIN_DECLS

typedef struct {
  gint64 num, den;
} Ratio;

/* A number: `ratio` if it is rational, else `real`. */
typedef struct {
  gboolean rational;
  Ratio ratio;
  long double real;
} Number;

/* n coefficients of each matrix. The coefficients of all matrices follow one another. */
typedef struct {
  guint n;
  gdouble real[CC_MAX_TAPS];
  gint64 num[CC_MAX_TAPS]; /* if rational: numerators; all have the same denominator */
} Coefficients;

/* The matrices of a filter. Small matrices have `taps`. Large matrices (factored) have `columns`
 * and `rows`, and a tap is the product of both. */
typedef struct {
  guint n, width, height;
  gboolean factored;
  Coefficients taps, rows, columns;
  gboolean rational; /* every tap, or product of a column and a row element, is num / den */
  gint64 den;
  /* factor of sums that are computed with `num`, or with `real` if not rational; not 0 */
  Number gain;
} Matrices;

/* Returns `value` as a number. It is rational if a simple fraction equals `value` to the last
 * bit. */
Number oracle_number(gdouble value);

Number oracle_number_plus(Number number, gint64 i);

/* Returns number * num / den; den must be positive. */
Number oracle_number_times(Number number, gint64 num, gint64 den);

void oracle_matrices_init(Matrices *m, const CcFilter *filter);

G_END_DECLS
