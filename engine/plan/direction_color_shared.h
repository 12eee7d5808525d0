/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which hue a gradient has, for host and device. hue.h says what becomes of it. */

#include "output_stage_shared.h"

/* A turn is so many hues, and black is one more. */
#define CC_HUES 255
#define CC_HUE_INDICES 256

/* The index of the hue of a gradient: 0 where there is none, else 1 for the angle 0 and so on round
 * the circle. `add` turns it by so many hues, and holds the half that makes floor round half up. */
CC_SHARED int
cc_hue_index(float x, float y, float add) {
  const int hue = cc_floor_f32(fmaf(cc_direction(x, y), CC_HUES, add)) % CC_HUES;
  const int index = 1 + (hue < 0 ? hue + CC_HUES : hue);
  return x == 0 && y == 0 ? 0 : index;
}
