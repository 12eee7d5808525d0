/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chunk.h"
#include "app/convert/elements.h"
#include "frames.h"
#include "app/convert/mux.h"

#include <gst/video/video.h>

typedef struct {
  Chunk *chunk;
  Mux *mux;
  Video *video;
  ChunkReader *range;
  const VideoOptions *options;
  GstElement *filter, *source;
  gboolean has_video;
  GChecksum *checksum;
  GstVideoInfo format; /* of what the encoder gets */
} ChunkRun;

void
chunk_clear(Chunk *self) {
  g_clear_pointer(&self->hash, g_free);
  g_clear_pointer(&self->caps, g_free);
  g_clear_pointer(&self->encoder, g_free);
  g_clear_pointer(&self->packets, g_array_unref);
  boundary_frame_clear(&self->before);
  boundary_frame_clear(&self->last);
}

/* ---- what the encoder gets and makes ---- */

static GstPadProbeReturn
on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  ChunkRun *self = user_data;
  GstCaps *caps;
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    self->chunk->frames++;
    if (!frames_update(self->checksum, GST_PAD_PROBE_INFO_BUFFER(info), &self->format))
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
  g_array_append_val(self->chunk->packets, packet);
  return GST_PAD_PROBE_OK;
}

/* "x264enc 1.22.0", or what the user wrote. */
static gchar *
describe_encoder(GstElement *bin, const VideoOptions *options) {
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
  reader_attach(self->range, source, pad, self->mux->run);
  if (!video_add(self->video, self->mux, self->filter, self->options, pad, caps, &error)) {
    run_fail(self->mux->run, g_steal_pointer(&error));
    return;
  }
  self->chunk->encoder = describe_encoder(self->video->encoder, self->options);
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

/* What is known when it has ended. */
static gboolean
finish(ChunkRun *self, GError **error) {
  Chunk *chunk = self->chunk;
  chunk->first = self->range->first;
  chunk->hash = g_strdup(g_checksum_get_string(self->checksum));
  chunk->before = self->range->before;
  chunk->last = self->range->last;
  self->range->before = self->range->last = (BoundaryFrame){GST_CLOCK_TIME_NONE, NULL};
  if (chunk->frames == 0)
    return TRUE;
  if (chunk->packets->len == chunk->frames && chunk->frames == self->range->frames)
    return TRUE;
  g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_ENCODE,
              "%s: of %" G_GUINT64_FORMAT " frames the encoder got %" G_GUINT64_FORMAT
              " and made %u packets; another one has to be chosen with --encoder",
              self->mux->run->output, self->range->frames, chunk->frames, chunk->packets->len);
  return FALSE;
}

static GstPadProbeReturn
keep_caps(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  Chunk *chunk = user_data;
  GstCaps *caps;
  if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps(GST_PAD_PROBE_INFO_EVENT(info), &caps);
  g_free(chunk->caps);
  chunk->caps = gst_caps_to_string(caps);
  return GST_PAD_PROBE_OK;
}

static void
on_muxer_pad(GstElement *muxer, GstPad *pad, gpointer user_data) {
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, keep_caps, user_data, NULL);
}

gboolean
chunk_make(Chunk *self, GstElement *filter, const Input *input, GstClockTime begin,
           GstClockTime end, const VideoOptions *options, const gchar *location, PipelineRun *run,
           GError **error) {
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  g_auto(Mux) mux = {0};
  g_auto(Video) video = {0};
  g_auto(ChunkReader) range = {0};
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_MD5);
  *self = (Chunk){.packets = g_array_new(FALSE, FALSE, sizeof(ChunkPacket))};
  reader_init(&range, begin, end);
  elements_add(pipeline, filter);
  GstElement *source = input_new_source(input, NULL, TRUE, error);
  if (!source)
    return FALSE;
  elements_add(pipeline, source);
  if (!mux_init(&mux, pipeline, media_of_name(".mkv"), run->output, location, run, error))
    return FALSE;
  mux_fix_file(&mux, (guint32)(begin / GST_MSECOND));
  ChunkRun chunk_run = {self, &mux, &video, &range, options, filter, source, FALSE, checksum, {0}};
  g_signal_connect(source, "pad-added", G_CALLBACK(on_pad_added), &chunk_run);
  g_signal_connect(source, "no-more-pads", G_CALLBACK(on_no_more_pads), &chunk_run);
  g_signal_connect(mux.muxer, "pad-added", G_CALLBACK(on_muxer_pad), self);
  run->video_only = TRUE;
  run->begin = begin;
  run->end = end;
  return run_run(run, pipeline, filter, error) && finish(&chunk_run, error);
}
