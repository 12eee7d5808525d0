/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The matrices of a filter, as the oracle sees them: rational numbers wherever that is possible. */

#include "engine/filter.h"

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

/* The matrices of a filter. */
typedef struct {
  guint n, width, height;
  gdouble coeff[CC_MAX_TAPS];
  gboolean rational; /* coeff is num / den */
  gint64 num[CC_MAX_TAPS];
  gint64 den;
  Number gain; /* what a sum of num (or of coeff when not rational) is multiplied by; not 0 */
} Matrices;

/* `value` as the simplest fraction that is it to the last bit, where there is one. */
Number oracle_number(gdouble value);

/* number + i */
Number oracle_number_plus(Number number, gint64 i);

void oracle_matrices_init(Matrices *m, const CcFilter *filter);

G_END_DECLS
