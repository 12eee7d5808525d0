/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The hue of a gradient, for host and device. direction_color.h explains direction color. */

#include "output_stage_shared.h"

#define CC_HUES 255        /* in a full turn */
#define CC_HUE_INDICES 256 /* one for each hue and one for black */

/* The index of the hue of a gradient: 0 for a zero gradient, 1 for the angle 0, and higher indices
 * for larger angles. `add` rotates the hues by a number of hues, and includes the half that makes
 * floor round half up. */
CC_SHARED int
cc_hue_index(float x, float y, float add) {
  const int hue = cc_floor_f32(fmaf(cc_direction(x, y), CC_HUES, add)) % CC_HUES;
  const int index = 1 + (hue < 0 ? hue + CC_HUES : hue);
  return x == 0 && y == 0 ? 0 : index;
}
