/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The definition of compose, for host and device: how the code value r of the filtered sample and
 * the code value s of the source sample become one code value. */

#include "engine/shared.h"

/* What threshold and invert do to a component. */
typedef enum {
  CC_POINT_NONE,
  CC_POINT_SELECT, /* threshold, or threshold and invert */
  CC_POINT_INVERT,
} CcPoint;

CC_SHARED unsigned
cc_compose_select(unsigned r, unsigned limit, unsigned above, unsigned below) {
  return r >= limit ? above : below;
}

/* clamp(sum - r, 0, F), where `sum` is lo + hi. No clamp to F is needed, because lo + hi <= F. */
CC_SHARED unsigned
cc_compose_invert(unsigned r, unsigned sum) {
  return (r > sum ? r : sum) - r;
}

/* `mix` has CC_MIX_BITS fractional bits. */
#define CC_MIX_BITS 8
#define CC_MIX_ONE (1 << CC_MIX_BITS)

CC_SHARED unsigned
cc_compose_mix(int r, int s, int mix, int max) {
  const int v = s + ((mix * (r - s) + CC_MIX_ONE / 2) >> CC_MIX_BITS);
  return (unsigned)(v < 0 ? 0 : v > max ? max : v);
}

/* The weight of an opaque overlay with a mix of 1, where r is at hi. */
#define CC_OVERLAY_ONE (255u * CC_MIX_ONE)

/* r above black, 0 to hi - lo. */
CC_SHARED unsigned
cc_overlay_strength(unsigned r, unsigned lo, unsigned hi) {
  return (r < lo ? lo : r > hi ? hi : r) - lo;
}

/* floor(q most / range), the weight of the overlay's color for a strength q of 0 to range.
 * whole = floor(most / range), and part = ceil((most mod range) 2^32 / range). The product with
 * `part` is exact enough, because q and range are below 2^16. */
CC_SHARED unsigned
cc_overlay_weight(unsigned q, unsigned whole, unsigned part) {
#ifdef __CUDA_ARCH__
  return q * whole + __umulhi(q, part);
#else
  return q * whole + (unsigned)((unsigned long long)q * part >> 32);
#endif
}

/* s + floor((weight (color - s) + CC_OVERLAY_ONE / 2) / CC_OVERLAY_ONE). All terms of the sum below
 * are positive and fit 32 bits. */
CC_SHARED unsigned
cc_overlay_blend(unsigned s, unsigned color, unsigned weight) {
  return (weight * color + (CC_OVERLAY_ONE - weight) * s + CC_OVERLAY_ONE / 2) / CC_OVERLAY_ONE;
}
