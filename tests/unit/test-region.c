/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stride and regions in the plan: the rectangles that are read and written in each plane. */

#include "engine/plan/plan.h"
#include "tests/ref/formats.h"
#include "tests/ref/oracle.h"

#include <string.h>

/* Makes a plan, and finds the rectangles of the region. */
static CcPlan *
plan_for(const CcRoi *roi, guint stride, const CcFrameLayout *layout, CcPlacement *placement) {
  const CcFilter filter = {.kernel = cc_kernels_find("gaussian"), .stride = stride};
  CcRegion region;
  g_autoptr(GError) error = NULL;
  CcPlan *plan = cc_plan_new(&filter, layout, &error);
  g_assert_no_error(error);
  g_assert_true(cc_roi_find_region(roi, stride, layout, &region, &error));
  g_assert_no_error(error);
  cc_plan_place(plan, &region, placement);
  return plan;
}

static void
assert_refused(const CcRoi *roi, guint stride, const CcFrameLayout *layout) {
  CcRegion region;
  g_autoptr(GError) error = NULL;
  g_assert_false(cc_roi_find_region(roi, stride, layout, &region, &error));
  g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
}

static void
assert_rect(const CcRect *got, const CcRect *expected) {
  g_assert_cmpuint(got->x, ==, expected->x);
  g_assert_cmpuint(got->y, ==, expected->y);
  g_assert_cmpuint(got->width, ==, expected->width);
  g_assert_cmpuint(got->height, ==, expected->height);
}

/* Rectangles computed by hand for luma and chroma of 15x9 frames. */
static void
test_rectangles(void) {
  static const struct {
    const gchar *format;
    guint stride;
    CcRoi roi;
    CcRect source[2], target[2];
  } cases[] = {
      {"I420", 1, {.source = {0}}, {{0, 0, 15, 9}, {0, 0, 8, 5}}, {{0, 0, 15, 9}, {0, 0, 8, 5}}},
      {"I420", 2, {.source = {0}}, {{0, 0, 15, 9}, {0, 0, 8, 5}}, {{0, 0, 8, 5}, {0, 0, 4, 3}}},
      {"I420", 4, {.source = {0}}, {{0, 0, 15, 9}, {0, 0, 8, 5}}, {{0, 0, 4, 3}, {0, 0, 2, 2}}},
      /* odd edges: chroma covers every sample that luma touches */
      {"I420",
       1,
       {.source = {3, 1, 5, 4}},
       {{3, 1, 5, 4}, {1, 0, 3, 3}},
       {{3, 1, 5, 4}, {1, 0, 3, 3}}},
      {"Y42B",
       1,
       {.source = {3, 1, 5, 4}},
       {{3, 1, 5, 4}, {1, 1, 3, 4}},
       {{3, 1, 5, 4}, {1, 1, 3, 4}}},
      {"I420",
       2,
       {.source = {3, 1, 5, 4}},
       {{3, 1, 5, 4}, {1, 0, 3, 3}},
       {{1, 0, 3, 2}, {0, 0, 2, 2}}},
      /* the last pixel */
      {"I420",
       1,
       {.source = {14, 8, 1, 1}},
       {{14, 8, 1, 1}, {7, 4, 1, 1}},
       {{14, 8, 1, 1}, {7, 4, 1, 1}}},
      /* outside of the frame, and a result that does not fit */
      {"I420",
       1,
       {.source = {10, 6, 100, 100}, .target_set = TRUE, .target_x = 13, .target_y = 8},
       {{10, 6, 5, 3}, {5, 3, 3, 2}},
       {{13, 8, 2, 1}, {6, 4, 2, 1}}},
      {"I420",
       1,
       {.target_set = TRUE, .target_x = 4, .target_y = 3},
       {{0, 0, 15, 9}, {0, 0, 8, 5}},
       {{4, 3, 11, 6}, {2, 1, 6, 4}}},
      {"I420",
       1,
       {.source = {5, 4, 6, 5}, .target_set = TRUE},
       {{5, 4, 6, 5}, {2, 2, 4, 3}},
       {{0, 0, 6, 5}, {0, 0, 4, 3}}},
      /* sums that overflow an unsigned int */
      {"I420",
       1,
       {.source = {1, 1, G_MAXUINT, G_MAXUINT}},
       {{1, 1, 14, 8}, {0, 0, 8, 5}},
       {{1, 1, 14, 8}, {0, 0, 8, 5}}},
      /* an empty rectangle is the whole frame */
      {"I420",
       1,
       {.source = {3, 3, 4, 0}},
       {{0, 0, 15, 9}, {0, 0, 8, 5}},
       {{0, 0, 15, 9}, {0, 0, 8, 5}}},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFrameLayout layout =
        test_format_layout(test_format_find(cases[i].format), 15, 9, FALSE);
    CcPlacement got;
    g_autoptr(CcPlan) plan = plan_for(&cases[i].roi, cases[i].stride, &layout, &got);
    for (guint p = 0; p < 2; p++) {
      assert_rect(&got.source[p], &cases[i].source[p]);
      assert_rect(&got.target[p], &cases[i].target[p]);
    }
    assert_rect(&got.source[2], &got.source[1]);
    assert_rect(&got.target[2], &got.target[1]);
  }
}

/* Rectangles in packed 4:2:2: of the frame in groups, of luma and chroma in their own pixels.
 */
static void
test_rectangles_of_macropixels(void) {
  static const struct {
    guint width, stride;
    CcRoi roi;
    CcRect source, target;           /* of the frame */
    CcRect luma_source, luma_target; /* chroma has the frame's rectangles */
    guint repeats;
  } cases[] = {
      {15, 1, {.source = {0}}, {0, 0, 8, 9}, {0, 0, 8, 9}, {0, 0, 15, 9}, {0, 0, 15, 9}, 1},
      {16, 1, {.source = {0}}, {0, 0, 8, 9}, {0, 0, 8, 9}, {0, 0, 16, 9}, {0, 0, 16, 9}, 0},
      {15, 2, {.source = {0}}, {0, 0, 8, 9}, {0, 0, 4, 5}, {0, 0, 15, 9}, {0, 0, 8, 5}, 0},
      {17, 2, {.source = {0}}, {0, 0, 9, 9}, {0, 0, 5, 5}, {0, 0, 17, 9}, {0, 0, 9, 5}, 1},
      {17, 4, {.source = {0}}, {0, 0, 9, 9}, {0, 0, 3, 3}, {0, 0, 17, 9}, {0, 0, 5, 3}, 1},
      {1, 4, {.source = {0}}, {0, 0, 1, 9}, {0, 0, 1, 3}, {0, 0, 1, 9}, {0, 0, 1, 3}, 1},
      {15, 1, {.source = {4, 1, 6, 4}}, {2, 1, 3, 4}, {2, 1, 3, 4}, {4, 1, 6, 4}, {4, 1, 6, 4}, 0},
      /* to the end of the row */
      {15,
       1,
       {.source = {4, 1, 99, 4}},
       {2, 1, 6, 4},
       {2, 1, 6, 4},
       {4, 1, 11, 4},
       {4, 1, 11, 4},
       1},
      /* a result that does not fit is cut, also in the middle of a macropixel */
      {15,
       1,
       {.source = {0, 0, 8, 2}, .target_set = TRUE, .target_x = 10},
       {0, 0, 4, 2},
       {5, 0, 3, 2},
       {0, 0, 8, 2},
       {10, 0, 5, 2},
       1},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFrameLayout layout =
        test_format_layout(test_format_find("YUY2"), cases[i].width, 9, FALSE);
    CcPlacement got;
    g_autoptr(CcPlan) plan = plan_for(&cases[i].roi, cases[i].stride, &layout, &got);
    assert_rect(&got.frame_source[0], &cases[i].source);
    assert_rect(&got.frame_target[0], &cases[i].target);
    assert_rect(&got.source[0], &cases[i].luma_source);
    assert_rect(&got.target[0], &cases[i].luma_target);
    assert_rect(&got.source[1], &cases[i].source);
    assert_rect(&got.target[1], &cases[i].target);
    g_assert_cmpuint(got.repeats[0], ==, cases[i].repeats);
    g_assert_cmpuint(got.repeats[1], ==, 0);
  }
}

static gboolean
lies_inside(const CcRect *rect, const CcPlaneLayout *plane) {
  return rect->width >= 1 && rect->height >= 1 && rect->x + rect->width <= cc_plane_groups(plane) &&
         rect->y + rect->height <= plane->height;
}

/* Whether packed 4:2:2 of that width is read and written in whole macropixels, or to the end
 * of a row. */
static gboolean
keeps_macropixels(const CcRoi *roi, guint stride, guint width) {
  const gboolean is_part = roi->source.width && roi->source.height;
  const guint out_width = (width + stride - 1) / stride;
  const guint from = is_part ? roi->source.x : 0;
  const guint end = is_part ? MIN(from + roi->source.width, width) : width;
  const guint to = roi->target_set ? roi->target_x : from / stride;
  const guint out_end = to + (end - from + stride - 1) / stride;
  return from % 2 == 0 && to % 2 == 0 && (end % 2 == 0 || end == width) &&
         (out_end % 2 == 0 || out_end >= out_width);
}

/* Compares with the oracle's own arithmetic. */
static void
test_random_regions(void) {
  g_autoptr(GRand) rand = g_rand_new_with_seed(3);
  guint n_refused = 0;
  for (guint i = 0; i < 6000; i++) {
    const TestFormat *format = &test_formats[g_rand_int_range(rand, 0, (gint)test_formats_count())];
    const gint width = g_rand_int_range(rand, 1, 40), height = g_rand_int_range(rand, 1, 40);
    const CcFrameLayout layout = test_format_layout(format, (guint)width, (guint)height, FALSE);
    const CcFilter filter = {.stride = 1u << g_rand_int_range(rand, 0, 3)};
    CcRoi roi = {.target_set = g_rand_boolean(rand)};
    roi.source = (CcRect){
        (guint)g_rand_int_range(rand, 0, width), (guint)g_rand_int_range(rand, 0, height),
        (guint)g_rand_int_range(rand, 0, width + 5), (guint)g_rand_int_range(rand, 0, height + 5)};
    const CcFrameLayout out = oracle_out_layout(&filter, &layout);
    roi.target_x = (guint)g_rand_int_range(rand, 0, (gint)out.plane[0].width);
    roi.target_y = (guint)g_rand_int_range(rand, 0, (gint)out.plane[0].height);
    if (layout.plane[0].has_macropixels && !keeps_macropixels(&roi, filter.stride, (guint)width)) {
      assert_refused(&roi, filter.stride, &layout);
      n_refused++;
      continue;
    }
    CcPlacement got;
    g_autoptr(CcPlan) plan = plan_for(&roi, filter.stride, &layout, &got);
    g_assert_true(cc_frame_layout_equal(&plan->out_frame_layout, &out));
    for (guint p = 0; p < layout.n_planes; p++) {
      CcRect source, target;
      oracle_regions(&filter, &roi, &layout, p, &source, &target);
      assert_rect(&got.frame_source[p], &source);
      assert_rect(&got.frame_target[p], &target);
      g_assert_true(lies_inside(&source, &layout.plane[p]));
      g_assert_true(lies_inside(&target, &out.plane[p]));
    }
  }
  g_assert_cmpuint(n_refused, >, 100);
}

/* A whole frame covers every plane, also if the sizes of the planes are unrelated. */
static void
test_unrelated_planes(void) {
  const CcPlaneLayout plane = {.step = 1, .type = CC_SAMPLE_U8, .depth = 8};
  CcFrameLayout layout = {.n_planes = 3, .plane = {plane, plane, plane}};
  static const guint sizes[][2] = {{10, 10}, {7, 3}, {3, 12}};
  for (guint p = 0; p < 3; p++) {
    layout.plane[p].width = sizes[p][0];
    layout.plane[p].height = sizes[p][1];
  }
  CcPlacement got;
  g_autoptr(CcPlan) plan = plan_for(&(CcRoi){0}, 1, &layout, &got);
  for (guint p = 0; p < 3; p++) {
    const CcRect whole = {0, 0, sizes[p][0], sizes[p][1]};
    assert_rect(&got.source[p], &whole);
    assert_rect(&got.target[p], &whole);
  }
}

static void
test_shrink(void) {
  static const struct {
    guint width, height, stride;
    guint luma_width, luma_height, chroma_width, chroma_height;
  } cases[] = {
      {16, 8, 1, 16, 8, 8, 4}, {16, 8, 2, 8, 4, 4, 2}, {16, 8, 4, 4, 2, 2, 1},
      {15, 9, 2, 8, 5, 4, 3},  {15, 9, 4, 4, 3, 2, 2}, {1, 1, 4, 1, 1, 1, 1},
      {17, 3, 4, 5, 1, 3, 1},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFrameLayout layout =
        test_format_layout(test_format_find("P010_10LE"), cases[i].width, cases[i].height, TRUE);
    const CcFrameLayout got = cc_frame_layout_shrink(&layout, cases[i].stride);
    CcFrameLayout expected = layout;
    expected.plane[0].width = cases[i].luma_width;
    expected.plane[0].height = cases[i].luma_height;
    expected.plane[1].width = cases[i].chroma_width;
    expected.plane[1].height = cases[i].chroma_height;
    g_assert_true(cc_frame_layout_equal(&got, &expected));
  }
}

static void
test_refused(void) {
  static const struct {
    guint stride;
    CcRoi roi;
    const gchar *message;
    const gchar *format;
  } cases[] = {
      {3, {.source = {0}}, "stride=3: 1, 2 or 4 is needed", "I420"},
      {8, {.source = {0}}, "stride=8: 1, 2 or 4 is needed", "I420"},
      {1,
       {.source = {8, 2, 1, 3}},
       "roi=<8, 2, 1, 3>: outside of the frame; <x, y, width, height> with x below 8 "
       "and y below 6 is needed",
       "I420"},
      {1,
       {.source = {0, 6, 1, 1}},
       "roi=<0, 6, 1, 1>: outside of the frame; <x, y, width, height> with x below 8 "
       "and y below 6 is needed",
       "I420"},
      {1,
       {.target_set = TRUE, .target_x = 8},
       "target=<8, 0>: outside of the output frame; <x, y> with x below 8 and y below 6 is "
       "needed",
       "I420"},
      {2,
       {.target_set = TRUE, .target_x = 1, .target_y = 3},
       "target=<1, 3>: outside of the output frame; <x, y> with x below 4 and y below 3 is "
       "needed",
       "I420"},
      {1,
       {.target_set = TRUE, .target_y = G_MAXUINT},
       "target=<0, 4294967295>: outside of the output frame; <x, y> with x below 8 and y below 6 "
       "is needed",
       "I420"},
      {1,
       {.source = {3, 0, 2, 2}},
       "roi=<3, 0, 2, 2>, target=<3, 0>: in packed 4:2:2 regions must start and end "
       "at even columns",
       "UYVY"},
      {1,
       {.source = {2, 0, 4, 2}, .target_set = TRUE, .target_x = 1},
       "roi=<2, 0, 4, 2>, target=<1, 0>: in packed 4:2:2 regions must start and end "
       "at even columns",
       "YUY2"},
      {2,
       {.source = {0, 0, 2, 2}},
       "roi=<0, 0, 2, 2>, target=<0, 0>: in packed 4:2:2 regions must start and end "
       "at even columns",
       "YUY2"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFrameLayout layout = test_format_layout(test_format_find(cases[i].format), 8, 6, FALSE);
    const CcFilter filter = {.kernel = cc_kernels_find("sobel"), .stride = cases[i].stride};
    CcRegion region;
    g_autoptr(GError) error = NULL;
    g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, &error);
    g_assert_false(plan &&
                   cc_roi_find_region(&cases[i].roi, cases[i].stride, &layout, &region, &error));
    g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
    g_assert_cmpstr(error->message, ==, cases[i].message);
  }
}

/* A region that no frame contains is refused without a frame. */
static void
test_any_frame(void) {
  static const struct {
    guint stride;
    CcRoi roi;
    gboolean valid;
  } cases[] = {
      {1, {.source = {0}}, TRUE},
      {1, {.source = {7000, 7000, 1, 1}}, TRUE},
      {1, {.source = {G_MAXINT - 1, G_MAXINT - 1, G_MAXUINT, G_MAXUINT}}, TRUE},
      {2, {.target_set = TRUE, .target_x = G_MAXINT / 2}, TRUE},
      {1, {.source = {G_MAXINT, 0, 1, 1}}, FALSE},
      {1, {.source = {0, G_MAXUINT, 1, 1}}, FALSE},
      {2, {.target_set = TRUE, .target_x = G_MAXINT / 2 + 1}, FALSE},
      {1, {.target_set = TRUE, .target_y = G_MAXUINT}, FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    CcRegion region;
    g_autoptr(GError) error = NULL;
    const gboolean ok = cc_roi_find_region(&cases[i].roi, cases[i].stride, NULL, &region, &error);
    g_assert_cmpint(ok, ==, cases[i].valid);
    g_assert_cmpint(g_error_matches(error, CC_ERROR, CC_ERROR_INVALID), ==, !cases[i].valid);
  }
}

/* --- rectangles of detectors --- */

/* Regions computed by hand for rectangles in 15x9 frames. */
static void
test_detected(void) {
  static const struct {
    const gchar *format;
    guint stride;
    CcRect rect;
    CcRegion expected;
  } cases[] = {
      {"I420", 1, {3, 1, 5, 4}, {{3, 1, 5, 4}, 3, 1, 0}},
      {"I420", 2, {3, 1, 5, 4}, {{3, 1, 5, 4}, 1, 0, 0}},
      {"Y42B", 4, {9, 5, 5, 4}, {{9, 5, 5, 4}, 2, 1, 0}},
      /* cut to the frame */
      {"I420", 1, {10, 6, 100, 100}, {{10, 6, 5, 3}, 10, 6, 100}},
      {"I420", 1, {14, 8, G_MAXUINT, G_MAXUINT}, {{14, 8, 1, 1}, 14, 8, G_MAXUINT}},
      {"I420", 1, {0, 0, G_MAXUINT, G_MAXUINT}, {{0, 0, 15, 9}, 0, 0, G_MAXUINT}},
      {"UYVY", 1, {1, 1, G_MAXUINT - 1, G_MAXUINT - 1}, {{0, 1, 15, 8}, 0, 1, G_MAXUINT - 1}},
      /* widened to whole macropixels, or to the end of the row */
      {"YUY2", 1, {4, 1, 4, 4}, {{4, 1, 4, 4}, 4, 1, 0}},
      {"YUY2", 1, {3, 1, 2, 4}, {{2, 1, 4, 4}, 2, 1, 0}},
      {"YUY2", 1, {3, 1, 11, 4}, {{2, 1, 12, 4}, 2, 1, 0}},
      {"YUY2", 1, {13, 1, 2, 4}, {{12, 1, 3, 4}, 12, 1, 0}},
      {"UYVY", 1, {14, 8, 1, 1}, {{14, 8, 1, 1}, 14, 8, 0}},
      /* so that the result has whole macropixels too */
      {"YUY2", 2, {4, 1, 4, 4}, {{4, 1, 4, 4}, 2, 0, 0}},
      {"YUY2", 2, {6, 3, 3, 4}, {{4, 3, 8, 4}, 2, 1, 0}},
      {"YUY2", 2, {13, 3, 1, 1}, {{12, 3, 3, 1}, 6, 1, 0}},
      {"UYVY", 4, {7, 4, 1, 1}, {{0, 4, 8, 1}, 0, 1, 0}},
      {"UYVY", 4, {7, 4, 2, 1}, {{0, 4, 15, 1}, 0, 1, 0}},
      {"UYVY", 4, {8, 0, 1, 9}, {{8, 0, 7, 9}, 2, 0, 0}},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFrameLayout layout =
        test_format_layout(test_format_find(cases[i].format), 15, 9, FALSE);
    CcRegion got;
    g_assert_true(cc_rect_find_region(&cases[i].rect, cases[i].stride, &layout, &got));
    assert_rect(&got.source, &cases[i].expected.source);
    g_assert_cmpuint(got.target_x, ==, cases[i].expected.target_x);
    g_assert_cmpuint(got.target_y, ==, cases[i].expected.target_y);
    g_assert_cmpuint(got.given_side, ==, cases[i].expected.given_side);
  }
}

/* Empty rectangles, and rectangles outside of the frame. */
static void
test_undetected(void) {
  static const CcRect rects[] = {
      {3, 3, 0, 4},
      {3, 3, 4, 0},
      {0, 0, 0, 0},
      {15, 0, 1, 1},
      {0, 9, 1, 1},
      {16, 0, 4, 4},
      {15, 0, G_MAXUINT, 9},
      {0, G_MAXUINT, 15, G_MAXUINT},
      {G_MAXUINT, 0, 2, 2}, /* x + width overflows to 1 */
      {G_MAXUINT, G_MAXUINT, G_MAXUINT, G_MAXUINT},
      {0, 0, G_MAXUINT, 0},
  };
  static const gchar *const formats[] = {"I420", "YUY2"};
  for (guint f = 0; f < G_N_ELEMENTS(formats); f++)
    for (guint i = 0; i < G_N_ELEMENTS(rects); i++)
      for (guint stride = 1; stride <= 4; stride *= 2) {
        const CcFrameLayout layout = test_format_layout(test_format_find(formats[f]), 15, 9, FALSE);
        CcRegion region;
        g_assert_false(cc_rect_find_region(&rects[i], stride, &layout, &region));
      }
}

/* Returns a number that is mostly below n + 5, else near the largest. */
static guint
random_number(GRand *rand, guint n) {
  const guint small = (guint)g_rand_int_range(rand, 0, (gint)n + 5);
  return g_rand_int_range(rand, 0, 8) ? small : G_MAXUINT - small;
}

/* Returns the end of n numbers from `from` on, but at most `size`. */
static guint
cut_end(guint from, guint n, guint size) {
  return (guint)MIN((guint64)from + n, size);
}

/* The region of a rectangle is inside of the frame, contains the part of the rectangle that is
 * inside, and is no wider than macropixels require. It is valid as a region of a user. */
static void
test_random_rectangles(void) {
  g_autoptr(GRand) rand = g_rand_new_with_seed(5);
  guint n_found = 0, n_widened = 0;
  const guint n_rects = 20000;
  for (guint i = 0; i < n_rects; i++) {
    const TestFormat *format = &test_formats[g_rand_int_range(rand, 0, (gint)test_formats_count())];
    const guint width = (guint)g_rand_int_range(rand, 1, 40);
    const guint height = (guint)g_rand_int_range(rand, 1, 40);
    const guint stride = 1u << g_rand_int_range(rand, 0, 3);
    const CcFrameLayout layout = test_format_layout(format, width, height, FALSE);
    const CcRect rect = {random_number(rand, width), random_number(rand, height),
                         random_number(rand, width), random_number(rand, height)};
    const guint right = cut_end(rect.x, rect.width, width);
    const guint below = cut_end(rect.y, rect.height, height);
    CcRegion got, of_roi;
    const gboolean found = cc_rect_find_region(&rect, stride, &layout, &got);
    g_assert_cmpint(found, ==, rect.x < right && rect.y < below);
    if (!found)
      continue;
    n_found++;
    g_assert_cmpuint(got.source.y, ==, rect.y);
    g_assert_cmpuint(got.source.height, ==, below - rect.y);
    const guint max_added = layout.plane[0].has_macropixels ? 2 * stride - 1 : 0;
    const guint got_right = got.source.x + got.source.width;
    g_assert_cmpuint(got.source.x, <=, rect.x);
    g_assert_cmpuint(rect.x - got.source.x, <=, max_added);
    g_assert_cmpuint(got_right, >=, right);
    g_assert_cmpuint(got_right - right, <=, max_added);
    g_assert_cmpuint(got_right, <=, width);
    n_widened += got.source.width > right - rect.x;

    const CcRoi roi = {.source = got.source};
    g_assert_true(!layout.plane[0].has_macropixels || keeps_macropixels(&roi, stride, width));
    g_assert_true(cc_roi_find_region(&roi, stride, &layout, &of_roi, NULL));
    assert_rect(&of_roi.source, &got.source);
    g_assert_cmpuint(of_roi.target_x, ==, got.target_x);
    g_assert_cmpuint(of_roi.target_y, ==, got.target_y);
  }
  g_assert_cmpuint(n_found, >, n_rects / 4);
  g_assert_cmpuint(n_widened, >, 100);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/region/rectangles", test_rectangles);
  g_test_add_func("/region/rectangles-of-pairs", test_rectangles_of_macropixels);
  g_test_add_func("/region/random", test_random_regions);
  g_test_add_func("/region/unrelated-planes", test_unrelated_planes);
  g_test_add_func("/region/shrink", test_shrink);
  g_test_add_func("/region/refused", test_refused);
  g_test_add_func("/region/any-frame", test_any_frame);
  g_test_add_func("/region/detected", test_detected);
  g_test_add_func("/region/undetected", test_undetected);
  g_test_add_func("/region/random-rectangles", test_random_rectangles);
  return g_test_run();
}
