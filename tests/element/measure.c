/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The property `measure`: the meta and the element message `cudaconv-measure`. The figures must be
 * those of plain loops over the frame that an element makes with the same kernel and without
 * threshold, invert, mix and overlay. */

#include <math.h>
#include <string.h>

#include "layout.h"
#include "memory.h"

#define NAME "cudaconv-measure"
#define WIDTH 37
#define HEIGHT 22
#define N_BINS 256
/* What must not change the figures. */
#define COMPOSED " invert=true mix=-0.5 overlay=0x80ff8000"
#define THRESHOLD 0.4

/* --- expected figures --- */

typedef struct {
  guint64 samples, sum, squares, largest, above, black, white, bin[N_BINS];
} Figures;

typedef struct {
  guint x, y, width, height;
  const gchar *type; /* NULL: none */
} Rect;

typedef struct {
  guint depth, black, white;
} Range;

static Range
find_range(const GstVideoInfo *info) {
  const guint depth = GST_VIDEO_INFO_COMP_DEPTH(info, 0);
  const gboolean limited =
      GST_VIDEO_INFO_IS_YUV(info) && info->colorimetry.range != GST_VIDEO_COLOR_RANGE_0_255;
  return limited ? (Range){depth, 16u << (depth - 8), 235u << (depth - 8)}
                 : (Range){depth, 0, (1u << depth) - 1};
}

static guint
code_at(const GstVideoFrame *frame, guint component, guint x, guint y) {
  const GstVideoFormatInfo *format = frame->info.finfo;
  const guint8 *sample = GST_VIDEO_FRAME_COMP_DATA(frame, component);
  sample += (gssize)y * GST_VIDEO_FRAME_COMP_STRIDE(frame, component) +
            (gssize)x * GST_VIDEO_FRAME_COMP_PSTRIDE(frame, component);
  return GST_VIDEO_FORMAT_INFO_DEPTH(format, component) > 8
             ? (guint)GST_READ_UINT16_LE(sample) >> GST_VIDEO_FORMAT_INFO_SHIFT(format, component)
             : *sample;
}

/* The weights are those of docs/numerics.md. */
static guint
luma_at(const GstVideoFrame *frame, guint x, guint y) {
  if (!GST_VIDEO_FORMAT_INFO_IS_RGB(frame->info.finfo))
    return code_at(frame, 0, x, y);
  return (13933u * code_at(frame, 0, x, y) + 46871u * code_at(frame, 1, x, y) +
          4732u * code_at(frame, 2, x, y) + 32768u) >>
         16;
}

/* Adds the samples of a rectangle to the figures. NULL: those of the whole frame. */
static void
add_expected(Figures *figures, const gchar *caps_text, GstBuffer *buffer, const Rect *rect,
             gdouble threshold) {
  GstVideoInfo info;
  GstVideoFrame frame;
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  fail_unless(gst_video_info_from_caps(&info, caps));
  fail_unless(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ));
  const Rect whole = {0, 0, (guint)info.width, (guint)info.height, NULL};
  const Range range = find_range(&info);
  const gdouble limit = range.black + threshold * (range.white - range.black);
  if (!rect)
    rect = &whole;
  for (guint y = rect->y; y < rect->y + rect->height; y++)
    for (guint x = rect->x; x < rect->x + rect->width; x++) {
      const guint code = luma_at(&frame, x, y);
      figures->samples++;
      figures->sum += code;
      figures->squares += (guint64)code * code;
      figures->largest = MAX(figures->largest, code);
      figures->above += threshold > 0 && code >= limit;
      figures->black += code <= range.black;
      figures->white += code >= range.white;
      figures->bin[code >> (range.depth - 8)]++;
    }
  gst_video_frame_unmap(&frame);
}

/* --- comparison --- */

static const GstStructure *
meta_of(GstBuffer *buffer) {
  GstCustomMeta *meta = gst_buffer_get_custom_meta(buffer, NAME);
  return meta ? gst_custom_meta_get_structure(meta) : NULL;
}

static guint64
get_count(const GstStructure *structure, const gchar *field) {
  guint64 value = 0;
  fail_unless(gst_structure_get_uint64(structure, field, &value), "no guint64 %s", field);
  return value;
}

static guint
get_code(const GstStructure *structure, const gchar *field) {
  guint value = 0;
  fail_unless(gst_structure_get_uint(structure, field, &value), "no uint %s", field);
  return value;
}

static gint
get_int(const GstStructure *structure, const gchar *field) {
  gint value = -1;
  fail_unless(gst_structure_get_int(structure, field, &value), "no int %s", field);
  return value;
}

static void
assert_close(const GstStructure *structure, const gchar *field, gdouble wanted) {
  gdouble value = NAN;
  fail_unless(gst_structure_get_double(structure, field, &value), "no double %s", field);
  fail_unless(fabs(value - wanted) <= 1e-12 * fabs(wanted) + 1e-12, "%s is %.17g, not %.17g", field,
              value, wanted);
}

/* Compares the figures of a frame or of a region. The text of a structure is for people. */
static void
assert_figures(const GstStructure *got, const Figures *wanted, const Range *range,
               gdouble threshold, gboolean has_histogram) {
  const struct {
    const gchar *field;
    guint64 value;
  } counts[] = {{"samples", wanted->samples},        {"sum", wanted->sum},
                {"sum-of-squares", wanted->squares}, {"above-threshold", wanted->above},
                {"at-black", wanted->black},         {"at-white", wanted->white}};
  for (guint i = 0; i < G_N_ELEMENTS(counts); i++)
    fail_unless(get_count(got, counts[i].field) == counts[i].value,
                "%s is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT, counts[i].field,
                get_count(got, counts[i].field), counts[i].value);
  fail_unless_equals_uint64(get_code(got, "largest"), wanted->largest);
  const gdouble n = wanted->samples ? (gdouble)wanted->samples : 1;
  const gdouble mean = (gdouble)wanted->sum / n;
  /* exact in long double, which has 64 bits */
  const long double squares = (long double)wanted->squares * (long double)n -
                              (long double)wanted->sum * (long double)wanted->sum;
  const long double above_black = (long double)wanted->squares -
                                  2.0L * range->black * (long double)wanted->sum +
                                  (long double)range->black * range->black * wanted->samples;
  assert_close(got, "mean", mean);
  assert_close(got, "variance", (gdouble)(squares / n / n));
  assert_close(got, "mean-square", (gdouble)(above_black / n));
  assert_close(got, "edge-density",
               (gdouble)(threshold > 0 ? wanted->above : wanted->samples - wanted->black) / n);
  const GValue *bins = gst_structure_get_value(got, "histogram");
  fail_unless((bins != NULL) == has_histogram);
  fail_unless_equals_int(bins ? gst_value_array_get_size(bins) : N_BINS, N_BINS);
  for (guint i = 0; bins && i < N_BINS; i++)
    fail_unless_equals_uint64(g_value_get_uint64(gst_value_array_get_value(bins, i)),
                              wanted->bin[i]);
}

static void
assert_range(const GstStructure *got, const Range *range) {
  fail_unless_equals_int(get_int(got, "depth"), range->depth);
  fail_unless_equals_int(get_code(got, "black"), range->black);
  fail_unless_equals_int(get_code(got, "white"), range->white);
}

/* The fields of the structure, in their order. */
static gchar *
field_names(const GstStructure *structure) {
  g_autoptr(GString) names = g_string_new(NULL);
  for (gint i = 0; i < gst_structure_n_fields(structure); i++)
    g_string_append_printf(names, "%s%s", i ? " " : "", gst_structure_nth_field_name(structure, i));
  return g_strdup(names->str);
}

/* The message must have the fields of the meta after its times. */
static void
assert_same_fields(const GstStructure *message, const GstStructure *meta) {
  const gchar times[] = "timestamp stream-time running-time duration ";
  g_autofree gchar *of_message = field_names(message), *of_meta = field_names(meta);
  g_autofree gchar *wanted = g_strconcat(times, of_meta, NULL);
  fail_unless_equals_string(of_message, wanted);
  for (gint i = 0; i < gst_structure_n_fields(meta); i++) {
    const gchar *field = gst_structure_nth_field_name(meta, i);
    g_autofree gchar *a = gst_value_serialize(gst_structure_get_value(message, field));
    g_autofree gchar *b = gst_value_serialize(gst_structure_get_value(meta, field));
    fail_unless_equals_string(a, b);
  }
}

/* The next message with figures on the bus, or NULL. */
static GstMessage *
pop_figures(GstHarness *h) {
  GstMessage *message;
  while ((message = gst_bus_pop_filtered(test_harness_bus(h), GST_MESSAGE_ELEMENT))) {
    if (gst_message_has_name(message, NAME))
      return message;
    gst_message_unref(message);
  }
  return NULL;
}

/* --- whole frames --- */

/* Fails unless the frame (taken) is measured as the result of the kernel says. `kernel` may set
 * everything that takes effect before the figures. */
static void
check_frame(const gchar *kernel, const gchar *composed, gdouble threshold, gboolean has_histogram,
            const gchar *caps, guint stride, GstBuffer *frame) {
  Figures wanted = {0};
  GstVideoInfo info;
  g_autofree gchar *out_caps = test_caps_divided(caps, stride);
  g_autoptr(GstCaps) parsed = gst_caps_from_string(out_caps);
  fail_unless(gst_video_info_from_caps(&info, parsed));
  const Range range = find_range(&info);
  g_autoptr(GstBuffer) plain = test_filter(kernel, caps, gst_buffer_copy_deep(frame));
  add_expected(&wanted, out_caps, plain, NULL, threshold);
  g_autofree gchar *properties = g_strdup_printf("%s%s threshold=%g measure=%s", kernel, composed,
                                                 threshold, has_histogram ? "histogram" : "sums");
  GstHarness *h = test_harness_new(properties, caps);
  g_autoptr(GstBuffer) result = test_push_pull(h, frame);
  const GstStructure *meta = meta_of(result);
  g_autoptr(GstMessage) message = pop_figures(h);
  fail_unless(meta && message, "%s: %s", caps, properties);
  assert_range(meta, &range);
  assert_figures(meta, &wanted, &range, threshold, has_histogram);
  fail_if(gst_structure_has_field(meta, "regions"));
  assert_same_fields(gst_message_get_structure(message), meta);
  test_teardown(h);
}

GST_START_TEST(figures_of_every_format) {
  const gchar *format = test_formats_in_caps[__i__];
  static const gchar *const colorimetry[] = {"", "colorimetry=1:4:0:0"};
  for (guint seed = 0; seed < 4; seed++) {
    g_autofree gchar *caps = test_caps_with(format, WIDTH, HEIGHT, colorimetry[seed % 2]);
    check_frame("kernel=sobel scale=0.25", COMPOSED, THRESHOLD, seed >= 2, caps, 1,
                test_frame_random(caps, seed));
  }
}
GST_END_TEST;

static const struct {
  const gchar *kernel, *composed;
  gdouble threshold;
  guint stride;
} filters[] = {
    {"kernel=sobel", "", 0, 1},
    {"kernel=sobel", " mix=0", 0, 1},
    {"kernel=sobel", " mix=0", THRESHOLD, 1},
    {"kernel=identity", "", 0, 1},
    {"kernel=identity", " mix=0", 0, 1},
    {"kernel=laplacian response=offset", " mix=0", 0, 1},
    {"kernel=gaussian size=31", COMPOSED, THRESHOLD, 1},
    {"kernel=gaussian alpha=weighted", " invert=true", 0, 1},
    {"kernel=sobel response=direction", "", 0, 1},
    {"kernel=sobel stride=2", COMPOSED, THRESHOLD, 2},
    {"kernel=box stride=4", "", 0, 4},
    {"response=canny low=40 high=90", "", 0, 1},
    {"response=canny low=40 high=90 stride=2", "", 0, 2},
    {"response=canny-l1 low=40 high=90", " mix=0", THRESHOLD, 1},
};

GST_START_TEST(figures_of_every_filter) {
  static const gchar *const formats[] = {"GRAY8", "I420", "P010_10LE", "YUY2", "RGB", "ARGB64"};
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
    g_autofree gchar *caps = test_caps(formats[i], WIDTH, HEIGHT);
    check_frame(filters[__i__].kernel, filters[__i__].composed, filters[__i__].threshold, TRUE,
                caps, filters[__i__].stride, test_frame_random(caps, 3));
  }
}
GST_END_TEST;

GST_START_TEST(figures_of_fields) {
  static const gchar *const modes[] = {"interlace-mode=interleaved", "interlace-mode=mixed",
                                       "interlace-mode=interleaved"};
  static const gchar *const kernels[] = {"kernel=sobel", "kernel=sobel", "kernel=box fields=frame"};
  g_autofree gchar *caps = test_caps_with("NV12", WIDTH, 2 * (HEIGHT / 2) + 1, modes[__i__]);
  GstBuffer *frame = test_frame_random(caps, 5);
  GST_BUFFER_FLAG_SET(frame, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  check_frame(kernels[__i__], " mix=0", 0, TRUE, caps, 1, frame);
}
GST_END_TEST;

/* A frame large enough for several threads, whose sum of squares needs more than 32 bits. */
GST_START_TEST(figures_of_a_large_frame) {
  g_autofree gchar *caps = test_caps("GRAY16_LE", 1501, 701);
  GstBuffer *frame = test_frame_random(caps, 1);
  GST_BUFFER_FLAG_SET(frame, GST_BUFFER_FLAG_GAP);
  check_frame("kernel=identity", "", THRESHOLD, TRUE, caps, 1, frame);
}
GST_END_TEST;

GST_START_TEST(a_flat_frame_has_no_variance) {
  g_autofree gchar *caps = test_caps("GRAY16_LE", 640, 480);
  GstHarness *h = test_harness_new("kernel=identity measure=sums", caps);
  g_autoptr(GstBuffer) result = test_push_pull(h, test_frame_flat(caps, 0xfd));
  gdouble variance = -1;
  fail_unless(gst_structure_get_double(meta_of(result), "variance", &variance));
  fail_unless(variance == 0, "%.17g", variance);
  test_teardown(h);
}
GST_END_TEST;

/* --- regions --- */

/* Fails unless the frame (taken) has the figures of these rectangles of its output. Each region is
 * filtered alone for that, because regions may overlap. `roi` and `target` are those of the
 * rectangles; `target` may be empty. */
static void
assert_regions(GstBuffer *result, const gchar *kernel, const gchar *const *settings,
               const Rect *rects, guint n, const gchar *caps, guint stride, GstBuffer *frame) {
  const GstStructure *meta = meta_of(result);
  fail_unless(meta != NULL);
  const GValue *regions = gst_structure_get_value(meta, "regions");
  fail_unless(regions && gst_value_array_get_size(regions) == n);
  g_autofree gchar *out_caps = test_caps_divided(caps, stride);
  GstVideoInfo info;
  g_autoptr(GstCaps) parsed = gst_caps_from_string(out_caps);
  fail_unless(gst_video_info_from_caps(&info, parsed));
  const Range range = find_range(&info);
  Figures total = {0};
  for (guint i = 0; i < n; i++) {
    const GstStructure *region = gst_value_get_structure(gst_value_array_get_value(regions, i));
    Figures wanted = {0};
    g_autofree gchar *properties = g_strconcat(kernel, " ", settings[i], NULL);
    g_autoptr(GstBuffer) plain = test_filter(properties, caps, gst_buffer_copy_deep(frame));
    add_expected(&wanted, out_caps, plain, &rects[i], 0);
    add_expected(&total, out_caps, plain, &rects[i], 0);
    fail_unless(gst_structure_has_name(region, "region"));
    fail_unless_equals_int(get_int(region, "x"), rects[i].x);
    fail_unless_equals_int(get_int(region, "y"), rects[i].y);
    fail_unless_equals_int(get_int(region, "width"), rects[i].width);
    fail_unless_equals_int(get_int(region, "height"), rects[i].height);
    fail_unless_equals_string(gst_structure_get_string(region, "type"), rects[i].type);
    fail_unless(gst_structure_has_field(region, "type") == (rects[i].type != NULL));
    assert_figures(region, &wanted, &range, 0, TRUE);
  }
  assert_range(meta, &range);
  assert_figures(meta, &total, &range, 0, TRUE);
}

typedef struct {
  const gchar *kernel, *set; /* `set` has all regions */
  guint stride, n;
  const gchar *each[3]; /* the properties of each region alone */
  Rect rect[3];         /* the place of its result */
} RegionCase;

static const RegionCase region_cases[] = {
    {"kernel=sobel", "roi=<8,4,16,10>", 1, 1, {"roi=<8,4,16,10>"}, {{8, 4, 16, 10, NULL}}},
    {"kernel=sobel", "roi=<0,0,1000,1000>", 1, 1, {"roi=<0,0,37,22>"}, {{0, 0, 37, 22, NULL}}},
    {"kernel=gaussian outside=black",
     "roi=<<0,0,6,6>,<4,4,20,10>,<30,16,90,90>>",
     1,
     3,
     {"roi=<0,0,6,6>", "roi=<4,4,20,10>", "roi=<30,16,90,90>"},
     {{0, 0, 6, 6, NULL}, {4, 4, 20, 10, NULL}, {30, 16, 7, 6, NULL}}},
    {"kernel=sobel",
     "roi=<<0,0,6,6>,<4,4,20,10>> target=<<20,10>,<30,18>>",
     1,
     2,
     {"roi=<0,0,6,6> target=<20,10>", "roi=<4,4,20,10> target=<30,18>"},
     {{20, 10, 6, 6, NULL}, {30, 18, 7, 4, NULL}}},
    {"kernel=box stride=2",
     "roi=<<4,4,8,5>,<28,16,90,90>>",
     2,
     2,
     {"roi=<4,4,8,5>", "roi=<28,16,90,90>"},
     {{2, 2, 4, 3, NULL}, {14, 8, 5, 3, NULL}}},
    {"kernel=gaussian roi-sigma=0.25",
     "roi=<<0,0,6,6>,<8,6,20,14>>",
     1,
     2,
     {"roi=<0,0,6,6>", "roi=<8,6,20,14>"},
     {{0, 0, 6, 6, NULL}, {8, 6, 20, 14, NULL}}},
};

/* With a second reference the buffer cannot be filtered in place. */
GST_START_TEST(figures_of_regions) {
  static const gchar *const formats[] = {"GRAY8", "I420", "P010_10LE", "YUY2", "RGB"};
  const RegionCase *self = &region_cases[__i__];
  for (guint i = 0; i < 2 * G_N_ELEMENTS(formats); i++) {
    g_autofree gchar *caps = test_caps(formats[i / 2], WIDTH, HEIGHT);
    g_autofree gchar *properties =
        g_strdup_printf("%s %s measure=histogram invert=true", self->kernel, self->set);
    GstHarness *h = test_harness_new(properties, caps);
    g_autoptr(GstBuffer) frame = test_frame_random(caps, i);
    GstBuffer *pushed = i % 2 ? gst_buffer_ref(frame) : gst_buffer_copy_deep(frame);
    g_autoptr(GstBuffer) result = test_push_pull(h, pushed);
    fail_if(i % 2 && result == frame);
    assert_regions(result, self->kernel, self->each, self->rect, self->n, caps, self->stride,
                   frame);
    fail_unless((meta_of(frame) != NULL) == (result == frame));
    test_teardown(h);
  }
}
GST_END_TEST;

GST_START_TEST(figures_of_metas) {
  static const gchar *const each[] = {"roi=<2,2,10,8>", "roi=<20,10,17,12>", "roi=<4,6,9,3>"};
  static const Rect rects[] = {
      {2, 2, 10, 8, "face"}, {20, 10, 17, 12, "car"}, {4, 6, 9, 3, "face"}};
  static const gchar *const of_faces[] = {"roi=<2,2,10,8>", "roi=<4,6,9,3>"};
  const Rect faces[] = {rects[0], rects[2]};
  g_autofree gchar *caps = test_caps("GRAY8", WIDTH, HEIGHT);
  GstHarness *h = test_harness_new("kernel=sobel roi-meta=true measure=histogram", caps);
  g_autoptr(GstBuffer) frame = test_frame_random(caps, 3);
  for (guint i = 0; i < 3; i++) {
    g_object_set(h->element, "roi-type", i == 1 ? "face" : i == 2 ? "bird" : "", NULL);
    GstBuffer *pushed = gst_buffer_copy_deep(frame);
    gst_buffer_add_video_region_of_interest_meta(pushed, "face", 2, 2, 10, 8);
    gst_buffer_add_video_region_of_interest_meta(pushed, "face", 1000, 0, 9, 9); /* outside */
    gst_buffer_add_video_region_of_interest_meta(pushed, "car", 20, 10, 100, 100);
    gst_buffer_add_video_region_of_interest_meta(pushed, "face", 4, 6, 9, 3);
    g_autoptr(GstBuffer) result = test_push_pull(h, pushed);
    if (i == 0)
      assert_regions(result, "kernel=sobel", each, rects, 3, caps, 1, frame);
    else
      assert_regions(result, "kernel=sobel", of_faces, faces, i == 1 ? 2 : 0, caps, 1, frame);
  }
  test_teardown(h);
}
GST_END_TEST;

/* --- messages --- */

static guint64
time_of(GstMessage *message, const gchar *field) {
  return get_count(gst_message_get_structure(message), field);
}

static void
push_at(GstHarness *h, const gchar *caps, GstClockTime time) {
  GstBuffer *frame = test_frame_random(caps, 1);
  GST_BUFFER_PTS(frame) = time;
  GST_BUFFER_DURATION(frame) = 7;
  gst_buffer_unref(test_push_pull(h, frame));
}

/* Fails unless the messages since the last call have these timestamps, separated by spaces. */
static void
assert_times(GstHarness *h, const gchar *wanted) {
  g_autoptr(GString) got = g_string_new(NULL);
  GstMessage *message;
  while ((message = pop_figures(h))) {
    const guint64 time = time_of(message, "timestamp");
    fail_unless_equals_uint64(time_of(message, "duration"), 7);
    g_string_append_printf(got, GST_CLOCK_TIME_IS_VALID(time) ? "%s%" G_GUINT64_FORMAT : "%snone",
                           got->len ? " " : "", time / GST_MSECOND);
    gst_message_unref(message);
  }
  fail_unless_equals_string(got->str, wanted);
}

GST_START_TEST(interval_limits_messages) {
  static const struct {
    const gchar *interval, *times;
  } cases[] = {{"0", "0 40 80 120 160 200 240"},
               {"0.04", "0 40 80 120 160 200 240"},
               {"0.041", "0 80 160 240"},
               {"0.1", "0 120 240"},
               {"1000000", "0"}};
  g_autofree gchar *caps = test_caps("GRAY8", 8, 8);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    GstHarness *h = test_harness_new("measure=sums", caps);
    gst_util_set_object_arg(G_OBJECT(h->element), "measure-interval", cases[i].interval);
    for (guint k = 0; k < 7; k++)
      push_at(h, caps, k * 40 * GST_MSECOND);
    assert_times(h, cases[i].times);
    test_teardown(h);
  }
}
GST_END_TEST;

GST_START_TEST(interval_changes_at_once) {
  g_autofree gchar *caps = test_caps("GRAY8", 8, 8);
  GstHarness *h = test_harness_new("measure=sums measure-interval=1000", caps);
  push_at(h, caps, 0);
  push_at(h, caps, 40 * GST_MSECOND);
  g_object_set(h->element, "measure-interval", 0.05, NULL);
  push_at(h, caps, 50 * GST_MSECOND);
  push_at(h, caps, 60 * GST_MSECOND);
  g_object_set(h->element, "measure-interval", 0.0, NULL);
  push_at(h, caps, 61 * GST_MSECOND);
  assert_times(h, "0 50 61");
  test_teardown(h);
}
GST_END_TEST;

static void
flush(GstHarness *h) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(h, gst_event_new_flush_start());
  gst_harness_push_event(h, gst_event_new_flush_stop(TRUE));
  gst_harness_push_event(h, gst_event_new_segment(&segment));
}

GST_START_TEST(messages_come_again_after_a_jump) {
  g_autofree gchar *caps = test_caps("GRAY8", 8, 8);
  GstHarness *h = test_harness_new("measure=sums measure-interval=10", caps);
  push_at(h, caps, 0);
  flush(h);
  push_at(h, caps, 0); /* the same time, after a flush */
  push_at(h, caps, 9000 * GST_MSECOND);
  assert_times(h, "0 0");
  push_at(h, caps, 20000 * GST_MSECOND);
  push_at(h, caps, 11000 * GST_MSECOND); /* back, without a flush */
  push_at(h, caps, 12000 * GST_MSECOND);
  assert_times(h, "20000 11000");
  push_at(h, caps, GST_CLOCK_TIME_NONE);
  push_at(h, caps, GST_CLOCK_TIME_NONE);
  assert_times(h, "none none");
  test_teardown(h);
}
GST_END_TEST;

/* A new start must not remember the time of the last message. */
GST_START_TEST(messages_come_again_after_a_restart) {
  g_autofree gchar *caps = test_caps("GRAY8", 8, 8);
  GstHarness *h = test_harness_new("measure=sums measure-interval=10", caps);
  for (guint i = 0; i < 2; i++) {
    push_at(h, caps, 0);
    push_at(h, caps, GST_SECOND);
    assert_times(h, "0");
    gst_element_set_state(h->element, GST_STATE_READY);
    gst_element_set_state(h->element, GST_STATE_PLAYING);
    gst_harness_set_src_caps_str(h, caps);
  }
  test_teardown(h);
}
GST_END_TEST;

/* Returns the message of a frame at 4 s in a segment. */
static GstMessage *
figures_in_segment(GstHarness *h, const gchar *caps, const GstSegment *segment) {
  gst_harness_push_event(h, gst_event_new_segment(segment));
  push_at(h, caps, 4 * GST_SECOND);
  GstMessage *message = pop_figures(h);
  fail_unless(message && GST_MESSAGE_SRC(message) == GST_OBJECT(h->element));
  fail_unless_equals_uint64(time_of(message, "timestamp"), 4 * GST_SECOND);
  return message;
}

/* The segment begins at 2 s, has a rate of 2, and its running time begins at 5 s. */
GST_START_TEST(message_has_times_of_the_segment) {
  g_autofree gchar *caps = test_caps("GRAY8", 8, 8);
  GstHarness *h = test_harness_new("measure=sums", caps);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.rate = 2;
  segment.start = 2 * GST_SECOND;
  segment.time = 3 * GST_SECOND;
  segment.base = 5 * GST_SECOND;
  g_autoptr(GstMessage) message = figures_in_segment(h, caps, &segment);
  fail_unless_equals_uint64(time_of(message, "stream-time"), 5 * GST_SECOND);
  fail_unless_equals_uint64(time_of(message, "running-time"), 6 * GST_SECOND);
  fail_unless_equals_uint64(time_of(message, "duration"), 7);
  test_teardown(h);
}
GST_END_TEST;

/* A segment in bytes has no times. */
GST_START_TEST(segment_without_times) {
  g_autofree gchar *caps = test_caps("GRAY8", 8, 8);
  GstHarness *h = test_harness_new("measure=sums", caps);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_BYTES);
  g_autoptr(GstMessage) message = figures_in_segment(h, caps, &segment);
  fail_unless_equals_uint64(time_of(message, "stream-time"), GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64(time_of(message, "running-time"), GST_CLOCK_TIME_NONE);
  test_teardown(h);
}
GST_END_TEST;

/* Frames in flight: messages come in the order of the frames, with the figures of their frame, even
 * if the filter changes while frames are in flight. */
GST_START_TEST(figures_follow_their_frames) {
  g_autofree gchar *caps = test_caps("GRAY8", WIDTH, HEIGHT);
  GstHarness *h = test_harness_new("kernel=identity measure-interval=0 in-flight=4", caps);
  for (guint i = 0; i < 12; i++) {
    GstBuffer *frame = test_frame_random(caps, i);
    GST_BUFFER_PTS(frame) = i;
    gst_util_set_object_arg(G_OBJECT(h->element), "measure",
                            i % 4 == 3   ? "off"
                            : i % 4 == 2 ? "histogram"
                                         : "sums");
    fail_unless_equals_int(gst_harness_push(h, frame), GST_FLOW_OK);
  }
  test_drain(h);
  for (guint i = 0; i < 12; i++) {
    g_autoptr(GstBuffer) result = gst_harness_pull(h);
    fail_unless_equals_uint64(GST_BUFFER_PTS(result), i);
    fail_unless((meta_of(result) == NULL) == (i % 4 == 3), "frame %u", i);
    if (i % 4 == 3)
      continue;
    g_autoptr(GstMessage) message = pop_figures(h);
    fail_unless(message != NULL);
    fail_unless_equals_uint64(time_of(message, "timestamp"), i);
    assert_same_fields(gst_message_get_structure(message), meta_of(result));
    Figures wanted = {0};
    const Range range = {8, 0, 255};
    add_expected(&wanted, caps, result, NULL, 0);
    assert_figures(meta_of(result), &wanted, &range, 0, i % 4 == 2);
  }
  g_autoptr(GstMessage) message = pop_figures(h);
  fail_unless(message == NULL);
  test_teardown(h);
}
GST_END_TEST;

static GstBusSyncReply
send_event(GstBus *bus, GstMessage *message, gpointer element) {
  if (gst_message_has_name(message, NAME)) {
    g_autoptr(GstPad) pad = gst_element_get_static_pad(element, "sink");
    gst_pad_send_event(pad, test_serialized_event());
  }
  return GST_BUS_PASS;
}

/* A message handler sends a serialized event to the element. Frames stay in order. */
GST_START_TEST(message_handler_sends_events) {
  g_autofree gchar *caps = test_caps("GRAY8", 8, 8);
  GstHarness *h = test_harness_new("measure=sums measure-interval=0", NULL);
  gst_bus_set_sync_handler(test_harness_bus(h), send_event, h->element, NULL);
  gst_harness_set_src_caps_str(h, caps);
  for (guint i = 0; i < 9; i++) {
    GstBuffer *frame = test_frame_random(caps, i);
    GST_BUFFER_PTS(frame) = i;
    fail_unless_equals_int(gst_harness_push(h, frame), GST_FLOW_OK);
  }
  test_drain(h);
  for (guint i = 0; i < 9; i++) {
    g_autoptr(GstBuffer) result = gst_harness_pull(h);
    fail_unless_equals_uint64(GST_BUFFER_PTS(result), i);
    fail_unless(meta_of(result) != NULL);
  }
  test_teardown(h);
}
GST_END_TEST;

/* --- metas --- */

GST_START_TEST(off_leaves_no_meta_and_no_message) {
  g_autofree gchar *caps = test_caps("GRAY8", 8, 8);
  GstHarness *h = test_harness_new("kernel=sobel", caps);
  g_autoptr(GstBuffer) result = test_push_pull(h, test_frame_random(caps, 1));
  g_autoptr(GstMessage) message = pop_figures(h);
  fail_unless(meta_of(result) == NULL && message == NULL);
  test_teardown(h);
}
GST_END_TEST;

static guint
count_metas(GstBuffer *buffer) {
  return gst_buffer_get_n_meta(buffer, gst_meta_get_info(NAME)->api);
}

/* The second element replaces the meta of the first, in place too, and no field of it is left. If
 * it measures nothing, it passes the meta on. */
GST_START_TEST(second_element_replaces_the_meta) {
  static const gchar *const properties[] = {"kernel=box measure=sums", "kernel=box",
                                            "kernel=box measure=sums roi=<2,2,5,5>"};
  g_autofree gchar *caps = test_caps("GRAY8", WIDTH, HEIGHT);
  GstHarness *before_it = test_harness_new("kernel=sobel measure=histogram roi=<0,0,8,8>", caps);
  GstHarness *h = test_harness_new(properties[__i__], caps);
  g_autoptr(GstBuffer) measured = test_push_pull(before_it, test_frame_random(caps, 1));
  g_autofree gchar *before = gst_structure_to_string(meta_of(measured));
  g_autoptr(GstBuffer) result = test_push_pull(h, gst_buffer_copy_deep(measured));
  g_autofree gchar *after = gst_structure_to_string(meta_of(result));
  fail_unless_equals_int(count_metas(result), 1);
  fail_unless(g_str_equal(before, after) == (__i__ == 1));
  fail_unless(gst_structure_has_field(meta_of(result), "histogram") == (__i__ == 1));
  fail_unless(gst_structure_has_field(meta_of(result), "regions") == (__i__ >= 1));
  test_teardown(before_it);
  test_teardown(h);
}
GST_END_TEST;

/* Elements downstream that copy or change frames keep the meta. */
GST_START_TEST(meta_survives_copies) {
  static const gchar *const lines[] = {
      "identity", "videoconvert ! capsfilter caps=video/x-raw,format=RGBA",
      "videoscale ! capsfilter caps=video/x-raw,width=16,height=10"};
  g_autofree gchar *caps = test_caps("GRAY8", WIDTH, HEIGHT);
  GstHarness *first = test_harness_new("kernel=sobel measure=sums", caps);
  g_autoptr(GstBuffer) measured = test_push_pull(first, test_frame_random(caps, 1));
  g_autoptr(GstBuffer) copy = gst_buffer_copy_deep(measured);
  fail_unless(gst_structure_is_equal(meta_of(copy), meta_of(measured)));
  GstHarness *h = gst_harness_new_parse(lines[__i__]);
  gst_harness_set_src_caps_str(h, caps);
  g_autoptr(GstBuffer) result = gst_harness_push_and_pull(h, gst_buffer_ref(measured));
  fail_unless(result && meta_of(result));
  fail_unless(gst_structure_is_equal(meta_of(result), meta_of(measured)));
  gst_harness_teardown(h);
  test_teardown(first);
}
GST_END_TEST;

/* --- CUDA memory --- */

GST_START_TEST(figures_in_cuda_memory) {
  g_autofree gchar *caps = test_caps("NV12", 640, 480);
  g_autofree gchar *on_device = test_caps_in_cuda(caps);
  GstHarness *h = test_harness_new("kernel=sobel measure=histogram", NULL);
  if (!test_is_on_cuda(h)) {
    test_teardown(h);
    return;
  }
  gst_harness_set_sink_caps_str(h, on_device);
  gst_harness_add_propose_allocation_meta(h, GST_VIDEO_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str(h, on_device);
  GstBufferPool *pool = test_offered_pool(h, on_device);
  for (guint i = 0; i < 4; i++) {
    Figures wanted = {0};
    const Range range = {8, 16, 235};
    GstBuffer *frame = test_frame_random(caps, i);
    g_autoptr(GstBuffer) plain = test_filter("kernel=sobel", caps, gst_buffer_ref(frame));
    add_expected(&wanted, caps, plain, NULL, 0);
    g_autoptr(GstBuffer) result = test_push_pull(h, test_move_to_pool(pool, caps, frame));
    fail_unless(meta_of(result) != NULL);
    assert_figures(meta_of(result), &wanted, &range, 0, TRUE);
  }
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
  test_teardown(h);
}
GST_END_TEST;

static Suite *
measure_suite(void) {
  Suite *suite = suite_create("measure");
  TCase *tc = tcase_create("measure");
  tcase_add_loop_test(tc, figures_of_every_format, 0, (int)test_n_formats_in_caps);
  tcase_add_loop_test(tc, figures_of_every_filter, 0, G_N_ELEMENTS(filters));
  tcase_add_loop_test(tc, figures_of_fields, 0, 3);
  tcase_add_test(tc, figures_of_a_large_frame);
  tcase_add_test(tc, a_flat_frame_has_no_variance);
  tcase_add_loop_test(tc, figures_of_regions, 0, G_N_ELEMENTS(region_cases));
  tcase_add_test(tc, figures_of_metas);
  tcase_add_test(tc, interval_limits_messages);
  tcase_add_test(tc, interval_changes_at_once);
  tcase_add_test(tc, messages_come_again_after_a_jump);
  tcase_add_test(tc, messages_come_again_after_a_restart);
  tcase_add_test(tc, message_has_times_of_the_segment);
  tcase_add_test(tc, segment_without_times);
  tcase_add_test(tc, figures_follow_their_frames);
  tcase_add_test(tc, message_handler_sends_events);
  tcase_add_test(tc, off_leaves_no_meta_and_no_message);
  tcase_add_loop_test(tc, second_element_replaces_the_meta, 0, 3);
  tcase_add_loop_test(tc, meta_survives_copies, 0, 3);
  tcase_add_test(tc, figures_in_cuda_memory);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(measure)
