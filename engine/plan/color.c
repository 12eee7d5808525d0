/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "color.h"

#include <math.h>

/* Before rounding, the code values are fractions with small denominators. Their fractional parts
 * are exactly one half or differ from it by at least about 1e-5. Adding NUDGE makes the exact
 * halves round up despite the rounding of double. */
#define NUDGE 1e-6

static guint16
code_of(gdouble value, guint depth) {
  return (guint16)CLAMP(floor(value + 0.5 + NUDGE), 0, (1 << depth) - 1);
}

static gdouble
luma_of(const guint rgb[3], const CcFrameLayout *frame, gdouble *kr, gdouble *kb) {
  const gboolean known = frame->kr > 0 && frame->kb > 0;
  *kr = known ? frame->kr : CC_DEFAULT_KR;
  *kb = known ? frame->kb : CC_DEFAULT_KB;
  return (*kr * rgb[0] + (1 - *kr - *kb) * rgb[1] + *kb * rgb[2]) / 255;
}

void
cc_color_to_rgb(const guint rgb[3], guint depth, guint16 code[3]) {
  const guint max = (1u << depth) - 1;
  for (guint c = 0; c < 3; c++)
    code[c] = (guint16)((rgb[c] * max + 127) / 255);
}

void
cc_color_to_yuv(const guint rgb[3], const CcFrameLayout *frame, guint depth, guint16 code[3]) {
  gdouble kr, kb;
  const gdouble luma = luma_of(rgb, frame, &kr, &kb);
  const gdouble cb = (rgb[2] / 255.0 - luma) / (2 * (1 - kb));
  const gdouble cr = (rgb[0] / 255.0 - luma) / (2 * (1 - kr));
  const gdouble unit = 1 << (depth - 8), max = (1 << depth) - 1, middle = 128 * unit;
  const gboolean limited = frame->limited_range;
  const gdouble chroma_range = limited ? 224 * unit : max;
  code[0] = code_of(limited ? (16 + 219 * luma) * unit : max * luma, depth);
  code[1] = code_of(middle + chroma_range * cb, depth);
  code[2] = code_of(middle + chroma_range * cr, depth);
}

guint16
cc_color_to_grey(const guint rgb[3], const CcFrameLayout *frame, guint depth) {
  gdouble kr, kb;
  return code_of(((1 << depth) - 1) * luma_of(rgb, frame, &kr, &kb), depth);
}
