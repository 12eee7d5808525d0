/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/ref/formats.h"
#include "tests/ref/roleletters.h"

#include <string.h>

#define U8 CC_SAMPLE_U8, 8, 0
#define U10 CC_SAMPLE_U16, 10, 0
#define U10_HIGH CC_SAMPLE_U16, 10, 6
#define U12 CC_SAMPLE_U16, 12, 0
#define U12_HIGH CC_SAMPLE_U16, 12, 4
#define U16 CC_SAMPLE_U16, 16, 0

const TestFormat test_formats[] = {
    {"GRAY8", U8, 1, {{1, 1, 1, {W}}}},
    {"GRAY16_LE", U16, 1, {{1, 1, 1, {W}}}},
    {"I420", U8, 3, {{1, 1, 1, {Y}}, {1, 2, 2, {U}}, {1, 2, 2, {V}}}},
    {"YV12", U8, 3, {{1, 1, 1, {Y}}, {1, 2, 2, {V}}, {1, 2, 2, {U}}}},
    {"Y42B", U8, 3, {{1, 1, 1, {Y}}, {1, 2, 1, {U}}, {1, 2, 1, {V}}}},
    {"Y444", U8, 3, {{1, 1, 1, {Y}}, {1, 1, 1, {U}}, {1, 1, 1, {V}}}},
    {"NV12", U8, 2, {{1, 1, 1, {Y}}, {2, 2, 2, {U, V}}}},
    {"NV21", U8, 2, {{1, 1, 1, {Y}}, {2, 2, 2, {V, U}}}},
    {"NV16", U8, 2, {{1, 1, 1, {Y}}, {2, 2, 1, {U, V}}}},
    {"YUY2", U8, 1, {{4, 1, 1, {Y, U, Y, V}}}},
    {"UYVY", U8, 1, {{4, 1, 1, {U, Y, V, Y}}}},
    {"YVYU", U8, 1, {{4, 1, 1, {Y, V, Y, U}}}},
    {"VYUY", U8, 1, {{4, 1, 1, {V, Y, U, Y}}}},
    {"RGB", U8, 1, {{3, 1, 1, {R, G, B}}}},
    {"BGR", U8, 1, {{3, 1, 1, {B, G, R}}}},
    {"RGBx", U8, 1, {{4, 1, 1, {R, G, B, X}}}},
    {"BGRx", U8, 1, {{4, 1, 1, {B, G, R, X}}}},
    {"xRGB", U8, 1, {{4, 1, 1, {X, R, G, B}}}},
    {"xBGR", U8, 1, {{4, 1, 1, {X, B, G, R}}}},
    {"RGBA", U8, 1, {{4, 1, 1, {R, G, B, A}}}},
    {"BGRA", U8, 1, {{4, 1, 1, {B, G, R, A}}}},
    {"ARGB", U8, 1, {{4, 1, 1, {A, R, G, B}}}},
    {"ABGR", U8, 1, {{4, 1, 1, {A, B, G, R}}}},
    {"AYUV", U8, 1, {{4, 1, 1, {A, Y, U, V}}}},
    {"GBR", U8, 3, {{1, 1, 1, {G}}, {1, 1, 1, {B}}, {1, 1, 1, {R}}}},
    {"RGBP", U8, 3, {{1, 1, 1, {R}}, {1, 1, 1, {G}}, {1, 1, 1, {B}}}},
    {"I420_10LE", U10, 3, {{1, 1, 1, {Y}}, {1, 2, 2, {U}}, {1, 2, 2, {V}}}},
    {"I422_10LE", U10, 3, {{1, 1, 1, {Y}}, {1, 2, 1, {U}}, {1, 2, 1, {V}}}},
    {"Y444_10LE", U10, 3, {{1, 1, 1, {Y}}, {1, 1, 1, {U}}, {1, 1, 1, {V}}}},
    {"P010_10LE", U10_HIGH, 2, {{1, 1, 1, {Y}}, {2, 2, 2, {U, V}}}},
    {"GBR_10LE", U10, 3, {{1, 1, 1, {G}}, {1, 1, 1, {B}}, {1, 1, 1, {R}}}},
    {"I420_12LE", U12, 3, {{1, 1, 1, {Y}}, {1, 2, 2, {U}}, {1, 2, 2, {V}}}},
    {"I422_12LE", U12, 3, {{1, 1, 1, {Y}}, {1, 2, 1, {U}}, {1, 2, 1, {V}}}},
    {"Y444_12LE", U12, 3, {{1, 1, 1, {Y}}, {1, 1, 1, {U}}, {1, 1, 1, {V}}}},
    {"P012_LE", U12_HIGH, 2, {{1, 1, 1, {Y}}, {2, 2, 2, {U, V}}}},
    {"GBR_12LE", U12, 3, {{1, 1, 1, {G}}, {1, 1, 1, {B}}, {1, 1, 1, {R}}}},
    {"P016_LE", U16, 2, {{1, 1, 1, {Y}}, {2, 2, 2, {U, V}}}},
    {"Y444_16LE", U16, 3, {{1, 1, 1, {Y}}, {1, 1, 1, {U}}, {1, 1, 1, {V}}}},
    {"ARGB64", U16, 1, {{4, 1, 1, {A, R, G, B}}}},
    {NULL, U8, 0, {{0}}},
};

guint
test_formats_count(void) {
  return G_N_ELEMENTS(test_formats) - 1;
}

const TestFormat *
test_format_find(const gchar *name) {
  for (const TestFormat *format = test_formats; format->name; format++)
    if (strcmp(format->name, name) == 0)
      return format;
  g_assert_not_reached();
}

static guint
count_luma(const CcPlaneLayout *plane) {
  guint n = 0;
  for (guint c = 0; c < plane->step; c++)
    n += plane->role[c] == CC_ROLE_LUMA;
  return n;
}

CcFrameLayout
test_format_layout(const TestFormat *format, guint width, guint height, gboolean limited_range) {
  CcFrameLayout layout = {.n_planes = format->n_planes, .limited_range = limited_range};
  for (guint p = 0; p < format->n_planes; p++) {
    guint columns = format->plane[p].columns, rows = format->plane[p].rows;
    CcPlaneLayout *plane = &layout.plane[p];
    plane->width = (width + columns - 1) / columns;
    plane->height = (height + rows - 1) / rows;
    plane->step = format->plane[p].step;
    plane->type = format->type;
    plane->depth = format->depth;
    plane->shift = format->shift;
    memcpy(plane->role, format->plane[p].role, sizeof plane->role);
    plane->has_macropixels = count_luma(plane) == 2;
  }
  return layout;
}
