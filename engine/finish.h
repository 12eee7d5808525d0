/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The last step of an op: from the sums to a code value, and the proof that it may run in float. */

#include "plan.h"

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

/* Sets mul, add, mul_f, add_f and arith of an op whose taps, sum bounds, response, lo and hi are
 * set. `scale` multiplies the tap sums and is > 0; `offset` is everything added, in code values of
 * `depth` bits, rounding aside. scale_fraction is scale as a fraction, or has den 0. */
void cc_op_set_finish(CcOp *op, gdouble scale, CcRational scale_fraction, gdouble offset);

G_END_DECLS
