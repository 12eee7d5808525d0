/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picture.h"

#include <string.h>

#include <gst/video/video.h>

#define GAP 8 /* pixels between the two pictures */
#define WHITE 0xff
#define CONVERT_TIMEOUT (10 * GST_SECOND)

static GstSample *
convert(GstSample *sample, const gchar *media_type, GError **error) {
  g_autoptr(GstCaps) caps = gst_caps_from_string(media_type);
  return gst_video_convert_sample(sample, caps, CONVERT_TIMEOUT, error);
}

/* Maps an RGB sample for reading; unmap the frame when done. */
static gboolean
map_rgb(GstSample *sample, GstVideoFrame *frame) {
  GstVideoInfo info;
  return gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) &&
         gst_video_frame_map(frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ);
}

static void
paste(GstVideoFrame *canvas, gint x, const GstVideoFrame *picture) {
  gint row_bytes = GST_VIDEO_FRAME_WIDTH(picture) * GST_VIDEO_FRAME_COMP_PSTRIDE(picture, 0);
  guint8 *to =
      (guint8 *)GST_VIDEO_FRAME_PLANE_DATA(canvas, 0) + x * GST_VIDEO_FRAME_COMP_PSTRIDE(canvas, 0);
  const guint8 *from = GST_VIDEO_FRAME_PLANE_DATA(picture, 0);
  for (gint y = 0; y < GST_VIDEO_FRAME_HEIGHT(picture); y++) {
    memcpy(to, from, row_bytes);
    to += GST_VIDEO_FRAME_PLANE_STRIDE(canvas, 0);
    from += GST_VIDEO_FRAME_PLANE_STRIDE(picture, 0);
  }
}

/* A new RGB sample that holds both frames; they share the left one's pixel aspect ratio. */
static GstSample *
join(const GstVideoFrame *left, const GstVideoFrame *right) {
  gint left_width = GST_VIDEO_FRAME_WIDTH(left);
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_RGB,
                            left_width + GAP + GST_VIDEO_FRAME_WIDTH(right),
                            MAX(GST_VIDEO_FRAME_HEIGHT(left), GST_VIDEO_FRAME_HEIGHT(right)));
  info.par_n = left->info.par_n;
  info.par_d = left->info.par_d;

  g_autoptr(GstBuffer) buffer = gst_buffer_new_allocate(NULL, info.size, NULL);
  gst_buffer_memset(buffer, 0, WHITE, info.size);
  GstVideoFrame canvas;
  if (!gst_video_frame_map(&canvas, &info, buffer, GST_MAP_WRITE))
    return NULL;
  paste(&canvas, 0, left);
  paste(&canvas, left_width + GAP, right);
  gst_video_frame_unmap(&canvas);

  g_autoptr(GstCaps) caps = gst_video_info_to_caps(&info);
  return gst_sample_new(buffer, caps, NULL, NULL);
}

static GstSample *
join_samples(GstSample *left, GstSample *right) {
  GstSample *joined = NULL;
  GstVideoFrame left_frame, right_frame;
  if (!map_rgb(left, &left_frame))
    return NULL;
  if (map_rgb(right, &right_frame)) {
    joined = join(&left_frame, &right_frame);
    gst_video_frame_unmap(&right_frame);
  }
  gst_video_frame_unmap(&left_frame);
  return joined;
}

static gboolean
write_buffer(GstBuffer *buffer, const gchar *path, GError **error) {
  GstMapInfo map;
  if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) {
    g_set_error(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "Cannot read the picture");
    return FALSE;
  }
  gboolean ok = g_file_set_contents(path, (const gchar *)map.data, (gssize)map.size, error);
  gst_buffer_unmap(buffer, &map);
  return ok;
}

gboolean
picture_save_pair(GstSample *before, GstSample *after, const gchar *path, GError **error) {
  g_autoptr(GstSample) left = convert(before, "video/x-raw, format=RGB", error);
  if (!left)
    return FALSE;
  g_autoptr(GstSample) right = convert(after, "video/x-raw, format=RGB", error);
  if (!right)
    return FALSE;
  g_autoptr(GstSample) joined = join_samples(left, right);
  if (!joined) {
    g_set_error(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "Cannot read the two frames");
    return FALSE;
  }
  g_autoptr(GstSample) png = convert(joined, "image/png", error);
  return png && write_buffer(gst_sample_get_buffer(png), path, error);
}
