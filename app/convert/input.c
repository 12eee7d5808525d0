/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "input.h"
#include "elements.h"
#include "atomicfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static gboolean
refuse(GError **error, gint code, const gchar *name, const gchar *why) {
  g_set_error(error, G_FILE_ERROR, code, "%s: %s", name, why);
  return FALSE;
}

/* TRUE for image formats whose decoder needs the whole file in one buffer. Only imagesequencesrc
 * outputs whole files. FALSE for a file name with %, because imagesequencesrc would replace the %
 * by a number. */
static gboolean
needs_whole_image(const gchar *path) {
  g_autofree gchar *lower = g_ascii_strdown(path, -1);
  return (g_str_has_suffix(lower, ".tiff") || g_str_has_suffix(lower, ".tif") ||
          g_str_has_suffix(lower, ".bmp")) &&
         !strchr(path, '%');
}

static gchar *
sequence_uri(const gchar *pattern, const gchar *first, const gchar *last, const gchar *rate) {
  g_autofree gchar *path = g_canonicalize_filename(pattern, NULL);
  g_autoptr(GstUri) uri =
      gst_uri_new("imagesequence", NULL, NULL, GST_URI_NO_PORT, path, NULL, NULL);
  gst_uri_set_query_value(uri, "start-index", first);
  gst_uri_set_query_value(uri, "stop-index", last);
  gst_uri_set_query_value(uri, "framerate", rate);
  return gst_uri_to_string(uri);
}

/* Opens a pipe and returns a URI for fdsrc. filesrc would block in open() until the pipe has a
 * writer, and a signal could not end the wait. fdsrc waits for data and can be interrupted. The
 * descriptor is never closed, because the source may outlive the Input. */
static gchar *
pipe_uri(const gchar *path, const gchar *name, GError **error) {
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    const gint code = errno;
    refuse(error, g_file_error_from_errno(code), name, g_strerror(code));
    return NULL;
  }
  return g_strdup_printf("fd://%d", fd);
}

/* ---- TIFF ---- */

#define TIFF_BITS_PER_SAMPLE 258
#define TIFF_SHORT 3

/* Reads the tag BitsPerSample of the first directory (TIFF 6.0, pages 13 to 15 and 29). tiff_depth
 * and tiff_samples stay 0 if the file is not a TIFF. */
static void
read_tiff(Input *self, const gchar *path) {
  guint8 head[8], count[2], entry[12], value[2];
  FILE *file = g_file_test(path, G_FILE_TEST_IS_REGULAR) ? fopen(path, "rbe") : NULL;
  if (!file) /* such as a pipe, whose data can be read only once */
    return;
  const gboolean read = fread(head, sizeof head, 1, file) == 1;
  const gboolean little = read && memcmp(head, "II*\0", 4) == 0;
  const gboolean big = read && memcmp(head, "MM\0*", 4) == 0;
#define U16(at) (little ? GST_READ_UINT16_LE(at) : GST_READ_UINT16_BE(at))
#define U32(at) (little ? GST_READ_UINT32_LE(at) : GST_READ_UINT32_BE(at))
  if ((little || big) && fseek(file, (long)U32(head + 4), SEEK_SET) == 0 &&
      fread(count, sizeof count, 1, file) == 1) {
    for (guint i = U16(count); i > 0 && fread(entry, sizeof entry, 1, file) == 1; i--) {
      if (U16(entry) != TIFF_BITS_PER_SAMPLE || U16(entry + 2) != TIFF_SHORT)
        continue;
      /* The entry holds one or two values directly. For more values it holds their file offset. */
      self->tiff_samples = U32(entry + 4);
      if (self->tiff_samples <= 2)
        self->tiff_depth = U16(entry + 8);
      else if (fseek(file, (long)U32(entry + 8), SEEK_SET) == 0 &&
               fread(value, sizeof value, 1, file) == 1)
        self->tiff_depth = U16(value);
      break;
    }
  }
#undef U16
#undef U32
  fclose(file);
}

/* Takes ownership of `path`. */
static gboolean
init_file(Input *self, gchar *path, GError **error) {
  self->path = path;
  read_tiff(self, path);
  if (stat(path, &self->at_start) != 0) {
    gint code = errno;
    memset(&self->at_start, 0, sizeof self->at_start);
    return refuse(error, g_file_error_from_errno(code), self->name,
                  code == ENOENT ? "there is no such file" : g_strerror(code));
  }
  if (S_ISDIR(self->at_start.st_mode))
    return refuse(error, G_FILE_ERROR_ISDIR, self->name,
                  "this is a folder; name numbered images in it as FOLDER/%04d.png");
  if (S_ISFIFO(self->at_start.st_mode))
    self->uri = pipe_uri(path, self->name, error);
  else if (needs_whole_image(path))
    self->uri = sequence_uri(path, "0", "0", "25/1");
  else
    self->uri = gst_filename_to_uri(path, error);
  return self->uri != NULL;
}

gboolean
input_init(Input *self, const gchar *name, GError **error) {
  memset(self, 0, sizeof *self);
  self->name = name;
  if (g_str_has_prefix(name, "/dev/video")) {
    if (!g_file_test(name, G_FILE_TEST_EXISTS))
      return refuse(error, G_FILE_ERROR_NOENT, name, "there is no such camera");
    self->uri = g_strconcat("v4l2://", name, NULL);
    return TRUE;
  }
  if (g_file_test(name, G_FILE_TEST_EXISTS))
    return init_file(self, g_strdup(name), error);
  if (gst_uri_is_valid(name)) {
    gchar *path = g_filename_from_uri(name, NULL, NULL);
    if (path)
      return init_file(self, path, error);
    self->uri = g_strdup(name);
    return TRUE;
  }
  if (!sequence_is_pattern(name))
    return init_file(self, g_strdup(name), error);
  self->sequence = sequence_new(name, error);
  if (!self->sequence || !sequence_find(self->sequence, &self->first, &self->last, error))
    return FALSE;
  g_autofree gchar *first = sequence_name(self->sequence, self->first);
  read_tiff(self, first);
  return TRUE;
}

void
input_clear(Input *self) {
  g_clear_pointer(&self->path, g_free);
  g_clear_pointer(&self->uri, g_free);
  g_clear_pointer(&self->sequence, sequence_free);
  g_clear_pointer(&self->files, g_hash_table_unref);
}

gboolean
input_check_unchanged(const Input *self, GError **error) {
  struct stat now;
  if (self->at_start.st_nlink == 0 || !S_ISREG(self->at_start.st_mode))
    return TRUE;
  if (stat(self->path, &now) != 0)
    return refuse(error, g_file_error_from_errno(errno), self->name,
                  "the file was removed while it was being read");
  if (now.st_dev != self->at_start.st_dev || now.st_ino != self->at_start.st_ino ||
      now.st_size < self->at_start.st_size)
    return refuse(error, G_FILE_ERROR_FAILED, self->name,
                  "the file changed while it was being read");
  return TRUE;
}

gboolean
input_has_file(Input *self, const gchar *path) {
  if (!self->files) {
    self->files = file_set_new();
    if (self->path)
      file_set_add(self->files, self->path);
    for (guint i = self->first; self->sequence && i <= self->last; i++) {
      g_autofree gchar *name = sequence_name(self->sequence, i);
      file_set_add(self->files, name);
    }
  }
  return file_set_has(self->files, path);
}

/* ---- the source ---- */

/* Chooses decodebin's decoder of 16-bit TIFF through the rank of GdkPixbuf's decoder.
 *
 * RGB needs GdkPixbuf's decoder, which outputs 8 bits. libav's decoder fails with RGB, because
 * GStreamer lacks the format that libav outputs. Grey needs libav's decoder, which keeps 16 bits.
 * Versions of GStreamer differ in the decoder that they prefer by default. For all other inputs the
 * original rank of GdkPixbuf's decoder is restored. */
static void
choose_tiff_decoder(const Input *self) {
  static guint usual = G_MAXUINT;
  g_autoptr(GstElementFactory) decoder = gst_element_factory_find("gdkpixbufdec");
  if (!decoder)
    return;
  if (usual == G_MAXUINT)
    usual = gst_plugin_feature_get_rank(GST_PLUGIN_FEATURE(decoder));
  guint rank = usual;
  if (self->tiff_depth > 8)
    rank = self->tiff_samples >= 3 ? GST_RANK_PRIMARY + 1 : GST_RANK_NONE;
  gst_plugin_feature_set_rank(GST_PLUGIN_FEATURE(decoder), rank);
}

static void
set_one_buffer(GstElement *source, GstElement *element, gpointer user_data) {
  g_object_set(element, "num-buffers", 1, NULL);
}

static gboolean
continue_with_video(GstElement *source, GstPad *pad, GstCaps *caps, gpointer user_data) {
  return elements_is_video(caps);
}

/* Ends the reads of libav's demuxers at the end of a file. GStreamer before 1.25.1 returns 0 bytes
 * at the end. libav treats 0 bytes as an invalid read and retries. Some demuxers, such as
 * avdemux_gif, would then read forever. */
static GstPadProbeReturn
end_reads(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  gint64 size;
  if (!gst_pad_peer_query_duration(pad, GST_FORMAT_BYTES, &size) ||
      GST_PAD_PROBE_INFO_OFFSET(info) < (guint64)size)
    return GST_PAD_PROBE_PASS;
  return GST_PAD_PROBE_HANDLED; /* no buffer: libav reports an error and ends the stream */
}

typedef struct {
  GstClockTime pts, duration;
} PacketTime;

static GstPadProbeReturn
save_packet_time(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  PacketTime *time = user_data;
  time->pts = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
  time->duration = GST_BUFFER_DURATION(GST_PAD_PROBE_INFO_BUFFER(info));
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
set_frame_time(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  const PacketTime *time = user_data;
  GstBuffer *frame = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_BUFFER_PTS(frame) = time->pts;
  GST_BUFFER_DURATION(frame) = time->duration;
  GST_PAD_PROBE_INFO_DATA(info) = frame;
  return GST_PAD_PROBE_OK;
}

/* Sets the time of each frame of avdec_gif to the time of its packet. Before GStreamer 1.24 the
 * decoder gives all frames the time of the first packet. It outputs the frame of a packet before it
 * takes the next packet. QoS is disabled, because the wrong times would make the decoder drop
 * frames as late. */
static void
copy_packet_times(GstElement *decoder) {
  PacketTime *time = g_new0(PacketTime, 1);
  g_object_set_data_full(G_OBJECT(decoder), "cudaconv-packet-time", time, g_free);
  g_autoptr(GstPad) sink = gst_element_get_static_pad(decoder, "sink");
  g_autoptr(GstPad) src = gst_element_get_static_pad(decoder, "src");
  gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_BUFFER, save_packet_time, time, NULL);
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, set_frame_time, time, NULL);
  g_object_set(decoder, "qos", FALSE, NULL);
}

static void
on_element_added(GstBin *source, GstBin *bin, GstElement *element, gpointer user_data) {
  const GstElementFactory *factory = gst_element_get_factory(element);
  const gchar *name = factory ? GST_OBJECT_NAME(factory) : "";
  guint major, minor, micro, nano;
  gst_version(&major, &minor, &micro, &nano);
  if (g_str_has_prefix(name, "avdemux_") && minor < 25) {
    g_autoptr(GstPad) sink = gst_element_get_static_pad(element, "sink");
    gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_PULL | GST_PAD_PROBE_TYPE_BLOCK, end_reads, NULL,
                      NULL);
  } else if (g_str_equal(name, "avdec_gif") && minor < 24) {
    copy_packet_times(element);
  }
}

GstElement *
input_new_source(const Input *self, const gchar *rate, gboolean video_only, GError **error) {
  GstElement *source = elements_new("uridecodebin", "source", error);
  if (!source)
    return NULL;
  g_autofree gchar *uri = NULL;
  if (self->sequence) {
    g_autofree gchar *pattern = sequence_pattern(self->sequence);
    g_autofree gchar *first = g_strdup_printf("%u", self->first);
    g_autofree gchar *last = g_strdup_printf("%u", self->last);
    uri = sequence_uri(pattern, first, last, rate);
  }
  choose_tiff_decoder(self);
  g_object_set(source, "uri", uri ? uri : self->uri, NULL);
  g_signal_connect(source, "deep-element-added", G_CALLBACK(on_element_added), NULL);
  if (self->path && needs_whole_image(self->path))
    g_signal_connect(source, "source-setup", G_CALLBACK(set_one_buffer), NULL);
  if (video_only)
    g_signal_connect(source, "autoplug-continue", G_CALLBACK(continue_with_video), NULL);
  return source;
}
