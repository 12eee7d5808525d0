/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The plane map: the positions of luma and chroma in packed 4:2:2, and of R, G and B for luma.
 * Also that filtering them gives the same as filtering separate planes, with the plain loop, to
 * which tests/checkasm compares the fast code. */

#include "plugin/backends.h"
#include "cpu/isa.h"
#include "tests/ref/formats.h"
#include "tests/unit/filtered.h"

#include <string.h>

static CcFrameLayout
layout_of(const gchar *format, guint width, guint height) {
  return test_format_layout(test_format_find(format), width, height, TRUE);
}

static void
assert_offset(const CcComponentOffset *offset, guint plane, guint first, guint spacing) {
  g_assert_cmpuint(offset->plane, ==, plane);
  g_assert_cmpuint(offset->first, ==, first);
  g_assert_cmpuint(offset->spacing, ==, spacing);
}

/* --- cc_plane_map_find --- */

static void
test_macropixels(void) {
  static const struct {
    const gchar *format;
    guint luma;
    CcRole chroma[2];
  } cases[] = {
      {"YUY2", 0, {CC_ROLE_CB, CC_ROLE_CR}},
      {"UYVY", 1, {CC_ROLE_CB, CC_ROLE_CR}},
      {"YVYU", 0, {CC_ROLE_CR, CC_ROLE_CB}},
      {"VYUY", 1, {CC_ROLE_CR, CC_ROLE_CB}},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    for (guint width = 1; width <= 9; width++) {
      const CcFrameLayout frame = layout_of(cases[i].format, width, 3);
      CcFrameLayout planes, expected = layout_of("NV16", width, 3);
      CcPlaneMap map[CC_MAX_PLANES];
      expected.plane[1].role[0] = cases[i].chroma[0];
      expected.plane[1].role[1] = cases[i].chroma[1];
      g_assert_true(cc_plane_map_find(&frame, FALSE, &planes, map));
      g_assert_true(cc_frame_layout_equal(&planes, &expected));
      g_assert_false(cc_frame_layout_has_rgb(&frame));
      g_assert_cmpint(map[0].kind, ==, CC_PLANE_MAP_SPACED);
      g_assert_cmpint(map[1].kind, ==, CC_PLANE_MAP_SPACED);
      assert_offset(&map[0].offset[0], 0, cases[i].luma, 2);
      assert_offset(&map[1].offset[0], 0, 1 - cases[i].luma, 2);
    }
  }
}

static void
test_grey(void) {
  static const struct {
    const gchar *format;
    CcComponentOffset rgb[3];
    gint other; /* position of alpha or padding, which becomes a separate plane; -1: none */
    CcRole role;
  } cases[] = {
      {"RGB", {{0, 0, 3}, {0, 1, 3}, {0, 2, 3}}, -1, 0},
      {"BGR", {{0, 2, 3}, {0, 1, 3}, {0, 0, 3}}, -1, 0},
      {"RGBx", {{0, 0, 4}, {0, 1, 4}, {0, 2, 4}}, 3, CC_ROLE_PADDING},
      {"BGRx", {{0, 2, 4}, {0, 1, 4}, {0, 0, 4}}, 3, CC_ROLE_PADDING},
      {"xRGB", {{0, 1, 4}, {0, 2, 4}, {0, 3, 4}}, 0, CC_ROLE_PADDING},
      {"xBGR", {{0, 3, 4}, {0, 2, 4}, {0, 1, 4}}, 0, CC_ROLE_PADDING},
      {"RGBA", {{0, 0, 4}, {0, 1, 4}, {0, 2, 4}}, 3, CC_ROLE_ALPHA},
      {"BGRA", {{0, 2, 4}, {0, 1, 4}, {0, 0, 4}}, 3, CC_ROLE_ALPHA},
      {"ARGB", {{0, 1, 4}, {0, 2, 4}, {0, 3, 4}}, 0, CC_ROLE_ALPHA},
      {"ABGR", {{0, 3, 4}, {0, 2, 4}, {0, 1, 4}}, 0, CC_ROLE_ALPHA},
      {"ARGB64", {{0, 1, 4}, {0, 2, 4}, {0, 3, 4}}, 0, CC_ROLE_ALPHA},
      {"GBR", {{2, 0, 1}, {0, 0, 1}, {1, 0, 1}}, -1, 0},
      {"RGBP", {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}}, -1, 0},
      {"GBR_12LE", {{2, 0, 1}, {0, 0, 1}, {1, 0, 1}}, -1, 0},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFrameLayout frame = layout_of(cases[i].format, 5, 3);
    CcFrameLayout planes;
    CcPlaneMap map[CC_MAX_PLANES];
    g_assert_true(cc_frame_layout_has_rgb(&frame));
    g_assert_true(cc_plane_map_find(&frame, TRUE, &planes, map));
    g_assert_cmpuint(planes.n_planes, ==, cases[i].other < 0 ? 1 : 2);
    g_assert_cmpuint(planes.plane[0].step, ==, 1);
    g_assert_cmpuint(planes.plane[0].width, ==, 5);
    g_assert_cmpint(planes.plane[0].role[0], ==, CC_ROLE_GREY);
    g_assert_cmpint(map[0].kind, ==, CC_PLANE_MAP_LUMA);
    for (guint c = 0; c < 3; c++)
      assert_offset(&map[0].offset[c], cases[i].rgb[c].plane, cases[i].rgb[c].first,
                    cases[i].rgb[c].spacing);
    if (cases[i].other < 0)
      continue;
    g_assert_cmpint(planes.plane[1].role[0], ==, cases[i].role);
    g_assert_cmpint(map[1].kind, ==, CC_PLANE_MAP_SPACED);
    assert_offset(&map[1].offset[0], 0, (guint)cases[i].other, 4);
  }
}

/* All other formats are filtered in their own planes. */
static void
test_none(void) {
  for (const TestFormat *format = test_formats; format->name; format++) {
    const CcFrameLayout frame = test_format_layout(format, 7, 5, FALSE);
    CcFrameLayout planes;
    CcPlaneMap map[CC_MAX_PLANES];
    if (frame.plane[0].has_macropixels)
      continue;
    g_assert_false(cc_plane_map_find(&frame, FALSE, &planes, map));
    g_assert_true(cc_frame_layout_equal(&planes, &frame));
    for (guint p = 0; p < frame.n_planes; p++) {
      g_assert_cmpint(map[p].kind, ==, CC_PLANE_MAP_NONE);
      assert_offset(&map[p].offset[0], p, 0, 1);
    }
  }
}

/* Grey changes nothing for formats without red, green and blue. */
static void
test_nothing_to_grey(void) {
  static const gchar *const formats[] = {"GRAY8", "NV12", "YUY2", "AYUV", "Y444_16LE"};
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
    const CcFrameLayout layout = layout_of(formats[i], 8, 4);
    const CcFilter filter = {.kernel = cc_kernels_find("gaussian"), .color = CC_COLOR_GREY};
    g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, NULL);
    g_assert_false(cc_frame_layout_has_rgb(&layout));
    for (guint p = 0; p < plan->layout.n_planes; p++)
      g_assert_cmpint(plan->map[p].kind, !=, CC_PLANE_MAP_LUMA);
  }
}

/* color=auto is grey for edge kernels only. */
static void
test_auto(void) {
  static const struct {
    const gchar *kernel;
    CcColor color;
    gboolean grey;
  } cases[] = {
      {"sobel", CC_COLOR_AUTO, TRUE},        {"laplacian", CC_COLOR_AUTO, TRUE},
      {"gaussian", CC_COLOR_AUTO, FALSE},    {"sharpen", CC_COLOR_AUTO, FALSE},
      {"sobel", CC_COLOR_COMPONENTS, FALSE}, {"sobel", CC_COLOR_GREY, TRUE},
      {"gaussian", CC_COLOR_GREY, TRUE},     {"emboss", CC_COLOR_AUTO, FALSE},
  };
  const CcFrameLayout layout = layout_of("RGB", 8, 4);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFilter filter = {.kernel = cc_kernels_find(cases[i].kernel), .color = cases[i].color};
    g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, NULL);
    g_assert_cmpint(plan->packed, ==, cases[i].grey);
    g_assert_cmpint(plan->map[0].kind, ==, cases[i].grey ? CC_PLANE_MAP_LUMA : CC_PLANE_MAP_NONE);
  }
}

static void
test_luma(void) {
  for (guint v = 0; v <= G_MAXUINT16; v++)
    g_assert_cmpuint(cc_luma_of(v, v, v), ==, v);
  /* the weights of BT.709: 0.2126, 0.7152, 0.0722 */
  g_assert_cmpuint(cc_luma_of(255, 0, 0), ==, 54);
  g_assert_cmpuint(cc_luma_of(0, 255, 0), ==, 182);
  g_assert_cmpuint(cc_luma_of(0, 0, 255), ==, 18);
  g_assert_cmpuint(cc_luma_of(65535, 0, 65535), ==, 18665);
}

/* --- results of the backend --- */

/* Makes a frame of another 8-bit format. Its sample i of plane p is sample first[p] + i * spacing
 * of the first plane of `from`. */
static GuardedFrame *
take_planes(const GuardedFrame *from, const gchar *format, const guint *first, guint spacing) {
  const CcFrameLayout layout =
      layout_of(format, from->layout.plane[0].width, from->layout.plane[0].height);
  GuardedFrame *to = guarded_frame_new(&layout, PLACEMENT_ALIGNED);
  for (guint p = 0; p < layout.n_planes; p++)
    for (guint y = 0; y < layout.plane[p].height; y++)
      for (guint i = 0; i < cc_plane_row_bytes(&layout.plane[p]); i++)
        guarded_frame_row(to, p, y)[i] = guarded_frame_row(from, 0, y)[first[p] + i * spacing];
  return to;
}

static void
assert_same(const GuardedFrame *a, const GuardedFrame *b) {
  gchar *message = NULL;
  frames_match(&a->layout, &a->frame, &b->frame, NULL, &message);
  g_assert_cmpstr(message, ==, NULL);
}

/* YUY2 and similar formats give the same samples as NV16. With an odd width the last luma is stored
 * twice, and its second sample in the input is never read. */
static void
check_macropixels(const gchar *format, const CcFilter *filter, guint width) {
  const CcFrameLayout layout = layout_of(format, width, 5);
  const guint luma = layout.plane[0].role[0] == CC_ROLE_LUMA ? 0 : 1;
  const guint first[] = {luma, 1 - luma};
  g_autoptr(GRand) rand = g_rand_new_with_seed(width);
  g_autoptr(GuardedFrame) src = guarded_frame_new(&layout, PLACEMENT_AT_END);
  guarded_frame_draw(src, PATTERN_RANDOM, rand);
  g_autoptr(GuardedFrame) planes = take_planes(src, "NV16", first, 2);
  g_autoptr(GuardedFrame) got = filtered_frame_new(filter, "plain", 1, src);
  g_autoptr(GuardedFrame) expected = filtered_frame_new(filter, "plain", 1, planes);
  g_autoptr(GuardedFrame) got_planes = take_planes(got, "NV16", first, 2);
  assert_same(expected, got_planes);
  const guint out_width = got->layout.plane[0].width;
  for (guint y = 0; out_width % 2 == 1 && y < got->layout.plane[0].height; y++) {
    const guint8 *last = guarded_frame_row(got, 0, y) + luma + 2 * (out_width - 1);
    g_assert_cmpuint(last[2], ==, last[0]);
  }
}

static void
test_odd_widths(void) {
  static const gchar *const formats[] = {"YUY2", "UYVY", "YVYU", "VYUY"};
  static const gchar *const kernels[] = {"gaussian", "sobel", "sharpen"};
  for (guint f = 0; f < G_N_ELEMENTS(formats); f++)
    for (guint k = 0; k < G_N_ELEMENTS(kernels); k++)
      for (guint width = 1; width <= 9; width++)
        for (guint stride = 1; stride <= 4; stride *= 2)
          for (gint chroma = 0; chroma < CC_N_CHROMAS; chroma++) {
            const CcFilter filter = {.kernel = cc_kernels_find(kernels[k]),
                                     .border = (CcBorder)((width + stride) % CC_N_BORDERS),
                                     .border_value = 0.3,
                                     .chroma = (CcChroma)chroma,
                                     .stride = stride};
            check_macropixels(formats[f], &filter, width);
          }
}

/* The grey of R, G and B is filtered as GRAY8 is, and so is alpha if it is filtered. */
static void
check_grey(const CcFilter *filter, guint width) {
  static const guint alpha[] = {3};
  const CcFrameLayout layout = layout_of("BGRA", width, 5);
  g_autoptr(GRand) rand = g_rand_new_with_seed(width);
  g_autoptr(GuardedFrame) src = guarded_frame_new(&layout, PLACEMENT_AT_END);
  guarded_frame_draw(src, PATTERN_RANDOM, rand);
  g_autoptr(GuardedFrame) grey = take_planes(src, "GRAY8", alpha, 4);
  g_autoptr(GuardedFrame) alphas = filtered_frame_new(filter, "plain", 1, grey);
  for (guint y = 0; y < 5; y++)
    for (guint x = 0; x < width; x++) {
      const guint8 *bgra = guarded_frame_row(src, 0, y) + 4 * x;
      guarded_frame_row(grey, 0, y)[x] =
          (guint8)((13933 * bgra[2] + 46871 * bgra[1] + 4732 * bgra[0] + 32768) / 65536);
    }
  g_autoptr(GuardedFrame) greys = filtered_frame_new(filter, "plain", 1, grey);
  g_autoptr(GuardedFrame) got = filtered_frame_new(filter, "plain", 1, src);
  for (guint c = 0; c < 4; c++) {
    g_autoptr(GuardedFrame) component = take_planes(got, "GRAY8", &c, 4);
    assert_same(c == 3 ? alphas : greys, component);
  }
}

static void
test_grey_result(void) {
  static const gchar *const kernels[] = {"gaussian", "sobel", "kirsch"};
  for (guint k = 0; k < G_N_ELEMENTS(kernels); k++)
    for (guint width = 1; width <= 9; width++)
      for (guint stride = 1; stride <= 4; stride *= 2) {
        const CcFilter filter = {.kernel = cc_kernels_find(kernels[k]),
                                 .color = CC_COLOR_GREY,
                                 .alpha = CC_ALPHA_FILTER,
                                 .border = CC_BORDER_REFLECT,
                                 .stride = stride};
        check_grey(&filter, width);
      }
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plane-map/macropixels", test_macropixels);
  g_test_add_func("/plane-map/grey", test_grey);
  g_test_add_func("/plane-map/none", test_none);
  g_test_add_func("/plane-map/nothing-to-grey", test_nothing_to_grey);
  g_test_add_func("/plane-map/auto", test_auto);
  g_test_add_func("/plane-map/luma", test_luma);
  g_test_add_func("/plane-map/odd-widths", test_odd_widths);
  g_test_add_func("/plane-map/grey-result", test_grey_result);
  return g_test_run();
}
