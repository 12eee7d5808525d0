/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frames.h"

/* ---- components ---- */

/* Whether each sample of a component has one or two bytes of its own. */
static gboolean
has_samples(const GstVideoFormatInfo *format, guint component) {
  const gint depth = GST_VIDEO_FORMAT_INFO_DEPTH(format, component);
  const gint bytes = depth > 8 ? 2 : 1;
  return depth >= 8 && depth <= 16 && GST_VIDEO_FORMAT_INFO_PSTRIDE(format, component) >= bytes &&
         (gint)GST_VIDEO_FORMAT_INFO_SHIFT(format, component) + depth <= 8 * bytes;
}

static gboolean
all_have_samples(const GstVideoFormatInfo *format) {
  for (guint i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS(format); i++) {
    if (!has_samples(format, i))
      return FALSE;
  }
  return !GST_VIDEO_FORMAT_INFO_HAS_PALETTE(format) && !GST_VIDEO_FORMAT_INFO_IS_COMPLEX(format) &&
         !GST_VIDEO_FORMAT_INFO_IS_TILED(format);
}

/* Takes the samples of a row out of what is between them. */
static void
gather(guint8 *to, const guint8 *from, gint width, gint step, guint shift, gboolean wide,
       gboolean is_little) {
  for (gint x = 0; x < width; x++, from += step) {
    if (!wide) {
      to[x] = (guint8)(*from >> shift);
      continue;
    }
    const guint16 value =
        (guint16)((is_little ? GST_READ_UINT16_LE(from) : GST_READ_UINT16_BE(from)) >> shift);
    GST_WRITE_UINT16_LE(to + 2 * x, value);
  }
}

static void
add_component(GChecksum *checksum, const GstVideoFrame *frame, guint component) {
  const GstVideoFormatInfo *format = frame->info.finfo;
  const gboolean wide = GST_VIDEO_FORMAT_INFO_DEPTH(format, component) > 8;
  const gboolean is_little = GST_VIDEO_FORMAT_INFO_IS_LE(format) || !wide;
  const guint shift = GST_VIDEO_FORMAT_INFO_SHIFT(format, component);
  const gint step = GST_VIDEO_FRAME_COMP_PSTRIDE(frame, component);
  const gint width = GST_VIDEO_FRAME_COMP_WIDTH(frame, component);
  const gint stride = GST_VIDEO_FRAME_COMP_STRIDE(frame, component);
  const gssize bytes = (gssize)width * (wide ? 2 : 1);
  const gboolean as_they_are = step == (wide ? 2 : 1) && shift == 0 && is_little;
  g_autofree guint8 *room = as_they_are ? NULL : g_malloc((gsize)bytes);
  const guint8 *row = GST_VIDEO_FRAME_COMP_DATA(frame, component);
  /* GStreamer 1.22 gives the place of P010's V in samples, not in bytes */
  if (wide && GST_VIDEO_FRAME_COMP_POFFSET(frame, component) == 1)
    row++;
  for (gint y = GST_VIDEO_FRAME_COMP_HEIGHT(frame, component); y > 0; y--, row += stride) {
    if (room)
      gather(room, row, width, step, shift, wide, is_little);
    g_checksum_update(checksum, room ? room : row, bytes);
  }
}

/* ---- planes ---- */

/* Rows without what is between them. Such formats have as many bytes in a row as rows that are not
 * padded, to the multiple of four that GStreamer wants. */
static void
add_plane(GChecksum *checksum, const GstVideoFrame *frame, guint plane) {
  GstVideoInfo packed;
  gst_video_info_set_format(&packed, GST_VIDEO_INFO_FORMAT(&frame->info),
                            (guint)GST_VIDEO_FRAME_WIDTH(frame),
                            (guint)GST_VIDEO_FRAME_HEIGHT(frame));
  const gint stride = GST_VIDEO_FRAME_PLANE_STRIDE(frame, plane);
  const gint bytes = MIN(GST_VIDEO_INFO_PLANE_STRIDE(&packed, plane), ABS(stride));
  const guint8 *row = GST_VIDEO_FRAME_PLANE_DATA(frame, plane);
  gint rows = 1; /* of a palette */
  for (guint i = 0; i < GST_VIDEO_FRAME_N_COMPONENTS(frame); i++) {
    if ((guint)GST_VIDEO_FRAME_COMP_PLANE(frame, i) == plane)
      rows = GST_VIDEO_FRAME_COMP_HEIGHT(frame, i);
  }
  for (; rows > 0; rows--, row += stride)
    g_checksum_update(checksum, row, bytes);
}

gboolean
frames_update(GChecksum *checksum, GstBuffer *buffer, const GstVideoInfo *info) {
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, info, buffer, GST_MAP_READ))
    return FALSE;
  if (all_have_samples(frame.info.finfo)) {
    for (guint i = 0; i < GST_VIDEO_FRAME_N_COMPONENTS(&frame); i++)
      add_component(checksum, &frame, i);
  } else {
    for (guint i = 0; i < GST_VIDEO_FRAME_N_PLANES(&frame); i++)
      add_plane(checksum, &frame, i);
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
