/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/ref/formats.h"

#include <string.h>

#define C CC_ROLE_COLOR
#define Y CC_ROLE_LUMA
#define U CC_ROLE_CHROMA
#define A CC_ROLE_ALPHA
#define X CC_ROLE_PADDING

#define U8 CC_SAMPLE_U8, 8, 0
#define U10 CC_SAMPLE_U16, 10, 0
#define U10_HIGH CC_SAMPLE_U16, 10, 6
#define U12 CC_SAMPLE_U16, 12, 0
#define U12_HIGH CC_SAMPLE_U16, 12, 4
#define U16 CC_SAMPLE_U16, 16, 0

const TestFormat test_formats[] = {
    {"GRAY8", U8, 1, {{1, 1, 1, {C}}}},
    {"GRAY16_LE", U16, 1, {{1, 1, 1, {C}}}},
    {"I420", U8, 3, {{1, 1, 1, {Y}}, {1, 2, 2, {U}}, {1, 2, 2, {U}}}},
    {"Y42B", U8, 3, {{1, 1, 1, {Y}}, {1, 2, 1, {U}}, {1, 2, 1, {U}}}},
    {"Y444", U8, 3, {{1, 1, 1, {Y}}, {1, 1, 1, {U}}, {1, 1, 1, {U}}}},
    {"NV12", U8, 2, {{1, 1, 1, {Y}}, {2, 2, 2, {U, U}}}},
    {"NV16", U8, 2, {{1, 1, 1, {Y}}, {2, 2, 1, {U, U}}}},
    {"RGB", U8, 1, {{3, 1, 1, {C, C, C}}}},
    {"RGBx", U8, 1, {{4, 1, 1, {C, C, C, X}}}},
    {"xRGB", U8, 1, {{4, 1, 1, {X, C, C, C}}}},
    {"RGBA", U8, 1, {{4, 1, 1, {C, C, C, A}}}},
    {"ARGB", U8, 1, {{4, 1, 1, {A, C, C, C}}}},
    {"AYUV", U8, 1, {{4, 1, 1, {A, Y, U, U}}}},
    {"GBR", U8, 3, {{1, 1, 1, {C}}, {1, 1, 1, {C}}, {1, 1, 1, {C}}}},
    {"I420_10LE", U10, 3, {{1, 1, 1, {Y}}, {1, 2, 2, {U}}, {1, 2, 2, {U}}}},
    {"I422_10LE", U10, 3, {{1, 1, 1, {Y}}, {1, 2, 1, {U}}, {1, 2, 1, {U}}}},
    {"Y444_10LE", U10, 3, {{1, 1, 1, {Y}}, {1, 1, 1, {U}}, {1, 1, 1, {U}}}},
    {"GBR_10LE", U10, 3, {{1, 1, 1, {C}}, {1, 1, 1, {C}}, {1, 1, 1, {C}}}},
    {"I420_12LE", U12, 3, {{1, 1, 1, {Y}}, {1, 2, 2, {U}}, {1, 2, 2, {U}}}},
    {"I422_12LE", U12, 3, {{1, 1, 1, {Y}}, {1, 2, 1, {U}}, {1, 2, 1, {U}}}},
    {"Y444_12LE", U12, 3, {{1, 1, 1, {Y}}, {1, 1, 1, {U}}, {1, 1, 1, {U}}}},
    {"GBR_12LE", U12, 3, {{1, 1, 1, {C}}, {1, 1, 1, {C}}, {1, 1, 1, {C}}}},
    {"P010_10LE", U10_HIGH, 2, {{1, 1, 1, {Y}}, {2, 2, 2, {U, U}}}},
    {"P012_LE", U12_HIGH, 2, {{1, 1, 1, {Y}}, {2, 2, 2, {U, U}}}},
    {"P016_LE", U16, 2, {{1, 1, 1, {Y}}, {2, 2, 2, {U, U}}}},
    {"Y444_16LE", U16, 3, {{1, 1, 1, {Y}}, {1, 1, 1, {U}}, {1, 1, 1, {U}}}},
    {"ARGB64", U16, 1, {{4, 1, 1, {A, C, C, C}}}},
    {NULL, U8, 0, {{0}}},
};

/* Formats that differ only in which colour a component is, which no filter can tell. */
static const gchar *const same_shape[][2] = {
    {"YV12", "I420"}, {"NV21", "NV12"}, {"BGR", "RGB"},   {"BGRx", "RGBx"},
    {"xBGR", "xRGB"}, {"BGRA", "RGBA"}, {"ABGR", "ARGB"}, {"RGBP", "GBR"},
};

guint
test_formats_count(void) {
  return G_N_ELEMENTS(test_formats) - 1;
}

const TestFormat *
test_format_find(const gchar *name) {
  for (guint i = 0; i < G_N_ELEMENTS(same_shape); i++)
    if (strcmp(same_shape[i][0], name) == 0)
      name = same_shape[i][1];
  for (const TestFormat *format = test_formats; format->name; format++)
    if (strcmp(format->name, name) == 0)
      return format;
  g_assert_not_reached();
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
  }
  return layout;
}
