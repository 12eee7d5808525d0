/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "direction_color.h"
#include "color.h"

/* --- the table --- */

#define SEXTANT_BITS 8 /* bits of an angle within a sixth of the circle */

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
set_table(CcDirectionColor *color, const CcFrameLayout *planes, gboolean is_rgb) {
  const CcPlaneLayout *plane = &planes->plane[color->plane];
  for (guint i = 0; i < CC_HUE_INDICES; i++) {
    guint rgb[3];
    guint16 code[3];
    cc_hue_color(i, rgb);
    if (is_rgb)
      cc_color_to_rgb(rgb, plane->depth, code);
    else
      cc_color_to_yuv(rgb, planes, plane->depth, code);
    for (guint c = 0; c < 3; c++)
      color->word[c][i] = (guint16)(code[c] << plane->shift);
  }
}

/* --- groups --- */

static void
add_component(CcDirectionColor *color, const CcFrameLayout *planes, guint plane,
              CcComponentOffset offset, guint component) {
  cc_component_groups_add(color->group, &color->n_groups, &planes->plane[color->plane],
                          &planes->plane[plane], plane, offset, component);
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
