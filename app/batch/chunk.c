/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chunk.h"
#include "app/convert/atomicfile.h"
#include "app/convert/elements.h"
#include "app/convert/mux.h"
#include "app/convert/video.h"
#include "chunkreader.h"
#include "hash.h"

#include <gst/video/video.h>

typedef struct {
  Record *record;
  GArray *packets;
  Mux *mux;
  Video *video;
  ChunkReader *reader;
  const ConvertOptions *options;
  gboolean has_video;
  GChecksum *checksum;
  GstVideoInfo format; /* format of the frames that the encoder gets */
} ChunkRun;

/* ---- frames and packets of the encoder ---- */

static GstPadProbeReturn
on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  ChunkRun *self = user_data;
  GstCaps *caps;
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    self->record->frames++;
    if (!hash_add_frame(self->checksum, GST_PAD_PROBE_INFO_BUFFER(info), &self->format))
      run_fail(self->mux->run,
               g_error_new(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                           "%s: a filtered frame cannot be read", self->mux->run->output));
  } else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_CAPS) {
    gst_event_parse_caps(GST_PAD_PROBE_INFO_EVENT(info), &caps);
    gst_video_info_from_caps(&self->format, caps);
  }
  return GST_PAD_PROBE_OK;
}

static gint64
running_time(const GstSegment *segment, GstClockTime time) {
  guint64 running;
  if (!GST_CLOCK_TIME_IS_VALID(time))
    return CHUNK_NO_TIME;
  const gint sign = gst_segment_to_running_time_full(segment, GST_FORMAT_TIME, time, &running);
  return sign == 0 ? CHUNK_NO_TIME : sign * (gint64)running;
}

static GstPadProbeReturn
on_packet(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  ChunkRun *self = user_data;
  const GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  g_autoptr(GstEvent) event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  if (event)
    gst_event_copy_segment(event, &segment);
  const ChunkPacket packet = {
      running_time(&segment, GST_BUFFER_PTS(buffer)),
      running_time(&segment, GST_BUFFER_DTS(buffer)),
      GST_BUFFER_DURATION_IS_VALID(buffer) ? (gint64)GST_BUFFER_DURATION(buffer) : CHUNK_NO_TIME};
  g_array_append_val(self->packets, packet);
  return GST_PAD_PROBE_OK;
}

/* Returns the value of --encoder. Without --encoder, returns the name and version of the encoder
 * element, such as "x264enc 1.22.0", or NULL if they are not known. */
static gchar *
describe_encoder(GstElement *bin, const ConvertOptions *options) {
  g_autoptr(GstElement) encoder = gst_bin_get_by_name(GST_BIN(bin), "encoder");
  GstElementFactory *factory = encoder ? gst_element_get_factory(encoder) : NULL;
  g_autoptr(GstPlugin) plugin =
      factory ? gst_plugin_feature_get_plugin(GST_PLUGIN_FEATURE(factory)) : NULL;
  if (options->encoder || !plugin)
    return g_strdup(options->encoder);
  return g_strdup_printf("%s %s", GST_OBJECT_NAME(factory), gst_plugin_get_version(plugin));
}

/* ---- the source ---- */

static void
on_pad_added(GstElement *source, GstPad *pad, gpointer user_data) {
  ChunkRun *self = user_data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  if (self->has_video || !elements_is_frames(caps)) {
    elements_discard(self->mux->pipeline, pad);
    return;
  }
  self->has_video = TRUE;
  elements_complete_frames(pad);
  reader_attach(self->reader, source, pad, self->mux->run);
  if (!video_add(self->video, self->mux, pad, caps, &error)) {
    run_fail(self->mux->run, g_steal_pointer(&error));
    return;
  }
  self->record->encoder = describe_encoder(self->video->encoder, self->options);
  gst_pad_add_probe(self->video->frames,
                    GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_frame, self,
                    NULL);
  gst_pad_add_probe(self->video->packets, GST_PAD_PROBE_TYPE_BUFFER, on_packet, self, NULL);
}

static void
on_no_more_pads(GstElement *source, gpointer user_data) {
  ChunkRun *self = user_data;
  if (!self->has_video)
    run_fail_without_video(self->mux->run);
}

/* Completes the record at the end of the run. If the encoder got any frame, returns FALSE unless it
 * got all frames of the reader and made one packet for each. */
static gboolean
finish(ChunkRun *self, GError **error) {
  Record *record = self->record;
  ChunkReader *reader = self->reader;
  record->first = reader->first;
  record->hash = g_strdup(g_checksum_get_string(self->checksum));
  record->before = reader->before;
  record->last = reader->last;
  reader->before = reader->last = (BoundaryFrame){GST_CLOCK_TIME_NONE, NULL};
  if (record->frames == 0 ||
      (self->packets->len == record->frames && record->frames == reader->frames))
    return TRUE;
  g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_ENCODE,
              "%s: of %" G_GUINT64_FORMAT " frames the encoder got %" G_GUINT64_FORMAT
              " and made %u packets; choose another encoder with --encoder",
              self->mux->run->output, reader->frames, record->frames, self->packets->len);
  return FALSE;
}

static GstPadProbeReturn
keep_caps(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  Record *record = user_data;
  GstCaps *caps;
  if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps(GST_PAD_PROBE_INFO_EVENT(info), &caps);
  g_free(record->caps);
  record->caps = gst_caps_to_string(caps);
  return GST_PAD_PROBE_OK;
}

static void
on_muxer_pad(GstElement *muxer, GstPad *pad, gpointer user_data) {
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, keep_caps, user_data, NULL);
}

gboolean
chunk_encode(Record *record, GArray *packets, GstElement *filter, const Input *input,
             const ChunkRange *range, const gchar *location, PipelineRun *run, GError **error) {
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  g_auto(Mux) mux = {0};
  g_auto(Video) video = {.filter = filter,
                         .options = range->options,
                         .media = media_of_name(range->out),
                         .name = range->out,
                         .is_reproducible = TRUE};
  g_auto(ChunkReader) reader = {0};
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_MD5);
  reader_init(&reader, range->begin, range->end);
  elements_add(pipeline, filter);
  GstElement *source = input_new_source(input, NULL, TRUE, error);
  if (!source)
    return FALSE;
  elements_add(pipeline, source);
  if (!mux_init(&mux, pipeline, media_of_name(".mkv"), run->output, location, run, error))
    return FALSE;
  mux_fix_file(&mux, (guint32)(range->begin / GST_MSECOND));
  ChunkRun self = {record, packets, &mux, &video, &reader, range->options, FALSE, checksum, {0}};
  g_signal_connect(source, "pad-added", G_CALLBACK(on_pad_added), &self);
  g_signal_connect(source, "no-more-pads", G_CALLBACK(on_no_more_pads), &self);
  g_signal_connect(mux.muxer, "pad-added", G_CALLBACK(on_muxer_pad), record);
  run->video_only = TRUE;
  run->begin = range->begin;
  run->end = range->end;
  return run_play(run, pipeline, filter, error) && finish(&self, error);
}

/* ---- the file of times ---- */

gboolean
chunk_write_times(const GArray *packets, const gchar *path, const gchar *pattern, GError **error) {
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < packets->len; i++) {
    const ChunkPacket *packet = &g_array_index(packets, ChunkPacket, i);
    const gint64 times[] = {packet->pts, packet->dts, packet->duration};
    for (guint k = 0; k < G_N_ELEMENTS(times); k++) {
      if (times[k] != CHUNK_NO_TIME)
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT, k ? " " : "", times[k]);
      else
        g_string_append_printf(text, "%s-", k ? " " : "");
    }
    g_string_append_c(text, '\n');
  }
  return atomic_file_write(path, pattern, text->str, text->len, TRUE, error);
}

static gboolean
read_time(const gchar *word, gint64 limit, gint64 *time) {
  *time = CHUNK_NO_TIME;
  return g_str_equal(word, "-") ||
         g_ascii_string_to_signed(word, 10, -limit, G_MAXINT64 / 2, time, NULL);
}

GArray *
chunk_read_times(const gchar *path, gint64 limit, GError **error) {
  g_autofree gchar *text = NULL;
  if (!g_file_get_contents(path, &text, NULL, error))
    return NULL;
  g_autoptr(GArray) packets = g_array_new(FALSE, FALSE, sizeof(ChunkPacket));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (gchar **line = lines; *line && **line; line++) {
    g_auto(GStrv) words = g_strsplit(*line, " ", -1);
    ChunkPacket packet;
    if (g_strv_length(words) != 3 || !read_time(words[0], limit, &packet.pts) ||
        !read_time(words[1], limit, &packet.dts) || !read_time(words[2], limit, &packet.duration) ||
        (packet.duration < 0 && packet.duration != CHUNK_NO_TIME)) {
      g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "%s: it is damaged", path);
      return NULL;
    }
    g_array_append_val(packets, packet);
  }
  return g_steal_pointer(&packets);
}
