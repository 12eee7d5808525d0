/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The matrices of a filter, as the oracle sees them: rational numbers wherever that is possible. */

#include "engine/plan/filter.h"

G_BEGIN_DECLS

typedef struct {
  gint64 num, den;
} Ratio;

/* A number that is used exactly when it is rational. */
typedef struct {
  gboolean rational;
  Ratio ratio;
  long double real;
} Number;

/* n coefficients of each matrix, one matrix after the other. */
typedef struct {
  guint n;
  gdouble real[CC_MAX_TAPS];
  gint64 num[CC_MAX_TAPS]; /* where they are rational, over a common denominator */
} Coefficients;

/* The matrices of a filter: taps, or where they are large, columns times rows. */
typedef struct {
  guint n, width, height;
  gboolean factored;
  Coefficients taps, rows, columns;
  gboolean rational; /* every tap, or product of factors, is its num / den */
  gint64 den;
  Number gain; /* what a sum by num (or by real when not rational) is multiplied by; not 0 */
} Matrices;

/* `value` as the simplest fraction that is it to the last bit, where there is one. */
Number oracle_number(gdouble value);

/* number + i */
Number oracle_number_plus(Number number, gint64 i);

/* number * num / den; den is positive. */
Number oracle_number_times(Number number, gint64 num, gint64 den);

void oracle_matrices_init(Matrices *m, const CcFilter *filter);

G_END_DECLS
