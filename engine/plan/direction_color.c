/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "direction_color.h"

#include <math.h>

/* --- the table --- */

#define SEXTANT_BITS 8 /* bits of an angle within a sixth of the circle */

/* Before rounding, the code values of the table are fractions with small denominators. Their
 * fractional parts are exactly one half or differ from it by at least about 1e-5. Adding NUDGE
 * makes the exact halves round up despite the rounding of double. */
#define NUDGE 1e-6

void
cc_hue_color(guint index, guint rgb[3]) {
  rgb[0] = rgb[1] = rgb[2] = 0;
  if (index == 0)
    return;
  const guint angle = ((6u << SEXTANT_BITS) * (index - 1) + CC_HUES / 2) / CC_HUES;
  const guint f = angle & ((1u << SEXTANT_BITS) - 1);
  const guint colors[6][3] = {{255, f, 0},       {255 - f, 255, 0}, {0, 255, f},
                              {0, 255 - f, 255}, {f, 0, 255},       {255, 0, 255 - f}};
  for (guint c = 0; c < 3; c++)
    rgb[c] = colors[angle >> SEXTANT_BITS][c];
}

static void
set_rgb(CcDirectionColor *color, guint index, const guint rgb[3], guint depth) {
  const guint max = (1u << depth) - 1;
  for (guint c = 0; c < 3; c++)
    color->word[c][index] = (guint16)((rgb[c] * max + 127) / 255);
}

static guint16
code_of(gdouble value, guint depth) {
  return (guint16)CLAMP(floor(value + 0.5 + NUDGE), 0, (1 << depth) - 1);
}

static void
set_yuv(CcDirectionColor *color, guint index, const guint rgb[3], const CcFrameLayout *planes,
        guint depth) {
  const gboolean known = planes->kr > 0 && planes->kb > 0;
  const gdouble kr = known ? planes->kr : CC_DEFAULT_KR, kb = known ? planes->kb : CC_DEFAULT_KB;
  const gdouble luma = (kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2]) / 255;
  const gdouble cb = (rgb[2] / 255.0 - luma) / (2 * (1 - kb));
  const gdouble cr = (rgb[0] / 255.0 - luma) / (2 * (1 - kr));
  const gdouble unit = 1 << (depth - 8), max = (1 << depth) - 1, middle = 128 * unit;
  const gboolean limited = planes->limited_range;
  const gdouble chroma_range = limited ? 224 * unit : max;
  color->word[0][index] = code_of(limited ? (16 + 219 * luma) * unit : max * luma, depth);
  color->word[1][index] = code_of(middle + chroma_range * cb, depth);
  color->word[2][index] = code_of(middle + chroma_range * cr, depth);
}

static void
set_table(CcDirectionColor *color, const CcFrameLayout *planes, gboolean is_rgb) {
  const CcPlaneLayout *plane = &planes->plane[color->plane];
  for (guint i = 0; i < CC_HUE_INDICES; i++) {
    guint rgb[3];
    cc_hue_color(i, rgb);
    if (is_rgb)
      set_rgb(color, i, rgb, plane->depth);
    else
      set_yuv(color, i, rgb, planes, plane->depth);
    for (guint c = 0; c < 3; c++)
      color->word[c][i] = (guint16)(color->word[c][i] << plane->shift);
  }
}

/* --- groups --- */

/* The smallest power of two for which `n` samples cover `size` pixels. */
static guint
pixels_of_sample(guint size, guint n) {
  guint each = 1;
  while (size / each + (size % each != 0) > n)
    each *= 2;
  return each;
}

/* Adds a component to the last group, or to a new group if its samples cover a different number of
 * pixels. */
static void
add_component(CcDirectionColor *color, const CcFrameLayout *planes, guint plane,
              CcComponentOffset offset, guint component) {
  const CcPlaneLayout *pixels = &planes->plane[color->plane], *layout = &planes->plane[plane];
  const guint across = pixels_of_sample(pixels->width, layout->width);
  const guint down = pixels_of_sample(pixels->height, layout->height);
  CcComponentGroup *group = &color->group[MAX(color->n_groups, 1) - 1];
  if (color->n_groups == 0 || group->across != across || group->down != down) {
    group = &color->group[color->n_groups++];
    *group = (CcComponentGroup){.plane = plane, .across = across, .down = down};
  }
  group->offset[group->n] = offset;
  group->component[group->n++] = component;
}

/* Finds the plan's plane with a role, and the offset of its component in the frame. */
static gboolean
find_role(const CcFrameLayout *planes, const CcPlaneMap *map, CcRole role, guint *plane,
          CcComponentOffset *offset) {
  CcComponentOffset component;
  if (!cc_frame_layout_find_role(planes, role, &component))
    return FALSE;
  *plane = component.plane;
  *offset = map[*plane].offset[0];
  offset->first += component.first * offset->spacing;
  offset->spacing *= component.spacing;
  return TRUE;
}

static void
add_role(CcDirectionColor *color, const CcFrameLayout *planes, const CcPlaneMap *map, CcRole role) {
  guint plane;
  CcComponentOffset offset;
  if (!find_role(planes, map, role, &plane, &offset))
    return;
  if (role == CC_ROLE_LUMA)
    color->plane = plane;
  add_component(color, planes, plane, offset, role - CC_ROLE_LUMA);
}

/* Finds alpha or padding in the frame's plane that holds the first group. */
static void
find_passthrough(CcDirectionColor *color, const CcFrameLayout *planes, const CcPlaneMap *map) {
  guint plane;
  CcComponentOffset offset;
  for (CcRole role = CC_ROLE_ALPHA; role <= CC_ROLE_PADDING; role++) {
    if (!find_role(planes, map, role, &plane, &offset) ||
        offset.plane != color->group[0].offset[0].plane)
      continue;
    color->passthrough = CC_PASSTHROUGH_COPY;
    color->passthrough_role = role;
    color->passthrough_offset = offset;
  }
}

void
cc_direction_color_init(CcDirectionColor *color, const CcFrameLayout *planes,
                        const CcPlaneMap *map) {
  const gboolean is_rgb = map[0].kind == CC_PLANE_MAP_LUMA;
  *color = (CcDirectionColor){0};
  for (guint i = 0; is_rgb && i < 3; i++)
    add_component(color, planes, 0, map[0].offset[i], i);
  for (CcRole role = CC_ROLE_LUMA; !is_rgb && role <= CC_ROLE_CR; role++)
    add_role(color, planes, map, role);
  find_passthrough(color, planes, map);
  color->n_from = is_rgb ? 3 : 1;
  for (guint i = 0; i < color->n_from; i++)
    color->from[i] = color->group[0].offset[i];
  set_table(color, planes, is_rgb);
}
