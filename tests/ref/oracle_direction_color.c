/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/ref/oracle_direction_color.h"

#include <math.h>

#define N_COLORS 255
#define CIRCLE                                                                                     \
  1536              /* number of steps of the color circle, from red to green, blue and red again  \
                     */
#define PARTS 10000 /* the unit of luma weights is 1 / PARTS */

gboolean
oracle_direction_color_has(CcRole role) {
  return role != CC_ROLE_GREY && role != CC_ROLE_ALPHA && role != CC_ROLE_PADDING;
}

guint
oracle_direction_color_component(CcRole role) {
  switch (role) {
  case CC_ROLE_GREEN:
  case CC_ROLE_CB:
    return 1;
  case CC_ROLE_BLUE:
  case CC_ROLE_CR:
    return 2;
  default:
    return 0;
  }
}

guint
oracle_direction_color_index(gint64 x, gint64 y, gdouble bias) {
  if (x == 0 && y == 0)
    return 0;
  long double turns = atan2l(y, x) / (2 * 3.14159265358979323846264338327950288L);
  gint64 color = (gint64)floorl(turns * N_COLORS + bias + 0.5L);
  while (color < 0)
    color += N_COLORS;
  return 1 + (guint)(color % N_COLORS);
}

/* Returns the value of a component at `position` steps from red. `peak` is the position of its
 * maximum. The value rises from 0 at a third of the circle before the peak, and falls to 0 at a
 * third of the circle after it. It is limited to 255. */
static gint64
amount(gint position, gint peak) {
  gint rising = position - (peak - CIRCLE / 3), falling = peak + CIRCLE / 3 - 1 - position;
  return CLAMP(MIN(rising, falling), 0, 255);
}

static void
color_of_index(guint index, gint64 rgb[3]) {
  gint position = (CIRCLE * ((gint)index - 1) + 127) / N_COLORS;
  rgb[0] = index ? MAX(amount(position, 0), amount(position, CIRCLE)) : 0;
  rgb[1] = index ? amount(position, CIRCLE / 3) : 0;
  rgb[2] = index ? amount(position, 2 * CIRCLE / 3) : 0;
}

/* Returns num / den, rounded half up, as a code value. */
static gint64
round_code(gint64 num, gint64 den, guint depth) {
  gint64 code = (2 * num + den) / (2 * den);
  if (2 * num + den < 0)
    code = 0;
  return MIN(code, (1 << depth) - 1);
}

/* Converts a color to Y', Cb and Cr. */
static void
convert(const CcFrameLayout *layout, const gint64 rgb[3], guint depth, gint64 yuv[3]) {
  gint64 red = llround(layout->kr * PARTS), blue = llround(layout->kb * PARTS);
  if (red == 0 || blue == 0) {
    red = 2990;
    blue = 1140;
  }
  gint64 luma = red * rgb[0] + (PARTS - red - blue) * rgb[1] + blue * rgb[2]; /* luma times PARTS */
  gint64 cb = PARTS * rgb[2] - luma, cr = PARTS * rgb[0] - luma;
  /* maximum of cb and cr: half of their range */
  gint64 cb_max = (PARTS - blue) * 255, cr_max = (PARTS - red) * 255;
  gint64 unit = 1 << (depth - 8), max = (1 << depth) - 1, full = (gint64)PARTS * 255;
  /* twice the code value offset that cb_max is mapped to */
  gint64 half = layout->limited_range ? 112 * unit * 2 : max;
  yuv[0] = layout->limited_range ? round_code(unit * (16 * full + 219 * luma), full, depth)
                                 : round_code(max * luma, full, depth);
  yuv[1] = round_code(256 * unit * cb_max + half * cb, 2 * cb_max, depth);
  yuv[2] = round_code(256 * unit * cr_max + half * cr, 2 * cr_max, depth);
}

void
oracle_direction_color_table(const CcFrameLayout *layout, const CcPlaneLayout *plane, gboolean rgb,
                             guint16 word[3][256]) {
  for (guint i = 0; i < 256; i++) {
    gint64 color[3], code[3];
    color_of_index(i, color);
    convert(layout, color, plane->depth, code);
    for (guint c = 0; c < 3; c++) {
      if (rgb)
        code[c] = (color[c] * ((1 << plane->depth) - 1) + 127) / 255;
      word[c][i] = (guint16)(code[c] << plane->shift);
    }
  }
}

gboolean
oracle_direction_color_words_match(const guint16 word[256], guint expected, guint got) {
  for (guint i = 0; i < N_COLORS; i++) {
    guint a = word[1 + i], b = word[1 + (i + 1) % N_COLORS];
    if ((a == expected && b == got) || (b == expected && a == got))
      return TRUE;
  }
  return expected == got;
}
