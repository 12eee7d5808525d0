/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The hue of a gradient, for host and device. direction_color.h explains direction color. */

#include "output_stage_shared.h"

#define CC_HUES 255        /* in a full turn */
#define CC_HUE_INDICES 256 /* one for each hue and one for black */

/* The index of the hue of a gradient, or 0 for a zero gradient. `add` is the rotation, as a number
 * of hues, plus the half that makes floor round half up. Without rotation, the angle 0 has index 1,
 * and larger angles have higher indices. */
CC_SHARED int
cc_hue_index(float x, float y, float add) {
  const int hue = cc_floor_f32(fmaf(cc_direction(x, y), CC_HUES, add)) % CC_HUES;
  const int index = 1 + (hue < 0 ? hue + CC_HUES : hue);
  return x == 0 && y == 0 ? 0 : index;
}
