/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/ref/testimage.h"

/* The scene is SCENE units wide and high, independent of the size of the image in pixels. Shades
 * are 0 to 65535. */
#define SCENE 1024
#define WHITE 65535
#define GLYPH_ROWS 7
#define NOISE 1500

static gint
triangle_wave(gint x, gint period, gint height) {
  gint phase = x % period;
  return (phase < period / 2 ? phase : period - phase) * 2 * height / period;
}

static gint
hill_top(gint x) {
  return 560 + triangle_wave(x + 130, 700, 180) / 2 - triangle_wave(x, 170, 40) +
         triangle_wave(x, 23, 6);
}

static gboolean
is_inside(gint x, gint y, gint left, gint top, gint width, gint height) {
  return x >= left && x < left + width && y >= top && y < top + height;
}

/* Returns whether a dot of a glyph is set. Glyphs are blocks of 5x7 dots. The dots depend only on
 * the position. */
static gboolean
is_glyph(gint x, gint y) {
  gint dot_x = (x - 60) / 4, dot_y = (y - 880) / 5;
  if (x < 60 || y < 880 || dot_x % 6 == 5 || dot_y % 9 >= GLYPH_ROWS)
    return FALSE;
  guint letter = (guint)(dot_x / 6 + dot_y / 9 * 41) * 2654435761u;
  return letter >> (dot_x % 6 * GLYPH_ROWS % 23 + dot_y % 9) & 1;
}

static gint
scene_shade(gint x, gint y) {
  gint sun_x = x - 790, sun_y = y - 190;
  gint sun = sun_x * sun_x + sun_y * sun_y;
  if (y >= 870)
    return is_glyph(x, y) ? 6000 : 61000;
  if (is_inside(x, y, 180, 500, 240, 230)) {
    if ((x - 180) % 80 > 24 && (x - 180) % 80 < 60 && (y - 500) % 75 > 20)
      return 9000 + (y - 500) * 20; /* windows */
    return (y - 500) % 12 == 0 ? 30000 : 43000 - (x - 180) * 30;
  }
  if (y > 380 && y < 500 && y - 380 > 2 * ABS(x - 300) - 170 && ABS(x - 300) < 145)
    return 22000 + (x + y) % 9 * 900; /* roof */
  if (sun < 70 * 70)
    return WHITE;
  if (y > hill_top(x))
    return 14000 + (y - hill_top(x)) * 45 + triangle_wave(3 * x + y, 31, 5000);
  return CLAMP(30000 + (SCENE - y) * 20 + (sun < 200 * 200 ? (200 * 200 - sun) / 4 : 0), 0, WHITE);
}

static guint
next_noise(guint32 *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

static guint
sample_code(gint shade, guint component, guint depth, guint32 *state) {
  /* other components have less contrast, and every second component is a negative */
  gint tinted = component == 0 ? shade : WHITE / 4 + shade / 2;
  if (component % 2 == 1)
    tinted = WHITE - tinted;
  gint noisy = tinted + (gint)(next_noise(state) % NOISE) - NOISE / 2;
  return (guint)CLAMP(noisy, 0, WHITE) >> (16 - depth);
}

static void
store_sample(guint8 *row, guint i, const CcPlaneLayout *plane, guint code) {
  guint word = code << plane->shift;
  if (plane->type == CC_SAMPLE_U8) {
    row[i] = (guint8)word;
  } else {
    row[2 * i] = (guint8)word;
    row[2 * i + 1] = (guint8)(word >> 8);
  }
}

void
test_image_draw(const CcFrameLayout *layout, const CcFrame *frame) {
  guint32 state = 1;
  for (guint p = 0; p < layout->n_planes; p++) {
    const CcPlaneLayout *plane = &layout->plane[p];
    guint n_groups = cc_plane_groups(plane);
    for (guint y = 0; y < plane->height; y++) {
      guint8 *row = frame->plane[p].data + (gssize)y * frame->plane[p].pitch;
      for (guint x = 0; x < n_groups; x++) {
        gint shade = scene_shade((gint)(x * SCENE / n_groups), (gint)(y * SCENE / plane->height));
        for (guint c = 0; c < plane->step; c++)
          store_sample(row, x * plane->step + c, plane,
                       sample_code(shade, p + c, plane->depth, &state));
      }
    }
  }
}

gchar *
test_image_checksum(const CcFrameLayout *layout, const CcFrame *frame) {
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  for (guint p = 0; p < layout->n_planes; p++) {
    const CcPlaneLayout *plane = &layout->plane[p];
    for (guint y = 0; y < plane->height; y++)
      g_checksum_update(checksum, frame->plane[p].data + (gssize)y * frame->plane[p].pitch,
                        (gssize)cc_plane_row_bytes(plane));
  }
  return g_strdup(g_checksum_get_string(checksum));
}
