/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The definition of alpha=weighted, for host and device. The color c of a pixel with the alpha a
 * becomes the product P, and the pixel has a weight Q. Both are filtered. The quotient of the
 * results is the color again. `max` is the largest code value: 255 or 65535. Products and weights
 * have 16 bits. */

#include "engine/shared.h"

/* P, and Q if c is `max`. */
CC_SHARED unsigned
cc_weighted_multiply(unsigned c, unsigned a, unsigned max) {
  return max == 255 ? c * a : (c * a + 32767) / 65535;
}

/* min(max, floor((2 max P + Q) / (2 Q))) for Q > 0. */
CC_SHARED unsigned
cc_weighted_divide(unsigned p, unsigned q, unsigned max) {
  const unsigned long long quotient = (2ull * max * p + q) / (2 * q);
  return quotient < max ? (unsigned)quotient : max;
}
