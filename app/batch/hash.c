/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hash.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define EDGE ((gsize)64 << 10) /* bytes that a sample takes from each end of the file */
#define BLOCK ((gsize)4 << 10)
#define BLOCKS 64
#define MAX_READ ((gsize)1 << 20) /* bytes */

/* ---- files ---- */

static gboolean
fail(const gchar *path, GError **error) {
  const gint code = errno;
  g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code), "%s: %s", path,
              code == ENOENT ? "there is no such file" : g_strerror(code));
  return FALSE;
}

static int
open_file(const gchar *path, guint64 *size, GError **error) {
  struct stat file;
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 || fstat(fd, &file) != 0) {
    fail(path, error);
    if (fd >= 0)
      close(fd);
    return -1;
  }
  if (!S_ISREG(file.st_mode)) {
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: this is not a regular file", path);
    close(fd);
    return -1;
  }
  *size = (guint64)file.st_size;
  return fd;
}

/* Adds `count` bytes of the file, or fewer if the file ends earlier. */
static gboolean
add_bytes(GChecksum *checksum, int fd, guint64 from, guint64 count, gchar *buffer) {
  while (count > 0) {
    const ssize_t got = pread(fd, buffer, (gsize)MIN(count, MAX_READ), (off_t)from);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return FALSE;
    if (got == 0)
      return TRUE;
    g_checksum_update(checksum, (const guchar *)buffer, got);
    from += (guint64)got;
    count -= (guint64)got;
  }
  return TRUE;
}

static gboolean
add_sample(GChecksum *checksum, int fd, guint64 size, gchar *buffer) {
  const guint64 between = size - 2 * EDGE;
  g_autofree gchar *text = g_strdup_printf("%" G_GUINT64_FORMAT "\n", size);
  g_checksum_update(checksum, (const guchar *)text, -1);
  gboolean ok = add_bytes(checksum, fd, 0, EDGE, buffer);
  for (guint64 i = 0; ok && i < BLOCKS; i++)
    ok = add_bytes(checksum, fd, EDGE + between / BLOCKS * i, BLOCK, buffer);
  return ok && add_bytes(checksum, fd, size - EDGE, EDGE, buffer);
}

static gchar *
hash_bytes(const gchar *path, gboolean sample, GError **error) {
  guint64 size;
  const int fd = open_file(path, &size, error);
  if (fd < 0)
    return NULL;
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_MD5);
  g_autofree gchar *buffer = g_malloc(MAX_READ);
  const gboolean ok = sample && size > 2 * EDGE + BLOCKS * BLOCK
                          ? add_sample(checksum, fd, size, buffer)
                          : add_bytes(checksum, fd, 0, G_MAXUINT64, buffer);
  if (!ok)
    fail(path, error);
  close(fd);
  return ok ? g_strdup(g_checksum_get_string(checksum)) : NULL;
}

gchar *
hash_file(const gchar *path, GError **error) {
  return hash_bytes(path, FALSE, error);
}

gchar *
hash_file_sample(const gchar *path, GError **error) {
  return hash_bytes(path, TRUE, error);
}

/* ---- components of frames ---- */

/* Returns whether each sample of a component has one or two bytes of its own. */
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
  return !GST_VIDEO_FORMAT_INFO_HAS_PALETTE(format) && !GST_VIDEO_FORMAT_INFO_IS_COMPLEX(format);
}

/* Copies the samples of a row without gaps. In `from`, samples are `step` bytes apart. */
static void
deinterleave(guint8 *to, const guint8 *from, gint width, gint step, guint shift, gboolean wide,
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
  const gboolean is_plain = step == (wide ? 2 : 1) && shift == 0 && is_little;
  g_autofree guint8 *buffer = is_plain ? NULL : g_malloc((gsize)bytes);
  const guint8 *row = GST_VIDEO_FRAME_COMP_DATA(frame, component);
  /* GStreamer 1.22 states the offset of P010's V in samples, not in bytes */
  if (wide && GST_VIDEO_FRAME_COMP_POFFSET(frame, component) == 1)
    row++;
  for (gint y = GST_VIDEO_FRAME_COMP_HEIGHT(frame, component); y > 0; y--, row += stride) {
    if (buffer)
      deinterleave(buffer, row, width, step, shift, wide, is_little);
    g_checksum_update(checksum, buffer ? buffer : row, bytes);
  }
}

/* ---- planes of frames ---- */

/* Adds the rows of a plane. Of each row, adds as many bytes as GStreamer's default pitch has, which
 * is usually the number of bytes in a row, rounded up to a multiple of four. So a larger pitch of
 * the buffer does not change the hash. */
static void
add_plane(GChecksum *checksum, const GstVideoFrame *frame, guint plane) {
  GstVideoInfo unpadded;
  gst_video_info_set_format(&unpadded, GST_VIDEO_INFO_FORMAT(&frame->info),
                            (guint)GST_VIDEO_FRAME_WIDTH(frame),
                            (guint)GST_VIDEO_FRAME_HEIGHT(frame));
  const gint stride = GST_VIDEO_FRAME_PLANE_STRIDE(frame, plane);
  const gint bytes = MIN(GST_VIDEO_INFO_PLANE_STRIDE(&unpadded, plane), ABS(stride));
  const guint8 *row = GST_VIDEO_FRAME_PLANE_DATA(frame, plane);
  gint rows = 1; /* a palette has one row */
  for (guint i = 0; i < GST_VIDEO_FRAME_N_COMPONENTS(frame); i++) {
    if ((guint)GST_VIDEO_FRAME_COMP_PLANE(frame, i) == plane)
      rows = GST_VIDEO_FRAME_COMP_HEIGHT(frame, i);
  }
  for (; rows > 0; rows--, row += stride)
    g_checksum_update(checksum, row, bytes);
}

/* Adds all bytes of a frame whose planes consist of tiles, because such planes have no rows. */
static gboolean
add_tiles(GChecksum *checksum, GstBuffer *buffer) {
  GstMapInfo map;
  if (!gst_buffer_map(buffer, &map, GST_MAP_READ))
    return FALSE;
  g_checksum_update(checksum, map.data, (gssize)map.size);
  gst_buffer_unmap(buffer, &map);
  return TRUE;
}

gboolean
hash_add_frame(GChecksum *checksum, GstBuffer *buffer, const GstVideoInfo *info) {
  GstVideoFrame frame;
  if (GST_VIDEO_FORMAT_INFO_IS_TILED(info->finfo))
    return add_tiles(checksum, buffer);
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
hash_frame(GstBuffer *buffer, GstCaps *caps) {
  GstVideoInfo info;
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_MD5);
  if (!caps || !gst_video_info_from_caps(&info, caps) || !hash_add_frame(checksum, buffer, &info))
    return NULL;
  return g_strdup(g_checksum_get_string(checksum));
}
