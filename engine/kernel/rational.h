/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The fraction num / den; den is 0 if there is no fraction. */
typedef struct {
  gint64 num, den;
} CcRational;

/* The greatest common divisor, >= 0. The divisor of 0 and b is |b|. */
static inline gint64
cc_gcd(gint64 a, gint64 b) {
  while (b) {
    const gint64 r = a % b;
    a = b;
    b = r;
  }
  return ABS(a);
}

/* Returns a fraction in lowest terms that equals x within the rounding error of a double: the first
 * such convergent of x's continued fraction. Returns no fraction if its denominator is above
 * `max_den`. */
CcRational cc_rational(gdouble x, gint64 max_den);

G_END_DECLS
