/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The oracle's matrices of a filter: rational numbers if possible. */

#include "engine/plan/filter.h"

G_BEGIN_DECLS

typedef struct {
  gint64 num, den;
} Ratio;

/* A number that is used exactly if it is rational. */
typedef struct {
  gboolean rational;
  Ratio ratio;
  long double real;
} Number;

/* n coefficients of each matrix, one matrix after the other. */
typedef struct {
  guint n;
  gdouble real[CC_MAX_TAPS];
  gint64 num[CC_MAX_TAPS]; /* if rational: numerators over a common denominator */
} Coefficients;

/* The matrices of a filter: taps, or columns times rows if the matrices are large. */
typedef struct {
  guint n, width, height;
  gboolean factored;
  Coefficients taps, rows, columns;
  gboolean rational; /* every tap, or product of factors, equals its num / den */
  gint64 den;
  Number gain; /* the factor of a sum by num (by real if not rational); not 0 */
} Matrices;

/* Returns `value` as the simplest fraction that equals it to the last bit, if there is one. */
Number oracle_number(gdouble value);

Number oracle_number_plus(Number number, gint64 i);

/* Returns number * num / den; den is positive. */
Number oracle_number_times(Number number, gint64 num, gint64 den);

void oracle_matrices_init(Matrices *m, const CcFilter *filter);

G_END_DECLS
