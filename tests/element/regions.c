/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The properties roi, target, outside, roi-meta, roi-type and roi-sigma. The oracle or a second
 * element filters each region as a frame of its own. The result must be these frames, one over the
 * other, over a copy of the input or over black. */

#include "regionframes.h"

#include <math.h>
#include <string.h>

#include "layout.h"
#include "memory.h"
#include "tests/ref/oracle.h"

#define WIDTH 61
#define HEIGHT 35

static const gchar *const formats[] = {"GRAY8", "NV12", "RGB", "YUY2", "P010_10LE", "RGBA"};
static const gchar *const outsides[] = {"outside=copy", "outside=black"};

static gboolean
has_macropixels(const gchar *caps) {
  const CcFrameLayout layout = test_layout(caps);
  return layout.plane[0].has_macropixels;
}

/* --- pixels --- */

#define ROI(x, y, width, height)                                                                   \
  { {x, y, width, height}, FALSE, 0, 0 }
#define MOVED(x, y, width, height, to_x, to_y)                                                     \
  { {x, y, width, height}, TRUE, to_x, to_y }

/* Multiples of 8 columns suit packed 4:2:2 with every stride. Targets are for stride=1. */
static const TestRois sets[] = {
    {1, {ROI(8, 6, 16, 10)}},
    {4, {ROI(0, 2, 24, 16), ROI(16, 10, 80, 40), ROI(8, 4, 16, 9), ROI(56, 34, 8, 1)}},
    {3, {MOVED(8, 2, 16, 12, 24, 16), MOVED(0, 0, 61, 35, 40, 28), MOVED(16, 20, 8, 8, 0, 0)}},
    {2, {ROI(0, 0, 9999, 9999), ROI(24, 8, 8, 8)}},
    {4, {ROI(1, 1, 1, 1), ROI(3, 5, 7, 9), ROI(9, 13, 30, 17), ROI(60, 34, 1, 1)}},
    {2, {MOVED(5, 3, 21, 14, 33, 17), MOVED(60, 1, 1, 33, 3, 3)}},
};
enum { N_SETS = G_N_ELEMENTS(sets), N_EVEN_SETS = N_SETS - 2 };

static gboolean
is_on_cuda(void) {
  return g_str_equal(test_backend(), "cuda");
}

static guint
count_pixels(const TestRois *rois) {
  guint pixels = 0;
  for (guint i = 0; i < rois->n; i++) {
    const CcRect *r = &rois->roi[i].source;
    pixels += MIN(r->width, WIDTH - r->x) * MIN(r->height, HEIGHT - r->y);
  }
  return pixels;
}

/* Filters the frame from a buffer with a second user, and from a buffer without, which is filtered
 * in place if possible. With a device, that depends on the size of the frame too. */
static void
check(GstHarness *h, const CcFilter *filter, const TestRois *rois, const gchar *caps,
      GstBuffer *input, const gchar *what) {
  g_autofree gchar *out_caps = test_caps_divided(caps, filter->stride);
  g_autoptr(GstBuffer) expected = test_expect_rois(filter, rois, caps, input);
  g_autoptr(GstBuffer) before = gst_buffer_copy_deep(input);
  g_autoptr(GstBuffer) result = test_push_pull(h, gst_buffer_ref(input));
  test_assert_same_frame(out_caps, result, expected, what);
  test_assert_same_frame(caps, input, before, "the input");
  fail_if(result == input);

  const guint pixels = count_pixels(rois);
  const gboolean possible =
      filter->outside == CC_OUTSIDE_COPY && filter->stride == 1 && pixels <= WIDTH * HEIGHT;
  GstBuffer *alone = gst_buffer_copy_deep(input);
  g_autoptr(GstBuffer) other = test_push_pull(h, alone);
  fail_unless((other == alone) == possible || (possible && pixels > 0 && is_on_cuda()),
              "%s, %s: in place: %d", caps, what, !possible);
  test_assert_same_frame(out_caps, other, expected, what);
}

GST_START_TEST(every_format) {
  static const gchar *const filters[] = {
      "kernel=gaussian size=5",
      "kernel=box size=15 border=reflect alpha=filter chroma=filter",
      "kernel=sobel border=constant border-value=1",
      "kernel=sharpen border=wrap chroma=filter stride=2",
      "kernel=scharr stride=4",
      "kernel=laplacian border=reflect-101 threshold=0.25 mix=0.5",
      "kernel=sobel overlay=0xc0ff4000",
      "kernel=sobel response=canny low=60 high=400",
      "kernel=scharr response=canny-l1 low=2000 high=500 border=wrap invert=true",
      "kernel=gaussian size=7 stride=2 invert=true mix=-1.5",
      "kernel=gaussian size=5 border=wrap alpha=weighted",
      "kernel=box size=9 chroma-size=3 stride=2 border=reflect mix=0.5 alpha=weighted",
  };
  g_autofree gchar *caps = test_caps(test_formats_in_caps[__i__], WIDTH, HEIGHT);
  const guint n_sets = has_macropixels(caps) ? N_EVEN_SETS : N_SETS;
  for (guint f = 0; f < G_N_ELEMENTS(filters); f++) {
    CcFilter filter = test_filter_parse(filters[f]);
    GstHarness *h = test_harness_new(filters[f], caps);
    g_autoptr(GstBuffer) input = test_frame_regular(caps, f);
    for (guint s = 0; s < n_sets; s++) {
      if (!test_is_complete() && (s + f + (guint)__i__) % 3 != 0)
        continue;
      filter.outside = (s + f / 2 + (guint)__i__ / 3) % 2;
      TestRois rois = sets[s];
      for (guint i = 0; i < rois.n; i++) {
        rois.roi[i].target_x /= filter.stride;
        rois.roi[i].target_y /= filter.stride;
      }
      g_autofree gchar *what =
          g_strdup_printf("%s %s, regions %u", filters[f], outsides[filter.outside], s);
      test_set(h->element, outsides[filter.outside]);
      test_rois_set(h->element, &rois);
      check(h, &filter, &rois, caps, input, what);
    }
    test_teardown(h);
  }
}
GST_END_TEST;

/* --- metas --- */

static TestRois
metas_of_frame(guint i) {
  static const guint huge = G_MAXUINT;
  static const TestRois lists[] = {
      {1, {ROI(9, 5, 17, 11)}},
      {3, {ROI(9, 5, 17, 11), ROI(20, 9, 13, 15), ROI(2, 2, 12, 8)}},
      {.n = 0},
      {4, {ROI(51, 30, 40, 40), ROI(61, 0, 4, 4), ROI(0, 35, 9, 9), ROI(5, 5, 0, 7)}},
      {4,
       {ROI(huge, 3, huge, 3), ROI(7, 4, huge, huge - 1), ROI(huge, huge, 1, 1), ROI(1, 1, 3, 3)}},
      {2, {ROI(61, 35, 1, 1), ROI(0, 0, 0, 0)}},
  };
  if (i < G_N_ELEMENTS(lists))
    return lists[i];
  TestRois many = {0};
  for (guint k = 0; k < TEST_MAX_ROIS; k++)
    test_rois_add(&many, k * 7 % WIDTH, k * 11 % HEIGHT, 1 + k % 4, 1 + k % 3);
  return many;
}
enum { N_META_FRAMES = 7 };

/* The regions that the metas mean. They begin and end at multiples of `unit` columns. */
static TestRois
cut(const TestRois *metas, guint unit) {
  TestRois rois = {0};
  for (guint i = 0; i < metas->n; i++) {
    const CcRect *m = &metas->roi[i].source;
    const guint64 right = MIN((guint64)m->x + m->width, WIDTH);
    const guint64 below = MIN((guint64)m->y + m->height, HEIGHT);
    const guint x = m->x / unit * unit;
    const guint end = (guint)MIN((right + unit - 1) / unit * unit, WIDTH);
    if (m->x < right && m->y < below)
      test_rois_add(&rois, x, m->y, end - x, (guint)below - m->y);
  }
  return rois;
}

static void
assert_metas(GstBuffer *buffer, const TestRois *metas, guint stride) {
  const guint out_width = (WIDTH + stride - 1) / stride;
  gpointer state = NULL;
  GstMeta *meta;
  guint n = 0;
  while ((meta = gst_buffer_iterate_meta_filtered(buffer, &state,
                                                  GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *got = (GstVideoRegionOfInterestMeta *)meta;
    const CcRect *r = &metas->roi[n++].source;
    fail_unless(n <= metas->n);
    if (stride > 1 && (r->x > WIDTH || r->width > WIDTH))
      continue; /* GStreamer's product overflows */
    fail_unless_equals_int(got->x, (guint64)r->x * out_width / WIDTH);
    fail_unless_equals_int(got->w, (guint64)r->width * out_width / WIDTH);
  }
  fail_unless_equals_int(n, metas->n);
}

/* roi and target have no effect with roi-meta, even if they fit neither each other nor the caps. */
GST_START_TEST(metas) {
  static const gchar *const filters[] = {"kernel=gaussian size=5", "kernel=sobel outside=black",
                                         "kernel=sharpen stride=2",
                                         "kernel=sobel stride=4 outside=black"};
  g_autofree gchar *caps = test_caps(formats[__i__], WIDTH, HEIGHT);
  for (guint f = 0; f < G_N_ELEMENTS(filters); f++) {
    const CcFilter filter = test_filter_parse(filters[f]);
    g_autofree gchar *properties =
        g_strdup_printf("%s roi-meta=true roi=<99,9,1,2> target=\"<<1,1>,<2,2>>\"", filters[f]);
    GstHarness *h = test_harness_new(properties, caps);
    for (guint i = 0; i < N_META_FRAMES; i++) {
      if (!test_is_complete() && i == N_META_FRAMES - 1 && (f + (guint)__i__) % 3 != 0)
        continue; /* many metas take time */
      const TestRois all = metas_of_frame(i);
      const TestRois rois = cut(&all, has_macropixels(caps) ? 2 * filter.stride : 1);
      g_autofree gchar *what = g_strdup_printf("%s, metas %u", properties, i);
      g_autoptr(GstBuffer) input = test_frame_regular(caps, i);
      test_rois_attach(input, &all, "face");
      check(h, &filter, &rois, caps, input, what);
      g_autoptr(GstBuffer) result = test_push_pull(h, g_steal_pointer(&input));
      assert_metas(result, &all, filter.stride);
    }
    test_teardown(h);
  }
}
GST_END_TEST;

GST_START_TEST(types_of_metas) {
  static const TestRois faces = {2, {ROI(9, 5, 17, 11), ROI(2, 2, 12, 8)}};
  static const TestRois cars = {1, {ROI(20, 9, 13, 15)}}, none = {0};
  static const TestRois both = {3, {ROI(9, 5, 17, 11), ROI(2, 2, 12, 8), ROI(20, 9, 13, 15)}};
  static const struct {
    const gchar *type;
    const TestRois *chosen;
  } rows[] = {
      {NULL, &both}, {"car", &cars}, {"no such type", &none}, {"face", &faces}, {"", &both}};
  g_autofree gchar *caps = test_caps("NV12", WIDTH, HEIGHT);
  const CcFilter filter = test_filter_parse("kernel=box");
  GstHarness *h = test_harness_new("kernel=box roi-meta=true", caps);
  g_autoptr(GstBuffer) input = test_frame_random(caps, 1);
  test_rois_attach(input, &faces, "face");
  test_rois_attach(input, &cars, "car");
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_object_set(h->element, "roi-type", rows[i].type, NULL);
    check(h, &filter, rows[i].chosen, caps, input, rows[i].type);
  }
  test_teardown(h);
}
GST_END_TEST;

/* --- roi-sigma --- */

/* Copies a region of a frame to a frame of its own, or back. In subsampled formats the region must
 * begin at an even pixel. */
static void
copy_region(const gchar *caps, GstBuffer *whole, const gchar *part_caps, GstBuffer *part,
            const CcRoi *roi, gboolean to_part) {
  const CcFilter none = {0};
  TestFrame a, b;
  test_map(&a, caps, whole, GST_MAP_READWRITE);
  test_map(&b, part_caps, part, GST_MAP_READWRITE);
  for (guint p = 0; p < a.layout.n_planes; p++) {
    const CcPlaneLayout *plane = &a.layout.plane[p];
    const gsize size = plane->step * cc_sample_size(plane->type);
    CcRect r, unused;
    oracle_regions(&none, roi, &a.layout, p, &r, &unused);
    for (guint y = 0; y < r.height; y++) {
      guint8 *in_whole = test_row(&a, p, r.y + y) + r.x * size, *in_part = test_row(&b, p, y);
      memcpy(to_part ? in_part : in_whole, to_part ? in_whole : in_part, r.width * size);
    }
  }
  test_unmap(&b);
  test_unmap(&a);
}

/* Blurs a frame (taken): sigma is rounded up to a power of the fourth root of 2, which is at least
 * half a pixel. Above 21 pixels, the blur is three boxes of the first odd size whose sigma is large
 * enough, or of 127 pixels. */
static GstBuffer *
blur(const gchar *caps, GstBuffer *frame, gdouble wanted, const gchar *alpha) {
  gdouble sigma = 0.5;
  for (gint k = -3; sigma < wanted; k++)
    sigma = exp2(k / 4.0);
  g_autofree gchar *gaussian = g_strdup_printf("kernel=gaussian sigma=%.17g%s", sigma, alpha);
  if (sigma <= 21)
    return test_filter(gaussian, caps, frame);
  guint size = 1;
  while (size < 127 && (size * size - 1) / 4.0 < sigma * sigma)
    size += 2;
  g_autofree gchar *box = g_strdup_printf("kernel=box size=%u", size);
  for (guint i = 0; i < 3; i++)
    frame = test_filter(box, caps, frame);
  return frame;
}

static void
assert_counts(GstHarness *h, guint64 regions, guint64 limited) {
  g_autoptr(GstStructure) stats = test_stats(h->element);
  guint64 n = 0, n_limited = 0;
  fail_unless(gst_structure_get(stats, "regions", G_TYPE_UINT64, &n, "limited-regions",
                                G_TYPE_UINT64, &n_limited, NULL));
  fail_unless_equals_uint64(n, regions);
  fail_unless_equals_uint64(n_limited, limited);
}

/* RGBA has weighted alpha, with shares that need no boxes: three boxes in a row have one division,
 * unlike three filters. */
GST_START_TEST(sigma_of_each_region) {
  static const gdouble shares[] = {0.01, 0.1, 0.17, 0.3, 1};
  static const TestRois rois = {
      4, {ROI(0, 0, 8, 80), ROI(8, 4, 30, 32), ROI(40, 0, 70, 66), ROI(20, 30, 22, 20)}};
  const gchar *format = formats[__i__];
  const gboolean weighted = g_str_equal(format, "RGBA");
  const gchar *alpha = weighted ? " alpha=weighted" : "";
  g_autofree gchar *caps = test_caps(format, 120, 80);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  guint64 n = 0, n_limited = 0;
  test_rois_set(h->element, &rois);
  for (guint s = 0; s < (weighted ? 3 : G_N_ELEMENTS(shares)); s++) {
    g_autofree gchar *what = g_strdup_printf("roi-sigma=%g%s", shares[s], alpha);
    GstBuffer *input = test_frame_random(caps, s);
    g_autoptr(GstBuffer) expected = gst_buffer_copy_deep(input);
    for (guint i = 0; i < rois.n; i++) {
      const CcRect *r = &rois.roi[i].source;
      const gdouble wanted = shares[s] * MIN(r->width, r->height);
      g_autofree gchar *part_caps = test_caps(format, (gint)r->width, (gint)r->height);
      GstBuffer *part = test_frame_flat(part_caps, 0);
      copy_region(caps, input, part_caps, part, &rois.roi[i], TRUE);
      part = blur(part_caps, part, wanted, alpha);
      copy_region(caps, expected, part_caps, part, &rois.roi[i], FALSE);
      gst_buffer_unref(part);
      n_limited += wanted > sqrt((127 * 127 - 1) / 4.0);
    }
    test_set(h->element, what);
    g_autoptr(GstBuffer) result = test_push_pull(h, input);
    test_assert_same_frame(caps, result, expected, what);
    assert_counts(h, n += rois.n, n_limited);
  }
  test_teardown(h);
}
GST_END_TEST;

/* Without regions, the share is of the frame. Other kernels ignore it, with one warning. */
GST_START_TEST(sigma_of_the_frame) {
  g_autofree gchar *caps = test_caps("NV12", 64, 40);
  g_autoptr(GstBuffer) input = test_frame_random(caps, 1);
  g_autoptr(GstBuffer) blurred = blur(caps, gst_buffer_ref(input), 4, "");
  g_autoptr(GstBuffer) boxed = test_filter("kernel=box", caps, gst_buffer_ref(input));
  GstHarness *h = test_harness_new("kernel=gaussian roi-sigma=0.1", caps);
  for (guint i = 0; i < 3; i++) {
    test_set(h->element, i < 2 ? "kernel=gaussian" : "kernel=box");
    g_autoptr(GstBuffer) result = test_push_pull(h, gst_buffer_ref(input));
    test_assert_same_frame(caps, result, i < 2 ? blurred : boxed, "roi-sigma=0.1");
  }
  assert_counts(h, 3, 0);
  guint n;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_WARNING, &n);
  fail_unless(n == 1 && strstr(text, "roi-sigma=0.1 has no effect on the kernel box"), "%s", text);
  test_teardown(h);
}
GST_END_TEST;

/* --- in place --- */

#define BAND 40 /* bytes before, between and after the planes, and after each row */

/* A frame in memory with guard bytes around its rows. */
typedef struct {
  guint8 *bytes;
  gsize size;
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
  GstVideoInfo info;
} Block;

static Block
block_new(const gchar *caps, GstBuffer *tight) {
  Block self = {.size = BAND};
  TestFrame from;
  test_map(&from, caps, tight, GST_MAP_READ);
  self.info = from.frame.info;
  for (guint p = 0; p < from.layout.n_planes; p++) {
    self.stride[p] = from.frame.info.stride[p] + BAND;
    self.offset[p] = self.size;
    self.size += (gsize)self.stride[p] * from.layout.plane[p].height + BAND;
  }
  self.bytes = g_malloc(self.size);
  memset(self.bytes, 0xdb, self.size);
  for (guint p = 0; p < from.layout.n_planes; p++)
    for (guint y = 0; y < from.layout.plane[p].height; y++)
      memcpy(self.bytes + self.offset[p] + y * (gsize)self.stride[p], test_row(&from, p, y),
             cc_plane_row_bytes(&from.layout.plane[p]));
  test_unmap(&from);
  return self;
}

/* A buffer of the block. The block must live longer. */
static GstBuffer *
block_wrap(Block *self, GstMemoryFlags flags) {
  GstBuffer *buffer =
      gst_buffer_new_wrapped_full(flags, self->bytes, self->size, 0, self->size, NULL, NULL);
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE,
                                 GST_VIDEO_INFO_FORMAT(&self->info), (guint)self->info.width,
                                 (guint)self->info.height, self->info.finfo->n_planes, self->offset,
                                 self->stride);
  return buffer;
}

typedef enum { NOTHING, BUFFER, MEMORY, PART_OF_MEMORY } Held;

static const struct {
  const gchar *what, *properties;
  gboolean in_place, no_meta, crop; /* no_meta: downstream does not accept GstVideoMeta */
  GstMemoryFlags flags;
  Held held; /* what the test holds of the input */
  guint set; /* index of sets */
} ways[] = {
    {"one region", "kernel=sharpen", .in_place = TRUE},
    {"regions that overlap", "kernel=sharpen", .in_place = TRUE, .set = 1},
    {"moved regions", "kernel=sharpen", .in_place = TRUE, .set = N_SETS - 1},
    {"GstVideoMeta is not accepted", "kernel=sharpen", .no_meta = TRUE},
    {"second reference", "kernel=sharpen", .held = BUFFER},
    {"shared memory", "kernel=sharpen", .held = MEMORY},
    {"partly shared memory", "kernel=sharpen", .held = PART_OF_MEMORY},
    {"read-only memory", "kernel=sharpen", .flags = GST_MEMORY_FLAG_READONLY},
    {"outside=black", "kernel=sharpen outside=black", .in_place = FALSE},
    {"stride=2", "kernel=sharpen stride=2", .in_place = FALSE},
    {"crop", "kernel=sharpen", .crop = TRUE},
    {"more pixels than the frame", "kernel=sharpen", .set = 3},
    {"weighted alpha", "kernel=gaussian alpha=weighted", .in_place = TRUE, .set = 1},
    {"weighted alpha, moved", "kernel=box alpha=weighted", .in_place = TRUE, .set = N_SETS - 1},
};

static GstBuffer *
hold(GstBuffer *buffer, Held held) {
  return held == BUFFER           ? gst_buffer_ref(buffer)
         : held == MEMORY         ? gst_buffer_copy(buffer)
         : held == PART_OF_MEMORY ? gst_buffer_copy_region(buffer, GST_BUFFER_COPY_MEMORY, 8, 16)
                                  : NULL;
}

/* The memory has the expected bytes afterwards: only the regions changed, or nothing did. */
static void
check_way(guint w, const gchar *format) {
  static const CcRoi crop = ROI(4, 2, WIDTH, HEIGHT);
  const gboolean in_place = ways[w].in_place;
  const gboolean large = in_place && is_on_cuda(); /* a device copies small frames as a whole */
  g_autofree gchar *caps = large ? test_caps(format, 2048, 1601) : test_caps(format, WIDTH, HEIGHT);
  g_autofree gchar *larger = test_caps(format, WIDTH + 8, HEIGHT + 5);
  const gchar *block_caps = ways[w].crop ? larger : caps;
  const CcFilter filter = test_filter_parse(ways[w].properties);
  g_autofree gchar *out_caps = test_caps_divided(caps, filter.stride);
  g_autofree gchar *what = g_strdup_printf("%s, %s", format, ways[w].what);
  const TestRois *rois = &sets[has_macropixels(caps) ? ways[w].set % N_EVEN_SETS : ways[w].set];
  g_autoptr(GstBuffer) visible = test_frame_regular(caps, 4);
  g_autoptr(GstBuffer) whole =
      ways[w].crop ? test_frame_regular(larger, 5) : gst_buffer_ref(visible);
  if (ways[w].crop)
    copy_region(larger, whole, caps, visible, &crop, FALSE);
  g_autoptr(GstBuffer) expected = test_expect_rois(&filter, rois, caps, visible);
  Block block = block_new(block_caps, whole), after = block_new(block_caps, whole);
  g_autoptr(GstBuffer) changed = block_wrap(&after, 0);
  if (in_place)
    test_filter_rois(&filter, rois, caps, visible, changed);

  GstHarness *h = test_harness_new(ways[w].properties, NULL);
  test_rois_set(h->element, rois);
  if (!ways[w].no_meta)
    gst_harness_add_propose_allocation_meta(h, GST_VIDEO_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str(h, caps);
  GstBuffer *input = block_wrap(&block, ways[w].flags);
  GST_BUFFER_PTS(input) = 3 * GST_SECOND;
  GST_BUFFER_OFFSET(input) = 77;
  GST_BUFFER_FLAG_SET(input, GST_BUFFER_FLAG_MARKER);
  test_rois_attach(input, &sets[0], "face");
  if (ways[w].crop) {
    GstVideoCropMeta *meta = gst_buffer_add_video_crop_meta(input);
    meta->x = crop.source.x;
    meta->y = crop.source.y;
    meta->width = WIDTH;
    meta->height = HEIGHT;
  }
  const GstMemory *memory = gst_buffer_peek_memory(input, 0);
  g_autoptr(GstBuffer) held = hold(input, ways[w].held);
  g_autoptr(GstBuffer) result = test_push_pull(h, input);
  fail_unless((result == input) == in_place, "%s: in place: %d", what, !in_place);
  fail_unless((gst_buffer_peek_memory(result, 0) == memory) == in_place);
  fail_unless(memcmp(block.bytes, after.bytes, block.size) == 0, "%s: wrong bytes", what);
  test_assert_same_frame(out_caps, result, expected, what);
  fail_unless_equals_uint64(GST_BUFFER_PTS(result), 3 * GST_SECOND);
  fail_unless_equals_uint64(GST_BUFFER_OFFSET(result), 77);
  fail_unless(GST_BUFFER_FLAG_IS_SET(result, GST_BUFFER_FLAG_MARKER));
  if (!large)
    assert_metas(result, &sets[0], filter.stride);
  test_teardown(h);
  gst_clear_buffer(&result);
  gst_clear_buffer(&held);
  gst_clear_buffer(&changed);
  g_free(block.bytes);
  g_free(after.bytes);
}

GST_START_TEST(in_place) {
  for (guint w = 0; w < G_N_ELEMENTS(ways); w++)
    check_way(w, formats[__i__]);
}
GST_END_TEST;

/* --- during a stream --- */

/* Pushes frames in memory of `pool`, or in plain memory if that is NULL. Their regions move while
 * earlier frames are in flight. Only the first frame may need a program. */
static void
move_regions(GstHarness *h, const CcFilter *filter, const gchar *caps, GstBufferPool *pool,
             gboolean by_meta) {
  enum { N = 14 };
  GstBuffer *frame[N], *expected[N];
  for (guint i = 0; i < N; i++) {
    const TestRois rois = test_rois_of_frame(i);
    frame[i] = test_frame_random(caps, i);
    expected[i] = test_expect_rois(filter, &rois, caps, frame[i]);
    frame[i] = pool ? test_move_to_pool(pool, caps, frame[i]) : frame[i];
    if (by_meta)
      test_rois_attach(frame[i], &rois, "face");
    else
      test_rois_set(h->element, &rois);
    fail_unless_equals_int(gst_harness_push(h, frame[i]), GST_FLOW_OK);
    if (i == 0)
      test_programs_watch();
  }
  fail_unless(gst_harness_push_event(h, test_serialized_event()));
  fail_unless_equals_int(test_programs_count(), 0);
  for (guint i = 0; i < N; i++) {
    g_autoptr(GstBuffer) result = gst_harness_pull(h);
    fail_unless((result == frame[i]) == (filter->outside == CC_OUTSIDE_COPY));
    test_assert_same_frame(caps, result, expected[i], by_meta ? "roi-meta" : "roi");
    gst_buffer_unref(expected[i]);
  }
}

/* In plain memory, in memory of the element's pool, and in CUDA memory. */
GST_START_TEST(regions_move) {
  for (guint o = 0; o < G_N_ELEMENTS(outsides); o++) {
    CcFilter filter = test_filter_parse(outsides[o]);
    GstHarness *h = test_harness_new(outsides[o], NULL);
    const gboolean large = filter.outside == CC_OUTSIDE_COPY && is_on_cuda(); /* as above */
    const gboolean cuda = __i__ == 2 && is_on_cuda();
    g_autofree gchar *plain = large ? test_caps("NV12", 1280, 1024) : test_caps("NV12", 64, 48);
    g_autofree gchar *caps = cuda ? test_caps_in_cuda(plain) : g_strdup(plain);
    gst_harness_set_sink_caps_str(h, caps);
    gst_harness_add_propose_allocation_meta(h, GST_VIDEO_META_API_TYPE, NULL);
    gst_harness_set_src_caps_str(h, caps);
    GstBufferPool *pool = __i__ > 0 ? test_offered_pool(h, caps) : NULL;
    move_regions(h, &filter, plain, pool, FALSE);
    test_set(h->element, "roi-meta=true");
    move_regions(h, &filter, plain, pool, TRUE);
    test_teardown(h);
    if (pool)
      gst_buffer_pool_set_active(pool, FALSE);
    g_clear_pointer(&pool, gst_object_unref);
  }
}
GST_END_TEST;

/* --- wrong values --- */

#define RUNNING "kernel=sharpen roi=<8,4,16,16>"

static const struct {
  const gchar *set, *says;
  const gchar *format; /* not NULL: the value is refused when the caps are known */
} refusals[] = {
    {"roi=<1,2,3>", "roi=<1, 2, 3> is refused: 3 numbers", NULL},
    {"roi=<1,2,3,4,5>", "roi=<1, 2, 3, 4, 5> is refused: 5 numbers", NULL},
    {"roi=<<1,2,3,4>,5>", "roi=<<1, 2, 3, 4>, 5> is refused: 5: ", NULL},
    {"roi=<-1,0,4,4>", "roi=<-1, 0, 4, 4> is refused: -1: each region needs <x, y, width, height>",
     NULL},
    {"roi=<a,b,c,d>", "roi=<a, b, c, d> is refused: \"a\": ", NULL},
    {"roi=<1.5,0,4,4>", "roi=<1.5, 0, 4, 4> is refused: 1.5: ", NULL},
    {"roi=<0,0,0,4>", "roi=<0, 0, 0, 4>: a width and a height of 1 or more", NULL},
    {"roi=<0,0,4,0>", "roi=<0, 0, 4, 0>: a width and a height of 1 or more", NULL},
    {"roi=257", "is refused: at most 256 regions", NULL},
    {"target=<1,2,3>", "target=<1, 2, 3> is refused: 3 numbers", NULL},
    {"target=<1,-2>", "target=<1, -2> is refused: -2: ", NULL},
    {"roi=<> target=<1,2>", "target has 1 position and roi has 0 regions", NULL},
    {"roi=<<0,0,4,4>,<8,8,4,4>> target=<1,2>", "target has 1 position and roi has 2 regions", NULL},
    {"roi-sigma=1.5", "roi-sigma=1.5 is refused: a number from 0 to 1 is needed", NULL},
    {"kernel=gaussian roi-sigma=0.1 stride=2", "roi-sigma=0.1: stride=1 is needed", NULL},
    {"kernel=gaussian roi-sigma=0.1 bias=3", "roi-sigma=0.1: bias=0 is needed", NULL},
    {"outside=black roi=<64,0,4,4>",
     "roi=<64, 0, 4, 4>: outside of the frame; <x, y, width, height> "
     "with x below 64 and y below 48 is needed",
     "NV12"},
    {"roi=<<0,0,4,4>,<9,48,4,4>>", "roi=<9, 48, 4, 4>: outside of the frame", "GRAY8"},
    {"roi=<0,0,4,4> target=<0,48>", "target=<0, 48>: outside of the output frame", "GRAY8"},
    {"roi=<0,0,4,4> target=<32,0> stride=2", "<x, y> with x below 32 and y below 24", "GRAY8"},
    {"roi=<1,0,4,4>", "in packed 4:2:2 regions must start and end at even columns", "YUY2"},
    {"roi=<2,0,5,4>", "roi=<2, 0, 5, 4>, target=<2, 0>: in packed 4:2:2", "UYVY"},
    {"roi=<2,0,4,4> target=<3,0>", "roi=<2, 0, 4, 4>, target=<3, 0>: in packed 4:2:2", "YUY2"},
};

static void
set_refused(GstElement *element, guint i) {
  g_autoptr(GString) many = g_string_new("roi=<<0,0,2,2>");
  for (guint k = 1; k < 257; k++)
    g_string_append(many, ",<4,0,2,2>");
  g_string_append_c(many, '>');
  test_set(element, g_str_equal(refusals[i].set, "roi=257") ? many->str : refusals[i].set);
}

static void
assert_one_message(GstBus *bus, const gchar *says) {
  guint n;
  g_autofree gchar *text = test_bus_take(bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR, &n);
  fail_unless(n == 1 && strstr(text, says), "%u messages: %s", n, text);
}

static void
assert_runs(GstHarness *h, const gchar *caps) {
  static const TestRois rois = {1, {ROI(8, 4, 16, 16)}};
  const CcFilter filter = test_filter_parse("kernel=sharpen");
  g_autoptr(GstBuffer) input = test_frame_random(caps, 1);
  g_autoptr(GstBuffer) expected = test_expect_rois(&filter, &rois, caps, input);
  g_autoptr(GstBuffer) result = test_push_pull(h, g_steal_pointer(&input));
  test_assert_same_frame(caps, result, expected, RUNNING);
}

static void
assert_refuses_caps(GstHarness *h, const gchar *caps, const gchar *says) {
  fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 1)), GST_FLOW_NOT_NEGOTIATED);
  assert_one_message(test_harness_bus(h), says);
}

/* While frames flow, the previous values stay in use. */
GST_START_TEST(refused_while_playing) {
  const gchar *format = refusals[__i__].format ? refusals[__i__].format : "GRAY8";
  g_autofree gchar *caps = test_caps(format, 64, 48);
  GstHarness *h = test_harness_new(RUNNING, caps);
  assert_runs(h, caps);
  g_autofree gchar *before = test_pixel_properties(h->element);
  set_refused(h->element, (guint)__i__);
  assert_runs(h, caps);
  g_autofree gchar *after = test_pixel_properties(h->element);
  fail_unless_equals_string(after, before);
  assert_one_message(test_harness_bus(h), refusals[__i__].says);
  assert_runs(h, caps);
  test_teardown(h);
}
GST_END_TEST;

/* In NULL, a value is refused at the start or with the caps. */
GST_START_TEST(refused_before_the_start) {
  const gchar *format = refusals[__i__].format;
  g_autofree gchar *caps = test_caps(format ? format : "GRAY8", 64, 48);
  g_autoptr(GstElement) element = test_element_new("kernel=sharpen");
  g_autoptr(GstBus) bus = gst_bus_new();
  gst_element_set_bus(element, bus);
  set_refused(element, (guint)__i__);
  if (format) {
    GstHarness *h = test_harness_around(element, caps);
    assert_refuses_caps(h, caps, refusals[__i__].says);
    test_teardown(h);
    return;
  }
  fail_unless(gst_element_set_state(element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE);
  assert_one_message(bus, refusals[__i__].says);
  gst_bus_set_flushing(bus, TRUE);
  gst_element_set_state(element, GST_STATE_NULL);
}
GST_END_TEST;

/* Caps that are too small for the region are refused. Then larger caps work. */
GST_START_TEST(caps_that_do_not_fit) {
  g_autofree gchar *caps = test_caps("GRAY8", 64, 48), *small = test_caps("GRAY8", 8, 48);
  GstHarness *h = test_harness_new(RUNNING, caps);
  for (guint i = 0; i < 2; i++) {
    assert_runs(h, caps);
    gst_harness_set_src_caps_str(h, small);
    assert_refuses_caps(h, small,
                        "roi=<8, 4, 16, 16>: outside of the frame; <x, y, width, height> with x "
                        "below 8 and y below 48");
    gst_harness_set_src_caps_str(h, caps);
  }
  assert_runs(h, caps);
  test_teardown(h);
}
GST_END_TEST;

static Suite *
regions_suite(void) {
  Suite *suite = suite_create("regions");
  TCase *tc = tcase_create("regions");
  tcase_add_loop_test(tc, every_format, 0, (int)test_n_formats_in_caps);
  tcase_add_loop_test(tc, metas, 0, G_N_ELEMENTS(formats));
  tcase_add_test(tc, types_of_metas);
  tcase_add_loop_test(tc, sigma_of_each_region, 0, G_N_ELEMENTS(formats));
  tcase_add_test(tc, sigma_of_the_frame);
  tcase_add_loop_test(tc, in_place, 0, G_N_ELEMENTS(formats));
  tcase_add_loop_test(tc, regions_move, 0, 3);
  tcase_add_loop_test(tc, refused_while_playing, 0, G_N_ELEMENTS(refusals));
  tcase_add_loop_test(tc, refused_before_the_start, 0, G_N_ELEMENTS(refusals));
  tcase_add_test(tc, caps_that_do_not_fit);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(regions)
