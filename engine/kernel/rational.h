/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Fractions, and which one a double stands for. */

#include <glib.h>

G_BEGIN_DECLS

/* A number as num / den in lowest terms; den is 0 when there is no such fraction. */
typedef struct {
  gint64 num, den;
} CcRational;

/* The greatest common divisor, >= 0; that of 0 and b is |b|. */
static inline gint64
cc_gcd(gint64 a, gint64 b) {
  while (b) {
    const gint64 r = a % b;
    a = b;
    b = r;
  }
  return ABS(a);
}

/* The fraction of least denominator up to `max_den` that is x but for the rounding of a double
 * (continued fractions). */
CcRational cc_rational(gdouble x, gint64 max_den);

G_END_DECLS
