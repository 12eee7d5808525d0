/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rational.h"

#include <float.h>
#include <math.h>

CcRational
cc_rational(gdouble x, gint64 max_den) {
  const CcRational none = {0, 0};
  const gdouble tolerance = 4 * DBL_EPSILON * fabs(x);
  if (!(fabs(x) < 1e12))
    return none;
  /* convergents p/q of the continued fraction of x */
  gint64 p0 = 0, q0 = 1, p1 = 1, q1 = 0;
  gdouble rest = x;
  for (int i = 0; i < 40; i++) {
    const gdouble whole = floor(rest);
    if (fabs(whole) > 1e12)
      return none;
    const gdouble q = whole * (gdouble)q1 + (gdouble)q0;
    if (q > (gdouble)max_den)
      return none;
    const gint64 p2 = (gint64)whole * p1 + p0, q2 = (gint64)q;
    if (fabs((gdouble)p2 / (gdouble)q2 - x) <= tolerance)
      return (CcRational){p2, q2};
    p0 = p1, q0 = q1, p1 = p2, q1 = q2;
    if (rest == whole)
      return none;
    rest = 1.0 / (rest - whole);
  }
  return none;
}
