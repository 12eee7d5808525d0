/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "direction_color.h"

#include <math.h>

/* --- the table --- */

#define SEXTANT_BITS 8 /* a sixth of the circle has so many bits */

/* Code values of the table are fractions of small terms, which come no closer to a half than some
 * 1e-5 unless they are one. This makes those round up whatever double made of them. */
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
set_rgb(CcHue *hue, guint index, const guint rgb[3], guint depth) {
  const guint most = (1u << depth) - 1;
  for (guint c = 0; c < 3; c++)
    hue->word[c][index] = (guint16)((rgb[c] * most + 127) / 255);
}

static guint16
code_of(gdouble value, guint depth) {
  return (guint16)CLAMP(floor(value + 0.5 + NUDGE), 0, (1 << depth) - 1);
}

static void
set_yuv(CcHue *hue, guint index, const guint rgb[3], const CcFrameLayout *planes, guint depth) {
  const gboolean known = planes->kr > 0 && planes->kb > 0;
  const gdouble kr = known ? planes->kr : CC_DEFAULT_KR, kb = known ? planes->kb : CC_DEFAULT_KB;
  const gdouble luma = (kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2]) / 255;
  const gdouble cb = (rgb[2] / 255.0 - luma) / (2 * (1 - kb));
  const gdouble cr = (rgb[0] / 255.0 - luma) / (2 * (1 - kr));
  const gdouble unit = 1 << (depth - 8), most = (1 << depth) - 1, middle = 128 * unit;
  const gboolean limited = planes->limited_range;
  const gdouble chroma_range = limited ? 224 * unit : most;
  hue->word[0][index] = code_of(limited ? (16 + 219 * luma) * unit : most * luma, depth);
  hue->word[1][index] = code_of(middle + chroma_range * cb, depth);
  hue->word[2][index] = code_of(middle + chroma_range * cr, depth);
}

static void
set_table(CcHue *hue, const CcFrameLayout *planes, gboolean is_rgb) {
  const CcPlaneLayout *plane = &planes->plane[hue->plane];
  for (guint i = 0; i < CC_HUE_INDICES; i++) {
    guint rgb[3];
    cc_hue_color(i, rgb);
    if (is_rgb)
      set_rgb(hue, i, rgb, plane->depth);
    else
      set_yuv(hue, i, rgb, planes, plane->depth);
    for (guint c = 0; c < 3; c++)
      hue->word[c][i] = (guint16)(hue->word[c][i] << plane->shift);
  }
}

/* --- fields --- */

/* The pixels that one of `n` samples stands for when the picture has `picture`: the least power of
 * two for which there are enough. */
static guint
pixels_of_sample(guint picture, guint n) {
  guint each = 1;
  while (picture / each + (picture % each != 0) > n)
    each *= 2;
  return each;
}

/* Adds a component to the last field, or to one of its own when it stands for other pixels than
 * that. */
static void
add_component(CcHue *hue, const CcFrameLayout *planes, guint plane, CcPlace place,
              guint component) {
  const CcPlaneLayout *pixels = &planes->plane[hue->plane], *layout = &planes->plane[plane];
  const guint across = pixels_of_sample(pixels->width, layout->width);
  const guint down = pixels_of_sample(pixels->height, layout->height);
  CcHueField *field = &hue->field[MAX(hue->n_fields, 1) - 1];
  if (hue->n_fields == 0 || field->across != across || field->down != down) {
    field = &hue->field[hue->n_fields++];
    *field = (CcHueField){.plane = plane, .across = across, .down = down};
  }
  field->place[field->n] = place;
  field->component[field->n++] = component;
}

/* The plane and the component that have a role, and where they lie in the frame. FALSE: none does.
 */
static gboolean
find_role(const CcFrameLayout *planes, const CcPacking *packing, CcRole role, guint *plane,
          CcPlace *place) {
  CcPlace component;
  if (!cc_frame_layout_find_role(planes, role, &component))
    return FALSE;
  *plane = component.plane;
  *place = packing[*plane].place[0];
  place->first += component.first * place->spacing;
  place->spacing *= component.spacing;
  return TRUE;
}

/* Adds luma or chroma where it lies in the frame. */
static void
add_role(CcHue *hue, const CcFrameLayout *planes, const CcPacking *packing, CcRole role) {
  guint plane;
  CcPlace place;
  if (!find_role(planes, packing, role, &plane, &place))
    return;
  if (role == CC_ROLE_LUMA)
    hue->plane = plane;
  add_component(hue, planes, plane, place, role - CC_ROLE_LUMA);
}

/* Alpha or padding of the first field's plane of the frame. */
static void
find_aside(CcHue *hue, const CcFrameLayout *planes, const CcPacking *packing) {
  guint plane;
  CcPlace place;
  for (CcRole role = CC_ROLE_ALPHA; role <= CC_ROLE_PADDING; role++) {
    if (!find_role(planes, packing, role, &plane, &place) ||
        place.plane != hue->field[0].place[0].plane)
      continue;
    hue->aside = CC_ASIDE_COPY;
    hue->aside_role = role;
    hue->aside_place = place;
  }
}

void
cc_hue_init(CcHue *hue, const CcFrameLayout *planes, const CcPacking *packing) {
  const gboolean is_rgb = packing[0].kind == CC_PACKING_LUMA;
  *hue = (CcHue){0};
  for (guint i = 0; is_rgb && i < 3; i++)
    add_component(hue, planes, 0, packing[0].place[i], i);
  for (CcRole role = CC_ROLE_LUMA; !is_rgb && role <= CC_ROLE_CR; role++)
    add_role(hue, planes, packing, role);
  find_aside(hue, planes, packing);
  hue->n_from = is_rgb ? 3 : 1;
  for (guint i = 0; i < hue->n_from; i++)
    hue->from[i] = hue->field[0].place[i];
  set_table(hue, planes, is_rgb);
}
