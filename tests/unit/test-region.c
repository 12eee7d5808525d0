/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stride and regions in the plan: the rectangles that are read and written in each plane. */

#include "engine/plan/plan.h"
#include "tests/ref/formats.h"
#include "tests/ref/oracle.h"

#include <string.h>

/* Makes the plan, and finds the rectangles of the filter's region. */
static CcPlan *
plan_for(const CcFilter *requested, const CcFrameLayout *layout, CcPlacement *placement) {
  CcFilter filter = *requested;
  CcRegion region;
  filter.kernel = cc_kernels_find("gaussian");
  g_autoptr(GError) error = NULL;
  CcPlan *plan = cc_plan_new(&filter, layout, &error);
  g_assert_no_error(error);
  g_assert_true(cc_filter_find_region(&filter, layout, &region, &error));
  g_assert_no_error(error);
  cc_plan_place(plan, &region, placement);
  return plan;
}

static void
assert_refused(const CcFilter *region, const CcFrameLayout *layout) {
  CcRegion found;
  g_autoptr(GError) error = NULL;
  g_assert_false(cc_filter_find_region(region, layout, &found, &error));
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
    CcFilter region;
    CcRect source[2], target[2];
  } cases[] = {
      {"I420", {0}, {{0, 0, 15, 9}, {0, 0, 8, 5}}, {{0, 0, 15, 9}, {0, 0, 8, 5}}},
      {"I420", {.stride = 2}, {{0, 0, 15, 9}, {0, 0, 8, 5}}, {{0, 0, 8, 5}, {0, 0, 4, 3}}},
      {"I420", {.stride = 4}, {{0, 0, 15, 9}, {0, 0, 8, 5}}, {{0, 0, 4, 3}, {0, 0, 2, 2}}},
      /* odd edges: chroma covers every sample that luma touches */
      {"I420",
       {.source = {3, 1, 5, 4}},
       {{3, 1, 5, 4}, {1, 0, 3, 3}},
       {{3, 1, 5, 4}, {1, 0, 3, 3}}},
      {"Y42B",
       {.source = {3, 1, 5, 4}},
       {{3, 1, 5, 4}, {1, 1, 3, 4}},
       {{3, 1, 5, 4}, {1, 1, 3, 4}}},
      {"I420",
       {.source = {3, 1, 5, 4}, .stride = 2},
       {{3, 1, 5, 4}, {1, 0, 3, 3}},
       {{1, 0, 3, 2}, {0, 0, 2, 2}}},
      /* the last pixel */
      {"I420",
       {.source = {14, 8, 1, 1}},
       {{14, 8, 1, 1}, {7, 4, 1, 1}},
       {{14, 8, 1, 1}, {7, 4, 1, 1}}},
      /* outside of the frame, and a result that does not fit */
      {"I420",
       {.source = {10, 6, 100, 100}, .target_set = TRUE, .target_x = 13, .target_y = 8},
       {{10, 6, 5, 3}, {5, 3, 3, 2}},
       {{13, 8, 2, 1}, {6, 4, 2, 1}}},
      {"I420",
       {.target_set = TRUE, .target_x = 4, .target_y = 3},
       {{0, 0, 15, 9}, {0, 0, 8, 5}},
       {{4, 3, 11, 6}, {2, 1, 6, 4}}},
      {"I420",
       {.source = {5, 4, 6, 5}, .target_set = TRUE},
       {{5, 4, 6, 5}, {2, 2, 4, 3}},
       {{0, 0, 6, 5}, {0, 0, 4, 3}}},
      /* sums that overflow an unsigned int */
      {"I420",
       {.source = {1, 1, G_MAXUINT, G_MAXUINT}},
       {{1, 1, 14, 8}, {0, 0, 8, 5}},
       {{1, 1, 14, 8}, {0, 0, 8, 5}}},
      /* an empty rectangle is the whole frame */
      {"I420",
       {.source = {3, 3, 4, 0}},
       {{0, 0, 15, 9}, {0, 0, 8, 5}},
       {{0, 0, 15, 9}, {0, 0, 8, 5}}},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFrameLayout layout =
        test_format_layout(test_format_find(cases[i].format), 15, 9, FALSE);
    CcPlacement got;
    g_autoptr(CcPlan) plan = plan_for(&cases[i].region, &layout, &got);
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
    guint width;
    CcFilter region;
    CcRect source, target;           /* of the frame */
    CcRect luma_source, luma_target; /* chroma has the frame's rectangles */
    guint repeats;
  } cases[] = {
      {15, {0}, {0, 0, 8, 9}, {0, 0, 8, 9}, {0, 0, 15, 9}, {0, 0, 15, 9}, 1},
      {16, {0}, {0, 0, 8, 9}, {0, 0, 8, 9}, {0, 0, 16, 9}, {0, 0, 16, 9}, 0},
      {15, {.stride = 2}, {0, 0, 8, 9}, {0, 0, 4, 5}, {0, 0, 15, 9}, {0, 0, 8, 5}, 0},
      {17, {.stride = 2}, {0, 0, 9, 9}, {0, 0, 5, 5}, {0, 0, 17, 9}, {0, 0, 9, 5}, 1},
      {17, {.stride = 4}, {0, 0, 9, 9}, {0, 0, 3, 3}, {0, 0, 17, 9}, {0, 0, 5, 3}, 1},
      {1, {.stride = 4}, {0, 0, 1, 9}, {0, 0, 1, 3}, {0, 0, 1, 9}, {0, 0, 1, 3}, 1},
      {15, {.source = {4, 1, 6, 4}}, {2, 1, 3, 4}, {2, 1, 3, 4}, {4, 1, 6, 4}, {4, 1, 6, 4}, 0},
      /* to the end of the row */
      {15, {.source = {4, 1, 99, 4}}, {2, 1, 6, 4}, {2, 1, 6, 4}, {4, 1, 11, 4}, {4, 1, 11, 4}, 1},
      /* a result that does not fit is cut, also in the middle of a macropixel */
      {15,
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
    g_autoptr(CcPlan) plan = plan_for(&cases[i].region, &layout, &got);
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
keeps_macropixels(const CcFilter *filter, guint width) {
  const gboolean is_part = filter->source.width && filter->source.height;
  const guint out_width = (width + filter->stride - 1) / filter->stride;
  const guint from = is_part ? filter->source.x : 0;
  const guint end = is_part ? MIN(from + filter->source.width, width) : width;
  const guint to = filter->target_set ? filter->target_x : from / filter->stride;
  const guint out_end = to + (end - from + filter->stride - 1) / filter->stride;
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
    CcFilter filter = {.stride = 1u << g_rand_int_range(rand, 0, 3),
                       .target_set = g_rand_boolean(rand)};
    filter.source = (CcRect){
        (guint)g_rand_int_range(rand, 0, width), (guint)g_rand_int_range(rand, 0, height),
        (guint)g_rand_int_range(rand, 0, width + 5), (guint)g_rand_int_range(rand, 0, height + 5)};
    const CcFrameLayout out = oracle_out_layout(&filter, &layout);
    filter.target_x = (guint)g_rand_int_range(rand, 0, (gint)out.plane[0].width);
    filter.target_y = (guint)g_rand_int_range(rand, 0, (gint)out.plane[0].height);
    if (layout.plane[0].has_macropixels && !keeps_macropixels(&filter, (guint)width)) {
      assert_refused(&filter, &layout);
      n_refused++;
      continue;
    }
    CcPlacement got;
    g_autoptr(CcPlan) plan = plan_for(&filter, &layout, &got);
    g_assert_true(cc_frame_layout_equal(&plan->out_frame_layout, &out));
    for (guint p = 0; p < layout.n_planes; p++) {
      CcRect source, target;
      oracle_regions(&filter, &layout, p, &source, &target);
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
  g_autoptr(CcPlan) plan = plan_for(&(CcFilter){0}, &layout, &got);
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
    CcFilter region;
    const gchar *message;
    const gchar *format;
  } cases[] = {
      {{.stride = 3}, "stride=3: 1, 2 or 4 is needed", "I420"},
      {{.stride = 8}, "stride=8: 1, 2 or 4 is needed", "I420"},
      {{.source = {8, 2, 1, 3}},
       "roi=<8, 2, 1, 3>: outside of the frame; <x, y, width, height> with x below 8 "
       "and y below 6 is needed",
       "I420"},
      {{.source = {0, 6, 1, 1}},
       "roi=<0, 6, 1, 1>: outside of the frame; <x, y, width, height> with x below 8 "
       "and y below 6 is needed",
       "I420"},
      {{.target_set = TRUE, .target_x = 8},
       "target=<8, 0>: outside of the output frame; <x, y> with x below 8 and y below 6 is "
       "needed",
       "I420"},
      {{.target_set = TRUE, .target_x = 1, .target_y = 3, .stride = 2},
       "target=<1, 3>: outside of the output frame; <x, y> with x below 4 and y below 3 is "
       "needed",
       "I420"},
      {{.target_set = TRUE, .target_y = G_MAXUINT},
       "target=<0, 4294967295>: outside of the output frame; <x, y> with x below 8 and y below 6 "
       "is needed",
       "I420"},
      {{.source = {3, 0, 2, 2}},
       "roi=<3, ..., 2, ...> target=<3, ...>: in packed 4:2:2 regions must start and end "
       "at even columns",
       "UYVY"},
      {{.source = {2, 0, 4, 2}, .target_set = TRUE, .target_x = 1},
       "roi=<2, ..., 4, ...> target=<1, ...>: in packed 4:2:2 regions must start and end "
       "at even columns",
       "YUY2"},
      {{.source = {0, 0, 2, 2}, .stride = 2},
       "roi=<0, ..., 2, ...> target=<0, ...>: in packed 4:2:2 regions must start and end "
       "at even columns",
       "YUY2"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFrameLayout layout = test_format_layout(test_format_find(cases[i].format), 8, 6, FALSE);
    CcFilter filter = cases[i].region;
    filter.kernel = cc_kernels_find("sobel");
    CcRegion region;
    g_autoptr(GError) error = NULL;
    g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, &error);
    g_assert_false(plan && cc_filter_find_region(&filter, &layout, &region, &error));
    g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
    g_assert_cmpstr(error->message, ==, cases[i].message);
  }
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
  return g_test_run();
}
