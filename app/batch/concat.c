/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "concat.h"
#include "app/convert/elements.h"
#include "app/convert/input.h"
#include "app/convert/mux.h"
#include "chunk.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/pbutils/pbutils.h>
#include <string.h>

/* Decoding starts some frames before the first frame is shown, so decoding times may be negative.
 * Times of buffers cannot be negative. So this offset is added to all presentation and decoding
 * times. */
#define TIME_OFFSET ((GstClockTime)1000 * 3600 * GST_SECOND)
/* The smallest difference between two decoding times that all containers can store. */
#define MIN_STEP ((gint64)GST_MSECOND)

#define WAIT_INTERVAL (100 * GST_MSECOND)

typedef struct {
  const Job *job;
  const GPtrArray *records;
  Mux *mux;
  GstElement *video; /* an appsrc, which gets the packets of all chunks */
  GstCaps *caps;     /* caps of the packets */
  GThread *thread;   /* reads the chunks */
  gint pending;      /* atomic; number of awaited events: no-more-pads, the video's tags */
  gint ended;        /* atomic; TRUE: the pipeline has stopped, so `thread` has to return */
  gboolean has_video;
  GstSegment segment;  /* segment of the source's video */
  GstClockTime origin; /* start of the source's video, as in ChunkReader */
  GstClockTime last;   /* time of the last frame of all chunks */
  guint n_after;       /* number of packets of the source's video after `last` */
  gint64 decoded;      /* decoding time of the latest packet */
  gchar *codec;
} Concat;

/* ---- chunks ---- */

static gboolean
fail(GError **error, const gchar *path, const gchar *why) {
  g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "%s: %s", path, why);
  return FALSE;
}

static GstElement *
open_chunk(const gchar *path, GstElement **packets, GError **error) {
  g_autoptr(GstElement) pipeline = gst_parse_launch(
      "filesrc name=file ! matroskademux ! appsink name=packets sync=false max-buffers=8", error);
  if (!pipeline)
    return NULL;
  g_autoptr(GstElement) file = gst_bin_get_by_name(GST_BIN(pipeline), "file");
  g_object_set(file, "location", path, NULL);
  *packets = gst_bin_get_by_name(GST_BIN(pipeline), "packets");
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  return g_steal_pointer(&pipeline);
}

static GstClockTime
shift(gint64 time) {
  return time == CHUNK_NO_TIME ? GST_CLOCK_TIME_NONE : (GstClockTime)(time + (gint64)TIME_OFFSET);
}

/* Returns the decoding time of a packet. Increases the time if it is not after the decoding time of
 * the previous packet, because muxers require increasing times. The time is not increased beyond
 * the packet's presentation time. With a variable frame rate, a chunk may begin with decoding times
 * before the last decoding time of the previous chunk. */
static gint64
increase_dts(Concat *self, const ChunkPacket *times) {
  gint64 time = times->dts;
  if (time == CHUNK_NO_TIME)
    return time;
  if (time <= self->decoded && times->pts > self->decoded)
    time = MIN(times->pts, self->decoded + MIN_STEP);
  self->decoded = time;
  return time;
}

/* Returns FALSE if downstream accepts no more packets. This is not an error of the chunk. */
static gboolean
push_packet(Concat *self, GstBuffer *read, const ChunkPacket *times) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.position = TIME_OFFSET;
  g_autoptr(GstBuffer) buffer = gst_buffer_copy(read);
  GST_BUFFER_PTS(buffer) = shift(times->pts);
  GST_BUFFER_DTS(buffer) = shift(increase_dts(self, times));
  GST_BUFFER_DURATION(buffer) =
      times->duration == CHUNK_NO_TIME ? GST_CLOCK_TIME_NONE : (GstClockTime)times->duration;
  GST_BUFFER_FLAG_UNSET(buffer, GST_BUFFER_FLAG_DISCONT);
  g_autoptr(GstSample) sample = gst_sample_new(buffer, self->caps, &segment, NULL);
  return gst_app_src_push_sample(GST_APP_SRC(self->video), sample) == GST_FLOW_OK;
}

/* Returns NULL without an error at the end of the chunk or when the pipeline has stopped. Returns
 * NULL with an error if the file cannot be read. Also reads the bus, because a demuxer that finds
 * no stream sends an error but no end of stream. */
static GstSample *
read_packet(const Concat *self, GstElement *pipeline, GstElement *packets, const gchar *path,
            GError **error) {
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  while (!g_atomic_int_get(&self->ended)) {
    GstSample *sample = gst_app_sink_try_pull_sample(GST_APP_SINK(packets), WAIT_INTERVAL);
    if (sample)
      return sample;
    g_autoptr(GstMessage) message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    if (message) {
      fail(error, path, "it cannot be read");
      return NULL;
    }
    if (gst_app_sink_is_eos(GST_APP_SINK(packets)))
      return NULL;
  }
  return NULL;
}

static gboolean
push_packets(Concat *self, GstElement *pipeline, GstElement *packets, const GArray *times,
             const gchar *path, GError **error) {
  guint i = 0;
  for (; i <= times->len; i++) {
    g_autoptr(GstSample) sample = read_packet(self, pipeline, packets, path, error);
    if (!sample)
      break;
    if (i == times->len)
      return fail(error, path, "it has more packets than the record says");
    if (!push_packet(self, gst_sample_get_buffer(sample), &g_array_index(times, ChunkPacket, i)))
      return FALSE;
  }
  if (*error || g_atomic_int_get(&self->ended))
    return FALSE;
  return i == times->len || fail(error, path, "it has fewer packets than the record says");
}

static gboolean
push_chunk(Concat *self, const Record *record, GError **error) {
  if (record->files->len == 0)
    return TRUE;
  const RecordFile *const *files = (const RecordFile *const *)record->files->pdata;
  g_autofree gchar *video = job_full_path(self->job, files[0]->name);
  g_autofree gchar *times = job_full_path(self->job, files[1]->name);
  if (!record_check_files(record, self->job, TRUE, error))
    return FALSE;
  g_autoptr(GArray) packets = chunk_read_times(times, (gint64)TIME_OFFSET, error);
  if (packets && packets->len != record->frames)
    return fail(error, times, "its number of frames is not that of the record");
  g_autoptr(GstElement) sink = NULL;
  g_autoptr(GstElement) pipeline = packets ? open_chunk(video, &sink, error) : NULL;
  if (!pipeline)
    return FALSE;
  const gboolean ok = push_packets(self, pipeline, sink, packets, video, error);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return ok;
}

/* Runs in a thread of its own, because pushing blocks until the muxer takes the packets. */
static gpointer
push_chunks(gpointer user_data) {
  Concat *self = user_data;
  for (guint i = 0; i < self->records->len; i++) {
    g_autoptr(GError) error = NULL;
    if (push_chunk(self, g_ptr_array_index(self->records, i), &error))
      continue;
    if (error)
      run_fail(self->mux->run, g_steal_pointer(&error));
    return NULL;
  }
  gst_app_src_end_of_stream(GST_APP_SRC(self->video));
  return NULL;
}

/* ---- the video ---- */

static const Record *
first_record(const GPtrArray *records) {
  for (guint i = 0; i < records->len; i++) {
    const Record *record = g_ptr_array_index(records, i);
    if (record->files->len > 0)
      return record;
  }
  return NULL;
}

/* The prefix "video/" alone is not enough, because the caps of many containers have it too. */
static gboolean
is_video(GstCaps *caps) {
  return elements_is_video(caps) && !(gst_pb_utils_get_caps_description_flags(caps) &
                                      GST_PBUTILS_CAPS_DESCRIPTION_FLAG_CONTAINER);
}

/* The source's video is not decoded, because the chunks replace it. */
static gboolean
on_autoplug_continue(GstElement *source, GstPad *pad, GstCaps *caps, gpointer user_data) {
  const Concat *self = user_data;
  return !is_video(caps) && (elements_is_video(caps) || mux_wants_decoded(self->mux, caps));
}

/* Copies the tags of the source's video, such as the title, except those that describe its encoding
 * or container. */
static void
copy_tags(const Concat *self, GstPad *pad) {
  static const gchar *const excluded[] = {
      GST_TAG_CODEC,           GST_TAG_VIDEO_CODEC,     GST_TAG_CONTAINER_FORMAT,
      GST_TAG_BITRATE,         GST_TAG_NOMINAL_BITRATE, GST_TAG_MINIMUM_BITRATE,
      GST_TAG_MAXIMUM_BITRATE, GST_TAG_ENCODER,         GST_TAG_ENCODER_VERSION};
  GstEvent *event;
  for (guint i = 0; (event = gst_pad_get_sticky_event(pad, GST_EVENT_TAG, i)); i++) {
    GstTagList *tags;
    gst_event_parse_tag(event, &tags);
    tags = gst_tag_list_copy(tags);
    gst_event_unref(event);
    for (guint k = 0; k < G_N_ELEMENTS(excluded); k++)
      gst_tag_list_remove_tag(tags, excluded[k]);
    gst_element_send_event(self->video, gst_event_new_tag(tags));
  }
}

/* Starts the thread after the last awaited event. The thread cannot start earlier, because the
 * muxer accepts neither streams nor tags after its first packet. */
static void
end_wait(Concat *self) {
  if (g_atomic_int_dec_and_test(&self->pending))
    self->thread = g_thread_new("chunks", push_chunks, self);
}

/* Returns whether a packet of the source's video is shown after the last frame of all chunks. A
 * video may be longer than the length that its file states. After a seek, demuxers end such a video
 * at the stated length, so the last frames are missing in the chunks. */
static gboolean
is_after_chunks(Concat *self, const GstBuffer *buffer) {
  const GstSegment *segment = &self->segment;
  const GstClockTime pts = GST_BUFFER_PTS(buffer);
  if (segment->format != GST_FORMAT_TIME)
    return FALSE;
  const GstClockTime time = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, pts);
  if (!GST_CLOCK_TIME_IS_VALID(self->origin))
    self->origin = segment->time;
  /* decoders drop frames that start at or after the end of the segment */
  const gboolean is_shown = GST_CLOCK_TIME_IS_VALID(time) && pts < segment->stop;
  return is_shown && time > self->origin + self->last;
}

static GstPadProbeReturn
count_source(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  Concat *self = user_data;
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    self->n_after += is_after_chunks(self, GST_PAD_PROBE_INFO_BUFFER(info));
  else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_SEGMENT)
    gst_event_copy_segment(GST_PAD_PROBE_INFO_EVENT(info), &self->segment);
  return GST_PAD_PROBE_OK;
}

/* Reads the tags at the first packet of the source's video, because they are complete then. */
static GstPadProbeReturn
on_source_video(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  Concat *self = user_data;
  if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER) &&
      GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) != GST_EVENT_EOS)
    return GST_PAD_PROBE_OK;
  copy_tags(self, pad);
  end_wait(self);
  return GST_PAD_PROBE_REMOVE;
}

static void
add_source_video(Concat *self, GstPad *pad) {
  const GstPadProbeType data = GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM;
  if (!self->has_video) {
    gst_pad_add_probe(pad, data, count_source, self, NULL);
    gst_pad_add_probe(pad, data, on_source_video, self, NULL);
  }
  self->has_video = TRUE;
  elements_discard(self->mux->pipeline, pad);
}

static void
on_pad_added(GstElement *source, GstPad *pad, gpointer user_data) {
  Concat *self = user_data;
  g_autoptr(GstCaps) caps = elements_get_caps(pad);
  run_watch_stream(self->mux->run, pad, FALSE);
  if (!gst_caps_is_fixed(caps))
    elements_discard(self->mux->pipeline, pad);
  else if (elements_is_video(caps))
    add_source_video(self, pad);
  else
    mux_add_stream(self->mux, pad, caps);
}

static void
on_no_more_pads(GstElement *source, gpointer user_data) {
  Concat *self = user_data;
  gint64 length;
  if (gst_element_query_duration(source, GST_FORMAT_TIME, &length) && length > 0)
    self->mux->run->length = (GstClockTime)length; /* the appsrc states no length */
  if (!self->has_video)
    end_wait(self);
  end_wait(self);
}

static gboolean
add_video(Concat *self, const gchar *caps_text, GError **error) {
  GstCaps *caps = self->caps = gst_caps_from_string(caps_text); /* record.c has checked the text */
  g_auto(Route) route = {0};
  self->video = elements_new("appsrc", "chunks", error);
  if (!caps || !self->video)
    return FALSE;
  elements_add(self->mux->pipeline, self->video);
  g_object_set(self->video, "caps", caps, "format", GST_FORMAT_TIME, "block", TRUE, "max-bytes",
               (guint64)(4 << 20), "handle-segment-change", TRUE, NULL);
  self->codec = mux_describe_codec(caps);
  if (route_find(&route, self->mux->muxer, caps) && mux_link(self->mux, self->video, &route))
    return TRUE;
  g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "%s: %s cannot hold %s",
              self->mux->name, self->mux->media->endings[0], self->codec);
  return FALSE;
}

static gboolean
run_pipeline(Concat *self, const JobSource *source, GstElement *decoder, GError **error) {
  g_signal_connect(decoder, "autoplug-continue", G_CALLBACK(on_autoplug_continue), self);
  g_signal_connect(decoder, "pad-added", G_CALLBACK(on_pad_added), self);
  g_signal_connect(decoder, "no-more-pads", G_CALLBACK(on_no_more_pads), self);
  const gboolean ok = run_play(self->mux->run, self->mux->pipeline, self->video, error);
  g_atomic_int_set(&self->ended, 1);
  if (self->thread)
    g_thread_join(self->thread);
  if (ok && self->n_after > 0)
    return fail(error, source->in,
                "it has frames after the last one of the job, because it is longer than its file "
                "states; " CHUNK_REMEDY);
  return ok;
}

gboolean
concat_chunks(const Job *job, const JobSource *source, const GPtrArray *records,
              const Output *output, PipelineRun *run, GError **error) {
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  g_auto(Mux) mux = {0};
  const Record *first = first_record(records);
  if (!first || !first->caps)
    return fail(error, output->name, "the chunks have no frame");
  g_auto(Input) input = {0};
  GstElement *decoder =
      input_init(&input, source->in, error) ? input_new_source(&input, NULL, FALSE, error) : NULL;
  if (!decoder)
    return FALSE;
  elements_add(pipeline, decoder);
  if (!mux_init(&mux, pipeline, output->media, output->name, output->file.path, run, error))
    return FALSE;
  mux_fix_file(&mux, 0);
  Concat self = {.job = job,
                 .records = records,
                 .mux = &mux,
                 .pending = 2,
                 .last = record_last_time(records),
                 .decoded = G_MININT64};
  gst_segment_init(&self.segment, GST_FORMAT_TIME);
  self.origin = GST_CLOCK_TIME_NONE;
  const gboolean ok =
      add_video(&self, first->caps, error) && run_pipeline(&self, source, decoder, error);
  gst_clear_caps(&self.caps);
  run->codec = self.codec;
  run->audio = g_strdup(mux.audio->str);
  return ok;
}
