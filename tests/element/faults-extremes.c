/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Extreme numbers in GstVideoMeta and GstVideoCropMeta. A frame inside of its buffer is filtered.
 * Any other frame ends with one error, without access outside of the memory. The test decides which
 * frames are inside with 128-bit integers. */

#include "common.h"

#include "layout.h"

#include <string.h>

/* The size of the caps, a buffer of some bytes, and its two metas. */
typedef struct {
  const gchar *format;
  gint width, height;
  gsize bytes; /* 0: as many as a frame without padding has */
  guint meta_width, meta_height;
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
  gboolean has_crop;
  guint x, y, crop_width, crop_height;
} Extreme;

/* --- expected results --- */

static gboolean
plane_is_inside(const Extreme *e, const CcFrameLayout *layout, guint p, gsize bytes,
                gboolean cropped) {
  const CcPlaneLayout *plane = &layout->plane[p];
  const gboolean halved =
      plane->has_macropixels || plane->width < (guint)e->width || plane->height < (guint)e->height;
  const guint sub_x = halved ? 1 : 0;
  const guint sub_y = plane->height < (guint)e->height ? 1 : 0;
  const __int128 step = plane->step * cc_sample_size(plane->type);
  __int128 first = e->offset[p];
  if (cropped)
    first += (e->x >> sub_x) * step + (__int128)(e->y >> sub_y) * e->stride[p];
  const __int128 last = first + (__int128)(plane->height - 1) * e->stride[p];
  return MIN(first, last) >= 0 && MAX(first, last) + (__int128)cc_plane_row_bytes(plane) <= bytes;
}

/* The frame is the crop or, without a crop, the upper left part of the GstVideoMeta. */
static gboolean
can_be_filtered(const Extreme *e, const CcFrameLayout *layout, gsize bytes) {
  const guint width = (guint)e->width, height = (guint)e->height;
  const gboolean whole = e->meta_width == width && e->meta_height == height;
  const gboolean cropped = !whole && e->has_crop && e->crop_width == width &&
                           e->crop_height == height &&
                           (guint64)e->x + e->crop_width <= e->meta_width &&
                           (guint64)e->y + e->crop_height <= e->meta_height;
  const gboolean padded = !e->has_crop && e->meta_width >= width && e->meta_height >= height;
  for (guint p = 0; p < layout->n_planes; p++)
    if (!plane_is_inside(e, layout, p, bytes, cropped))
      return FALSE;
  return whole || cropped || padded;
}

/* --- one buffer --- */

static GstBuffer *
make_buffer(const Extreme *e, const gchar *caps_text, gsize bytes) {
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, caps));
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, bytes, NULL);
  gst_buffer_memset(buffer, 0, 0x40, bytes);
  /* gst_buffer_add_video_meta rejects some numbers, so the fields are set afterwards */
  GstVideoMeta *meta =
      gst_buffer_add_video_meta(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                                (guint)e->width, (guint)e->height);
  meta->width = e->meta_width;
  meta->height = e->meta_height;
  memcpy(meta->offset, e->offset, sizeof meta->offset);
  memcpy(meta->stride, e->stride, sizeof meta->stride);
  if (e->has_crop) {
    GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta(buffer);
    crop->x = e->x;
    crop->y = e->y;
    crop->width = e->crop_width;
    crop->height = e->crop_height;
  }
  return buffer;
}

static gchar *
describe(const Extreme *e, gsize bytes) {
  return g_strdup_printf(
      "%s %dx%d, %zu bytes, meta %ux%u, offset %zu %zu %zu, stride %d %d %d, crop %d: %ux%u at "
      "%u,%u",
      e->format, e->width, e->height, bytes, e->meta_width, e->meta_height, e->offset[0],
      e->offset[1], e->offset[2], e->stride[0], e->stride[1], e->stride[2], e->has_crop,
      e->crop_width, e->crop_height, e->x, e->y);
}

/* Returns whether the buffer was filtered. */
static gboolean
check(const Extreme *e) {
  g_autofree gchar *caps = test_caps(e->format, e->width, e->height);
  const CcFrameLayout layout = test_layout(caps);
  GstBuffer *tight = test_frame_flat(caps, 0);
  const gsize bytes = e->bytes ? e->bytes : gst_buffer_get_size(tight);
  gst_buffer_unref(tight);
  g_autofree gchar *what = describe(e, bytes);
  const gboolean expected = can_be_filtered(e, &layout, bytes);

  GstHarness *h = test_harness_new("kernel=gaussian n-threads=1", caps);
  const GstFlowReturn flow = gst_harness_push(h, make_buffer(e, caps, bytes));
  test_drain(h);
  guint n_errors;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR, &n_errors);
  fail_unless_equals_int(gst_harness_buffers_in_queue(h), expected);
  fail_unless(flow == (expected ? GST_FLOW_OK : GST_FLOW_ERROR) && n_errors == !expected,
              "%s: %s: %s", what, gst_flow_get_name(flow), text);
  test_teardown(h);
  return expected;
}

/* --- the table --- */

#define BIG G_MAXUINT32
#define HUGE G_MAXSIZE

static const Extreme extremes[] = {
    /* Pixels 7 to 15 are in macropixels 3 to 7 of eight. In the first case the last row just fits,
     * in the second case it is a byte too long. */
    {"YUY2", 9, 5, 160, 16, 5, {0}, {32}, TRUE, 7, 0, 9, 5},
    {"YUY2", 9, 5, 159, 16, 5, {0}, {32}, TRUE, 7, 0, 9, 5},
    {"ARGB64", 64, 100, 0, BIG, BIG, {0}, {G_MAXINT - 1}, TRUE, BIG - 64, BIG - 100, 64, 100},
    {"ARGB64", 64, 100, 0, BIG, BIG, {0}, {G_MININT + 2}, TRUE, BIG - 64, BIG - 100, 64, 100},
    {"ARGB64", 64, 100, 0, BIG, BIG, {HUGE}, {G_MAXINT - 1}, TRUE, BIG - 64, BIG - 100, 64, 100},
    {"ARGB64", 64, 100, 0, BIG, BIG, {51200}, {G_MININT}, TRUE, BIG - 64, BIG - 100, 64, 100},
    {"GRAY8", 64, 48, 0, BIG, BIG, {0}, {64}, TRUE, BIG - 64, BIG - 48, 64, 48},
    {"GRAY8", 64, 48, 0, BIG, BIG, {0}, {64}, TRUE, 0, BIG - 48, 64, 48},
    {"GRAY8", 64, 48, 0, BIG, BIG, {0}, {64}, TRUE, BIG - 64, 0, 64, 48},
    {"GRAY8", 64, 48, 0, BIG, BIG, {0}, {64}, TRUE, 0, 0, 64, 48},
    {"GRAY8", 64, 48, 0, BIG, BIG, {0}, {64}, TRUE, BIG, BIG, 64, 48},
    {"GRAY8", 64, 48, 0, BIG, BIG, {0}, {0}, TRUE, 0, BIG - 48, 64, 48},
    {"GRAY8", 64, 48, 0, BIG, BIG, {0}, {0}, TRUE, BIG - 64, BIG - 48, 64, 48},
    {"GRAY8", 64, 1, 0, 64, BIG, {0}, {G_MININT}, TRUE, 0, BIG - 1, 64, 1},
    {"GRAY8", 64, 1, 0, 64, BIG, {0}, {0}, TRUE, 0, BIG - 1, 64, 1},
    {"GRAY8", 64, 3, 0, 64, 3, {HUGE - 63}, {64}, FALSE, 0, 0, 0, 0},
    {"GRAY8", 64, 3, 0, 64, 3, {HUGE / 2}, {G_MAXINT}, FALSE, 0, 0, 0, 0},
    {"NV12", 64, 48, 0, BIG, BIG, {0, 3072}, {64, G_MAXINT}, TRUE, 0, BIG - 48, 64, 48},
    {"I420", 64, 48, 0, BIG, BIG, {0, 3072, HUGE}, {0, 0, 0}, TRUE, 0, BIG - 48, 64, 48},
    /* The GstVideoMeta is larger than the caps, so its upper left part is the frame. All of it is
     * in memory, then only the frame is in memory, then the frame is a byte too long. */
    {"GRAY8", 64, 36, 3072, 64, 48, {0}, {64}, FALSE, 0, 0, 0, 0},
    {"GRAY8", 64, 36, 0, 64, 48, {0}, {64}, FALSE, 0, 0, 0, 0},
    {"GRAY8", 60, 36, 2300, 64, 48, {0}, {64}, FALSE, 0, 0, 0, 0},
    {"GRAY8", 60, 36, 2299, 64, 48, {0}, {64}, FALSE, 0, 0, 0, 0},
    {"GRAY8", 64, 48, 0, BIG, BIG, {0}, {64}, FALSE, 0, 0, 0, 0},
    {"I420", 63, 35, 4608, 64, 48, {0, 3072, 3840}, {64, 32, 32}, FALSE, 0, 0, 0, 0},
    {"I420", 63, 35, 4608, 64, 48, {0, 3072, 4033}, {64, 32, 32}, FALSE, 0, 0, 0, 0},
    /* larger on one side and smaller on the other, and a crop of another size than the caps */
    {"GRAY8", 64, 36, 3072, 128, 35, {0}, {64}, FALSE, 0, 0, 0, 0},
    {"GRAY8", 64, 36, 3072, 63, 48, {0}, {64}, FALSE, 0, 0, 0, 0},
    {"GRAY8", 64, 36, 3072, 64, 48, {0}, {64}, TRUE, 0, 0, 32, 24},
};

GST_START_TEST(table) {
  check(&extremes[__i__]);
}
GST_END_TEST;

/* --- random numbers --- */

#define PICK(rand, table) table[g_rand_int_range(rand, 0, G_N_ELEMENTS(table))]

static const struct {
  const gchar *format;
  gint width, height;
} frames[] = {{"GRAY8", 64, 48}, {"ARGB64", 64, 100}, {"I420", 64, 48},
              {"NV12", 66, 34},  {"GRAY8", 1, 1},     {"RGB", 33, 17},
              {"I420", 33, 17},  {"GRAY16_LE", 5, 9}, {"YUY2", 9, 5}};

/* A valid frame. If it is cropped or padded, it is part of a larger GstVideoMeta. */
static Extreme
valid_frame(GRand *rand) {
  const guint f = (guint)g_rand_int_range(rand, 0, G_N_ELEMENTS(frames));
  const guint width = (guint)frames[f].width, height = (guint)frames[f].height;
  const gboolean cropped = g_rand_boolean(rand), padded = !cropped && g_rand_boolean(rand);
  const guint border = cropped || padded ? (guint)g_rand_int_range(rand, 1, 9) : 0;
  GstVideoInfo info;
  gst_video_info_init(&info);
  fail_unless(gst_video_info_set_format(&info, gst_video_format_from_string(frames[f].format),
                                        width + 2 * border, height + 2 * border));
  Extreme e = {.format = frames[f].format,
               .width = frames[f].width,
               .height = frames[f].height,
               .bytes = info.size,
               .meta_width = width + 2 * border,
               .meta_height = height + 2 * border,
               .has_crop = cropped,
               .x = border,
               .y = border,
               .crop_width = width,
               .crop_height = height};
  for (guint p = 0; p < 3; p++) {
    e.offset[p] = info.offset[p];
    e.stride[p] = info.stride[p];
  }
  return e;
}

/* Sets one of the numbers to a value that is usually wrong. */
static void
distort(Extreme *e, GRand *rand) {
  static const gsize offsets[] = {0,    1,   63,       4096,         30000,       59999,
                                  HUGE, BIG, HUGE / 2, HUGE / 2 + 1, HUGE - 4095, (gsize)BIG + 1};
  static const gint strides[] = {0,        1,        -1,           64,      -64,    60000,
                                 G_MAXINT, G_MININT, G_MAXINT - 1, 1 << 30, -60000, G_MININT + 1};
  static const guint numbers[] = {0,        1,       2,         63,       BIG,
                                  BIG - 64, BIG - 1, BIG - 100, G_MAXINT, (guint)G_MAXINT + 1};
  const guint p = (guint)g_rand_int_range(rand, 0, 3);
  guint *const fields[] = {&e->meta_width, &e->meta_height, &e->x,
                           &e->y,          &e->crop_width,  &e->crop_height};
  switch (g_rand_int_range(rand, 0, 5)) {
  case 0:
    e->offset[p] = PICK(rand, offsets);
    break;
  case 1:
    e->stride[p] = PICK(rand, strides);
    break;
  case 2:
    e->bytes = e->bytes * (gsize)g_rand_int_range(rand, 1, 9) / 4;
    break;
  case 3: /* a larger meta and a crop far out */
    e->meta_width = e->meta_height = BIG;
    e->x = PICK(rand, numbers);
    e->y = PICK(rand, numbers);
    break;
  default:
    *fields[g_rand_int_range(rand, 0, G_N_ELEMENTS(fields))] = PICK(rand, numbers);
  }
}

GST_START_TEST(random_numbers) {
  GRand *rand = g_rand_new_with_seed(11);
  const guint n = test_count(300, 3000);
  guint filtered = 0;
  for (guint i = 0; i < n; i++) {
    Extreme e = valid_frame(rand);
    for (gint k = g_rand_int_range(rand, 0, 5); k > 0; k--)
      distort(&e, rand);
    filtered += check(&e);
  }
  g_rand_free(rand);
  fail_unless(filtered > n / 5 && filtered < n / 5 * 4, "%u of %u were filtered", filtered, n);
}
GST_END_TEST;

static Suite *
faults_extremes_suite(void) {
  Suite *suite = suite_create("faults-extremes");
  TCase *tc = tcase_create("faults-extremes");
  tcase_add_loop_test(tc, table, 0, G_N_ELEMENTS(extremes));
  tcase_add_test(tc, random_numbers);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(faults_extremes)
