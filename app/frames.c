/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frames.h"

/* Bytes of a row of a plane without padding. */
static gsize
row_bytes(const GstVideoFrame *frame, guint plane) {
  const GstVideoFormatInfo *format = frame->info.finfo;
  for (guint i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS(format); i++) {
    const gint step = GST_VIDEO_FORMAT_INFO_PSTRIDE(format, i);
    if ((guint)GST_VIDEO_FORMAT_INFO_PLANE(format, i) == plane && step > 0)
      return (gsize)step * (gsize)GST_VIDEO_FRAME_COMP_WIDTH(frame, i);
  }
  /* formats whose samples share bytes have no step */
  GstVideoInfo packed;
  gst_video_info_set_format(&packed, GST_VIDEO_INFO_FORMAT(&frame->info),
                            (guint)GST_VIDEO_FRAME_WIDTH(frame),
                            (guint)GST_VIDEO_FRAME_HEIGHT(frame));
  return (gsize)GST_VIDEO_INFO_PLANE_STRIDE(&packed, plane);
}

static gint
plane_rows(const GstVideoFrame *frame, guint plane) {
  const GstVideoFormatInfo *format = frame->info.finfo;
  for (guint i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS(format); i++) {
    if ((guint)GST_VIDEO_FORMAT_INFO_PLANE(format, i) == plane)
      return GST_VIDEO_FRAME_COMP_HEIGHT(frame, i);
  }
  return 1; /* of a palette */
}

gboolean
frames_update(GChecksum *checksum, GstBuffer *buffer, const GstVideoInfo *info) {
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, info, buffer, GST_MAP_READ))
    return FALSE;
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&frame); plane++) {
    const gsize bytes = row_bytes(&frame, plane);
    const gint stride = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane);
    const guint8 *row = GST_VIDEO_FRAME_PLANE_DATA(&frame, plane);
    for (gint y = plane_rows(&frame, plane); y > 0; y--, row += stride)
      g_checksum_update(checksum, row, (gssize)bytes);
  }
  gst_video_frame_unmap(&frame);
  return TRUE;
}

gchar *
frames_hash(GstBuffer *buffer, GstCaps *caps) {
  GstVideoInfo info;
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_MD5);
  if (!caps || !gst_video_info_from_caps(&info, caps) || !frames_update(checksum, buffer, &info))
    return NULL;
  return g_strdup(g_checksum_get_string(checksum));
}
