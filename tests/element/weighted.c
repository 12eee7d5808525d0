/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* alpha=weighted: random images against the formula of docs/numerics.md, and a blurred image over
 * another one in `compositor`. */

#include "common.h"

#include "layout.h"

#include <string.h>

/* --- the formula --- */

#define MAX_SIDE 24
#define N_IMAGES 1000

static const struct {
  const gchar *properties;
  guint size;
  guint line[5]; /* the kernel is the product of this row and this column */
} kernels[] = {
    {"kernel=box", 3, {1, 1, 1}},
    {"kernel=gaussian size=3", 3, {1, 2, 1}},
    {"kernel=gaussian size=5", 5, {1, 4, 6, 4, 1}},
};

static const gchar *const formats[] = {"RGBA", "BGRA", "ARGB", "ABGR", "AYUV", "ARGB64"};

typedef guint64 Image[MAX_SIDE][MAX_SIDE][4];

static void
load(Image image, const TestFrame *frame) {
  const CcPlaneLayout *plane = &frame->layout.plane[0];
  for (guint y = 0; y < plane->height; y++)
    for (guint x = 0; x < plane->width; x++)
      for (guint c = 0; c < 4; c++) {
        const guint8 *row = frame->planes.plane[0].data + y * frame->planes.plane[0].pitch;
        const guint i = 4 * x + c;
        image[y][x][c] =
            plane->depth == 8 ? row[i] : (guint64)row[2 * i] | (guint64)row[2 * i + 1] << 8;
      }
}

/* The weighted mean around a sample, rounded. Rows and columns outside repeat those at the edge. */
static guint64
mean(Image image, gint width, gint height, gint x, gint y, guint c, guint kernel) {
  const gint side = (gint)kernels[kernel].size;
  guint64 sum = 0, weights = 0;
  for (gint j = 0; j < side; j++)
    for (gint i = 0; i < side; i++) {
      const guint64 weight = kernels[kernel].line[i] * kernels[kernel].line[j];
      sum +=
          weight *
          image[CLAMP(y + j - side / 2, 0, height - 1)][CLAMP(x + i - side / 2, 0, width - 1)][c];
      weights += weight;
    }
  return (2 * sum + weights) / (2 * weights);
}

static void
check_image(const gchar *format, guint kernel, guint seed) {
  static Image source, products, made;
  const gint width = (gint)(seed * 7919 % MAX_SIDE) + 1, height = (gint)(seed / 7 % MAX_SIDE) + 1;
  g_autofree gchar *caps = test_caps(format, width, height);
  g_autofree gchar *properties =
      g_strdup_printf("%s chroma=filter alpha=weighted", kernels[kernel].properties);
  const guint alpha = format[0] == 'A' ? 0 : 3;
  GstBuffer *buffer = test_frame_random(caps, seed);
  TestFrame frame;
  test_map(&frame, caps, buffer, GST_MAP_READWRITE);
  const gboolean is_wide = frame.layout.plane[0].depth == 16;
  const guint64 max = is_wide ? 65535 : 255;
  /* some images have large transparent parts */
  for (gint y = 0; seed % 2 && y < height; y++)
    for (gint x = 0; x < width; x++)
      if ((x / 4 + y / 4) % 2)
        memset(frame.planes.plane[0].data + y * frame.planes.plane[0].pitch +
                   (gsize)(4 * x + (gint)alpha) * (is_wide ? 2 : 1),
               0, is_wide ? 2 : 1);
  load(source, &frame);
  test_unmap(&frame);
  g_autoptr(GstBuffer) result = test_filter(properties, caps, buffer);
  test_map(&frame, caps, result, GST_MAP_READ);
  load(made, &frame);
  test_unmap(&frame);
  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      for (guint c = 0; c < 4; c++) {
        const guint64 a = source[y][x][alpha], color = c == alpha ? max : source[y][x][c];
        products[y][x][c] = is_wide ? (color * a + 32767) / 65535 : color * a;
      }
  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      for (guint c = 0; c < 4; c++) {
        const guint64 p = mean(products, width, height, x, y, c, kernel);
        const guint64 q = mean(products, width, height, x, y, alpha, kernel);
        const guint64 wanted = c == alpha ? mean(source, width, height, x, y, c, kernel)
                               : q == 0   ? source[y][x][c]
                                          : MIN((2 * max * p + q) / (2 * q), max);
        fail_unless(made[y][x][c] == wanted,
                    "%s %s, %dx%d, seed %u: component %u at %d, %d is %" G_GUINT64_FORMAT
                    " and not %" G_GUINT64_FORMAT,
                    format, properties, width, height, seed, c, x, y, made[y][x][c], wanted);
      }
}

GST_START_TEST(random_images) {
  for (guint seed = 0; seed < N_IMAGES; seed++)
    check_image(formats[seed % G_N_ELEMENTS(formats)], seed % G_N_ELEMENTS(kernels), seed);
}
GST_END_TEST;

/* --- over another image --- */

#define SIDE 64

/* A white square on transparent red. */
static GstBuffer *
square_new(const gchar *caps) {
  GstBuffer *buffer = test_frame_flat(caps, 0);
  GstMapInfo map;
  gst_buffer_map(buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < SIDE * SIDE; i++) {
    const guint x = i % SIDE, y = i / SIDE;
    const gboolean is_inside = x >= 20 && x < 44 && y >= 20 && y < 44;
    const guint8 pixel[4] = {255, is_inside ? 255 : 0, is_inside ? 255 : 0, is_inside ? 255 : 0};
    memcpy(map.data + 4 * i, pixel, 4);
  }
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

/* The largest share of red in a pixel after the square was blurred and drawn over green. On white
 * over green, red is never above blue. */
static gint
find_red(const gchar *alpha) {
  g_autofree gchar *caps = test_caps("RGBA", SIDE, SIDE);
  g_autofree gchar *properties = g_strdup_printf("kernel=gaussian sigma=4 alpha=%s", alpha);
  g_autoptr(GstBuffer) square = test_filter(properties, caps, square_new(caps));
  g_autoptr(GError) error = NULL;
  g_autoptr(GstElement) pipeline = gst_parse_launch(
      "appsrc name=square format=time ! c.sink_1 videotestsrc num-buffers=1 pattern=green ! "
      "video/x-raw,format=RGBA,width=64,height=64,framerate=30/1 ! c.sink_0 "
      "compositor name=c sink_0::zorder=0 sink_1::zorder=1 ! video/x-raw,format=RGBA ! appsink "
      "name=out sync=false",
      &error);
  fail_unless(pipeline != NULL && !error, "%s", error ? error->message : "");
  g_autoptr(GstElement) source = gst_bin_get_by_name(GST_BIN(pipeline), "square");
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  g_autoptr(GstCaps) source_caps = gst_caps_from_string(caps);
  GstFlowReturn ret;
  g_autoptr(GstSample) sample = NULL;
  GstMapInfo map;
  gint most = -255;
  g_object_set(source, "caps", source_caps, NULL);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GST_BUFFER_PTS(square) = 0;
  GST_BUFFER_DURATION(square) = GST_SECOND / 30;
  g_signal_emit_by_name(source, "push-buffer", square, &ret);
  g_signal_emit_by_name(source, "end-of-stream", &ret);
  g_signal_emit_by_name(sink, "pull-sample", &sample);
  fail_unless(sample != NULL);
  gst_buffer_map(gst_sample_get_buffer(sample), &map, GST_MAP_READ);
  for (guint i = 0; i < SIDE * SIDE; i++)
    most = MAX(most, map.data[4 * i] - map.data[4 * i + 2]);
  gst_buffer_unmap(gst_sample_get_buffer(sample), &map);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return most;
}

/* `compositor` rounds, so a difference of 1 is no fringe. */
GST_START_TEST(no_fringe) {
  fail_unless(find_red("weighted") <= 1, "%d", find_red("weighted"));
  fail_unless(find_red("filter") > 20, "%d", find_red("filter"));
}
GST_END_TEST;

static Suite *
weighted_suite(void) {
  Suite *s = suite_create("weighted");
  TCase *formula = tcase_create("formula"), *fringe = tcase_create("fringe");
  tcase_set_timeout(formula, 300);
  tcase_add_test(formula, random_images);
  tcase_add_test(fringe, no_fringe);
  suite_add_tcase(s, formula);
  suite_add_tcase(s, fringe);
  return s;
}

TEST_MAIN(weighted)
