/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The definition of Canny's edges, for host and device. canny.h explains it. */

#include "engine/shared.h"

/* tan(22.5 degrees) times 2^CC_CANNY_BITS, rounded. Tan(67.5 degrees) is larger by 2. */
#define CC_CANNY_BITS 15
#define CC_CANNY_TAN 13573

/* The neighbours of a pixel that a gradient points to. They are before and after the pixel, in the
 * order of reading. */
typedef enum {
  CC_CANNY_ACROSS,  /* left, right */
  CC_CANNY_DOWN,    /* above, below */
  CC_CANNY_FALLING, /* above left, below right */
  CC_CANNY_RISING,  /* above right, below left */
} CcCannyAxis;

/* A sum divided by 2^bits, rounded half to even. */
CC_SHARED long long
cc_canny_round(long long sum, int bits) {
  return bits ? (sum + (1ll << (bits - 1)) - 1 + (sum >> bits & 1)) >> bits : sum;
}

/* The square of the gradient (x, y), or the sum of absolute values. */
CC_SHARED long long
cc_canny_magnitude(long long x, long long y, int is_l2) {
  return is_l2 ? x * x + y * y : (x < 0 ? -x : x) + (y < 0 ? -y : y);
}

CC_SHARED CcCannyAxis
cc_canny_axis(long long x, long long y) {
  const long long across = x < 0 ? -x : x, down = y < 0 ? -y : y;
  if (down << CC_CANNY_BITS < across * CC_CANNY_TAN)
    return CC_CANNY_ACROSS;
  if (down << CC_CANNY_BITS > across * (CC_CANNY_TAN + (2 << CC_CANNY_BITS)))
    return CC_CANNY_DOWN;
  return (x < 0) == (y < 0) ? CC_CANNY_FALLING : CC_CANNY_RISING;
}

/* Whether a magnitude is a maximum between its two neighbours on the axis. */
CC_SHARED int
cc_canny_is_maximum(long long magnitude, long long before, long long after, CcCannyAxis axis) {
  return magnitude > before && (magnitude > after || (magnitude == after && axis <= CC_CANNY_DOWN));
}
