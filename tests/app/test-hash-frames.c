/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The hash of a frame does not depend on its layout in memory: rows without padding, with padding
 * or upside down, and planar or interleaved samples. */

#include "app/batch/hash.h"

#include <string.h>

#define PADDING 96 /* bytes after each row */

typedef enum { UNPADDED, PADDED, UPSIDE_DOWN } Layout;

typedef struct {
  GstVideoFormat format;
  gint width, height;
} Shape;

static guint
rows_of(const GstVideoInfo *info, guint plane) {
  for (guint i = 0; i < GST_VIDEO_INFO_N_COMPONENTS(info); i++) {
    if ((guint)GST_VIDEO_INFO_COMP_PLANE(info, i) == plane)
      return (guint)GST_VIDEO_INFO_COMP_HEIGHT(info, i);
  }
  g_assert_not_reached();
}

/* Returns a buffer whose bytes are all `garbage`. */
static GstBuffer *
make_buffer(const GstVideoInfo *info, Layout layout, guint8 garbage) {
  gsize offset[GST_VIDEO_MAX_PLANES] = {0}, size = 0;
  gint stride[GST_VIDEO_MAX_PLANES] = {0};
  const guint planes = GST_VIDEO_INFO_N_PLANES(info);
  for (guint i = 0; i < planes; i++) {
    const gint length = GST_VIDEO_INFO_PLANE_STRIDE(info, i) + (layout == UNPADDED ? 0 : PADDING);
    const gsize bytes = (gsize)length * rows_of(info, i);
    offset[i] = layout == UPSIDE_DOWN ? size + bytes - (gsize)length : size;
    stride[i] = layout == UPSIDE_DOWN ? -length : length;
    size += bytes;
  }
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, size, NULL);
  gst_buffer_memset(buffer, 0, garbage, size);
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(info),
                                 (guint)GST_VIDEO_INFO_WIDTH(info),
                                 (guint)GST_VIDEO_INFO_HEIGHT(info), planes, offset, stride);
  return buffer;
}

/* Returns the value of a sample. In a small frame all values differ. */
static guint
sample_value(guint component, gint x, gint y, guint depth) {
  return (component * 83 + (guint)y * 29 + (guint)x * 7 + 1) & ((1u << depth) - 1);
}

static void
write_sample(GstVideoFrame *frame, guint component, gint x, gint y, guint value) {
  const GstVideoFormatInfo *format = frame->info.finfo;
  guint8 *to = (guint8 *)GST_VIDEO_FRAME_COMP_DATA(frame, component) +
               y * GST_VIDEO_FRAME_COMP_STRIDE(frame, component) +
               x * GST_VIDEO_FRAME_COMP_PSTRIDE(frame, component);
  /* GStreamer 1.22 has the offset of V in samples, not in bytes */
  if (GST_VIDEO_FRAME_FORMAT(frame) == GST_VIDEO_FORMAT_P010_10LE && component == 2)
    to += 2 - GST_VIDEO_FRAME_COMP_POFFSET(frame, component);
  value <<= GST_VIDEO_FORMAT_INFO_SHIFT(format, component);
  if (GST_VIDEO_FORMAT_INFO_DEPTH(format, component) <= 8)
    *to = (guint8)value;
  else if (GST_VIDEO_FORMAT_INFO_IS_LE(format))
    GST_WRITE_UINT16_LE(to, value);
  else
    GST_WRITE_UINT16_BE(to, value);
}

static void
fill_samples(GstVideoFrame *frame) {
  for (guint i = 0; i < GST_VIDEO_FRAME_N_COMPONENTS(frame); i++) {
    const guint depth = (guint)GST_VIDEO_FRAME_COMP_DEPTH(frame, i);
    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(frame, i); y++) {
      for (gint x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH(frame, i); x++)
        write_sample(frame, i, x, y, sample_value(i, x, y, depth));
    }
  }
}

/* Fills a frame of a format whose samples share bytes. */
static void
fill_rows(GstVideoFrame *frame, const GstVideoInfo *unpadded) {
  guint8 *row = GST_VIDEO_FRAME_PLANE_DATA(frame, 0);
  for (gint y = 0; y < GST_VIDEO_FRAME_HEIGHT(frame); y++) {
    for (gint i = 0; i < GST_VIDEO_INFO_PLANE_STRIDE(unpadded, 0); i++)
      row[i] = (guint8)(y * 31 + i * 3);
    row += GST_VIDEO_FRAME_PLANE_STRIDE(frame, 0);
  }
}

static gboolean
shares_bytes(GstVideoFormat format) {
  return format == GST_VIDEO_FORMAT_v210 || format == GST_VIDEO_FORMAT_RGB16;
}

/* Returns the hash of a frame. A sample of component `changed` has another value; -1: none. */
static gchar *
hash_shape(const Shape *shape, Layout layout, guint8 garbage, gint changed) {
  GstVideoInfo info;
  GstVideoFrame frame;
  g_assert_true(
      gst_video_info_set_format(&info, shape->format, (guint)shape->width, (guint)shape->height));
  g_autoptr(GstBuffer) buffer = make_buffer(&info, layout, garbage);
  g_assert_true(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READWRITE));
  if (shares_bytes(shape->format))
    fill_rows(&frame, &info);
  else
    fill_samples(&frame);
  const guint last = GST_VIDEO_FRAME_N_COMPONENTS(&frame) - 1;
  if (changed >= 0)
    write_sample(&frame, (guint)changed <= last ? (guint)changed : last, 1, 1, 0);
  gst_video_frame_unmap(&frame);
  g_autoptr(GstCaps) caps = gst_video_info_to_caps(&info);
  gchar *hash = hash_frame(buffer, caps);
  g_assert_nonnull(hash);
  return hash;
}

static void
test_layouts(gconstpointer data) {
  const Shape *shape = data;
  g_autofree gchar *unpadded = hash_shape(shape, UNPADDED, 0, -1);
  for (Layout layout = UNPADDED; layout <= UPSIDE_DOWN; layout++) {
    g_autofree gchar *zeros = hash_shape(shape, layout, 0, -1);
    g_autofree gchar *ones = hash_shape(shape, layout, 0xff, -1);
    g_assert_cmpstr(zeros, ==, unpadded);
    g_assert_cmpstr(ones, ==, unpadded);
  }
  for (gint component = 0; component < 3 && !shares_bytes(shape->format); component++) {
    g_autofree gchar *other = hash_shape(shape, PADDED, 0, component);
    g_assert_cmpstr(other, !=, unpadded);
  }
}

/* The hash of I420 is that of a file of raw planar video. */
static void
test_file(void) {
  static const gint planes[][2] = {{5, 3}, {3, 2}, {3, 2}};
  const Shape shape = {GST_VIDEO_FORMAT_I420, 5, 3};
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  for (guint i = 0; i < G_N_ELEMENTS(planes); i++) {
    for (gint y = 0; y < planes[i][1]; y++) {
      for (gint x = 0; x < planes[i][0]; x++) {
        const guint8 value = (guint8)sample_value(i, x, y, 8);
        g_byte_array_append(bytes, &value, 1);
      }
    }
  }
  g_autofree gchar *expected = g_compute_checksum_for_data(G_CHECKSUM_MD5, bytes->data, bytes->len);
  g_autofree gchar *hash = hash_shape(&shape, PADDED, 0xff, -1);
  g_assert_cmpstr(hash, ==, expected);
}

/* Formats with the same samples have the same hash. */
static void
test_alike(void) {
  static const GstVideoFormat alike[][3] = {
      {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_YV12},
      {GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_I420_10BE},
      {GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGR, GST_VIDEO_FORMAT_GBR},
      {GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_Y42B}};
  for (guint i = 0; i < G_N_ELEMENTS(alike); i++) {
    const Shape first = {alike[i][0], 6, 4};
    g_autofree gchar *expected = hash_shape(&first, UNPADDED, 0, -1);
    for (guint k = 1; k < 3; k++) {
      const Shape other = {alike[i][k], 6, 4};
      g_autofree gchar *hash = hash_shape(&other, PADDED, 0xff, -1);
      if (!g_str_equal(hash, expected))
        g_error("%s has another hash than %s", gst_video_format_to_string(other.format),
                gst_video_format_to_string(first.format));
    }
  }
}

/* Planes of tiles have no rows: their "stride" is two numbers of tiles. */
static void
test_tiles(void) {
  static const GstVideoFormat tiled[] = {GST_VIDEO_FORMAT_NV12_64Z32, GST_VIDEO_FORMAT_NV12_4L4,
                                         GST_VIDEO_FORMAT_NV12_32L32};
  for (guint i = 0; i < G_N_ELEMENTS(tiled); i++) {
    GstVideoInfo info;
    g_assert_true(gst_video_info_set_format(&info, tiled[i], 128, 64));
    g_autoptr(GstCaps) caps = gst_video_info_to_caps(&info);
    g_autoptr(GstBuffer) buffer = gst_buffer_new_allocate(NULL, info.size, NULL);
    gst_buffer_memset(buffer, 0, 0, info.size);
    g_autofree gchar *zeros = hash_frame(buffer, caps);
    gst_buffer_memset(buffer, info.size - 1, 1, 1);
    g_autofree gchar *other = hash_frame(buffer, caps);
    g_assert_nonnull(zeros);
    g_assert_nonnull(other);
    g_assert_cmpstr(zeros, !=, other);
  }
}

static void
test_no_frame(void) {
  g_autoptr(GstBuffer) buffer = gst_buffer_new_allocate(NULL, 3, NULL);
  g_autoptr(GstCaps) audio = gst_caps_new_empty_simple("audio/x-raw");
  g_autoptr(GstCaps) large = gst_caps_from_string("video/x-raw,format=I420,width=64,height=64");
  g_assert_null(hash_frame(buffer, NULL));
  g_assert_null(hash_frame(buffer, audio));
  gst_debug_set_default_threshold(GST_LEVEL_NONE);
  g_assert_null(hash_frame(buffer, large));
}

int
main(int argc, char **argv) {
  static const Shape shapes[] = {
      {GST_VIDEO_FORMAT_I420, 5, 3},      {GST_VIDEO_FORMAT_I420, 64, 48},
      {GST_VIDEO_FORMAT_NV12, 5, 3},      {GST_VIDEO_FORMAT_NV21, 7, 5},
      {GST_VIDEO_FORMAT_Y444, 5, 3},      {GST_VIDEO_FORMAT_I420_10LE, 5, 3},
      {GST_VIDEO_FORMAT_P010_10LE, 5, 3}, {GST_VIDEO_FORMAT_GRAY8, 3, 3},
      {GST_VIDEO_FORMAT_GRAY16_BE, 3, 3}, {GST_VIDEO_FORMAT_RGB, 3, 3},
      {GST_VIDEO_FORMAT_RGBA, 3, 3},      {GST_VIDEO_FORMAT_AYUV64, 3, 3},
      {GST_VIDEO_FORMAT_UYVY, 6, 3},      {GST_VIDEO_FORMAT_v210, 50, 3},
      {GST_VIDEO_FORMAT_v210, 48, 3},     {GST_VIDEO_FORMAT_RGB16, 4, 3}};
  g_test_init(&argc, &argv, NULL);
  gst_init(&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS(shapes); i++) {
    g_autofree gchar *name =
        g_strdup_printf("/frames/layouts/%s-%dx%d", gst_video_format_to_string(shapes[i].format),
                        shapes[i].width, shapes[i].height);
    g_test_add_data_func(name, &shapes[i], test_layouts);
  }
  g_test_add_func("/frames/file", test_file);
  g_test_add_func("/frames/alike", test_alike);
  g_test_add_func("/frames/tiles", test_tiles);
  g_test_add_func("/frames/no-frame", test_no_frame);
  return g_test_run();
}
