/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe.h"
#include "app/command.h"
#include "app/convert/elements.h"
#include "app/convert/input.h"
#include "app/convert/mux.h"
#include "chunkreader.h"

/* The latest possible time of the frame that is read twice. The time is small, because plan has to
 * decode all earlier frames. */
#define PROBE_AT (8 * GST_SECOND)

#define SIDE 64 /* width and height of the test frame for the filter */
#define MAX_WAIT (60 * GST_SECOND)
#define FRAMES 8 /* number of test frames for the encoder */
#define ENCODER_CAPS "video/x-raw,width=320,height=240,framerate=25/1"

/* ---- the video ---- */

typedef struct {
  const Input *input;
  GstClockTime length; /* length that the file states */

  /* The state of one call of read_frame. */
  ChunkReader *reader;
  PipelineRun *run;
  GstElement *pipeline, *frames;
  GstPad *pad; /* pad of the video */
} Probe;

/* Returns why a video cannot be split into chunks, or NULL. */
static const gchar *
find_obstacle(Probe *self, GstElement *source) {
  /* after a seek, these elements estimate the times of frames */
  static const gchar *const mpeg[] = {"tsdemux", "mpegpsdemux", "mpegvideoparse", NULL};
  gint64 length = 0;
  if (elements_have(GST_BIN(source), mpeg))
    return "the times in MPEG streams are not exact enough to split it into chunks; " CHUNK_REMEDY;
  if (!elements_is_seekable(self->pad))
    return "it can be read from its start only, so it cannot be split into chunks; " CHUNK_REMEDY;
  if (!gst_element_query_duration(self->pipeline, GST_FORMAT_TIME, &length) || length <= 0)
    return "it does not state its length, so it cannot be split into chunks; " CHUNK_REMEDY;
  self->length = (GstClockTime)length;
  return NULL;
}

static void
on_pad_added(GstElement *source, GstPad *pad, gpointer user_data) {
  Probe *self = user_data;
  g_autoptr(GstPad) sink = gst_element_get_static_pad(self->frames, "sink");
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  run_watch_stream(self->run, pad, FALSE);
  if (self->pad || !elements_is_frames(caps)) {
    elements_discard(self->pipeline, pad);
    return;
  }
  self->pad = pad;
  reader_attach(self->reader, source, pad, self->run);
  gst_pad_link(pad, sink);
}

/* Called when all pads exist, before the first frame. */
static void
on_no_more_pads(GstElement *source, gpointer user_data) {
  Probe *self = user_data;
  if (!self->pad) {
    run_fail_without_video(self->run);
    return;
  }
  if (self->length > 0)
    return;
  const gchar *obstacle = find_obstacle(self, source);
  if (obstacle)
    run_fail(self->run, g_error_new(GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "%s: %s",
                                    self->input->name, obstacle));
  else
    run_finish(self->run);
}

/* Reads the last frame before the time `at`. The chunk reader starts `margin` before `at`. The
 * first call, with self->length 0, reads no frame and only sets self->length. */
static gboolean
read_frame(Probe *self, GstClockTime at, GstClockTime margin, BoundaryFrame *frame,
           GError **error) {
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  g_auto(ChunkReader) reader = {0};
  g_auto(PipelineRun) run = {0};
  GstElement *source = input_new_source(self->input, NULL, TRUE, error);
  if (!source)
    return FALSE;
  elements_add(pipeline, source);
  self->frames = elements_add(pipeline, gst_element_factory_make("identity", NULL));
  GstElement *sink = elements_add(pipeline, gst_element_factory_make("fakesink", NULL));
  gst_element_link(self->frames, sink);
  reader_init(&reader, at, at + 1);
  reader.margin = margin;
  self->reader = &reader;
  self->run = &run;
  self->pipeline = pipeline;
  self->pad = NULL;
  g_signal_connect(source, "pad-added", G_CALLBACK(on_pad_added), self);
  g_signal_connect(source, "no-more-pads", G_CALLBACK(on_no_more_pads), self);
  run_init(&run, NULL, self->input->name, self->input->name);
  run.video_only = TRUE;
  const gboolean ok = run_play(&run, pipeline, self->frames, error);
  if (!ok && !*error)
    app_end_by_signal(run.signal);
  *frame = reader.before;
  reader.before = (BoundaryFrame){GST_CLOCK_TIME_NONE, NULL};
  return ok;
}

/* Decodes a frame twice: from the start of the video and after a seek. Checks that both results are
 * equal. The frame is at PROBE_AT or in the middle of the video, whichever is earlier. */
static gboolean
check_frames(Probe *self, GError **error) {
  const GstClockTime at = MIN(PROBE_AT, self->length / 2);
  BoundaryFrame from_start = {GST_CLOCK_TIME_NONE, NULL}, from_near = {GST_CLOCK_TIME_NONE, NULL};
  const gboolean read = read_frame(self, at, at, &from_start, error) &&
                        read_frame(self, at, MIN(CHUNK_MARGIN, at / 2), &from_near, error);
  const gboolean same =
      from_start.time == from_near.time && g_strcmp0(from_start.hash, from_near.hash) == 0;
  boundary_frame_clear(&from_start);
  boundary_frame_clear(&from_near);
  if (read && !same)
    g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
                "%s: after a seek, other frames are read than from its start, so it "
                "cannot be split into chunks; " CHUNK_REMEDY,
                self->input->name);
  return read && same;
}

gboolean
probe_video(const gchar *path, GstClockTime chunk_length, guint64 *chunks, GError **error) {
  g_auto(Input) input = {0};
  Probe self = {.input = &input};
  BoundaryFrame last = {GST_CLOCK_TIME_NONE, NULL};
  if (!input_init(&input, path, error) || !read_frame(&self, 0, 0, &last, error))
    return FALSE;
  boundary_frame_clear(&last);
  *chunks = 1;
  if (self.length <= chunk_length)
    return TRUE;
  /* self.length may be too long or too short, so the last frame has to be read. The length of a
   * file is that of its longest stream, which may be audio. If the last frame has no duration,
   * Matroska states the time of that frame as the length. */
  if (!check_frames(&self, error) ||
      !read_frame(&self, self.length + GST_MSECOND, CHUNK_MARGIN, &last, error))
    return FALSE;
  if (GST_CLOCK_TIME_IS_VALID(last.time))
    *chunks = last.time / chunk_length + 1;
  else
    *chunks = (self.length + chunk_length - 1) / chunk_length;
  boundary_frame_clear(&last);
  return TRUE;
}

/* ---- the filter ---- */

gboolean
probe_filter(GstElement *filter, GError **error) {
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_I420, SIDE, SIDE);
  gst_util_set_object_arg(G_OBJECT(filter), "backend", "cpu");
  const gboolean ok = elements_filter_frame(pipeline, filter, &info, NULL, NULL, error);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return ok;
}

/* ---- the encoder ---- */

/* Counts packets with a time below one second, as all test frames have. */
static GstPadProbeReturn
count_packet(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  guint *packets = user_data;
  const GstClockTime time = elements_stream_time(pad, GST_PAD_PROBE_INFO_BUFFER(info));
  if (GST_CLOCK_TIME_IS_VALID(time) && time < GST_SECOND)
    (*packets)++;
  return GST_PAD_PROBE_OK;
}

static gboolean
wait_for_end(GstElement *pipeline, GError **error) {
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  g_autoptr(GstMessage) message =
      gst_bus_timed_pop_filtered(bus, MAX_WAIT, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS)
    return TRUE;
  if (message)
    gst_message_parse_error(message, error, NULL);
  else
    g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "it does not end");
  return FALSE;
}

static gboolean
link_encoder(GstElement *encoder, Mux *mux) {
  GstElement *source = elements_add(mux->pipeline, gst_element_factory_make("videotestsrc", NULL));
  GstElement *caps = elements_add(mux->pipeline, gst_element_factory_make("capsfilter", NULL));
  GstElement *convert = elements_add(mux->pipeline, gst_element_factory_make("videoconvert", NULL));
  g_object_set(source, "num-buffers", FRAMES, NULL);
  gst_util_set_object_arg(G_OBJECT(caps), "caps", ENCODER_CAPS);
  elements_add(mux->pipeline, encoder);
  g_autoptr(GstPad) src = gst_element_get_static_pad(encoder, "src");
  g_autoptr(GstCaps) codec = gst_pad_query_caps(src, NULL);
  g_auto(Route) route = {0};
  return gst_element_link_many(source, caps, convert, encoder, NULL) &&
         route_find(&route, mux->muxer, codec) && mux_link(mux, encoder, &route);
}

gboolean
probe_encoder(const gchar *description, const Media *media, GError **error) {
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  g_autoptr(GError) why = NULL;
  g_auto(Mux) mux = {0};
  guint packets = 0;
  GstElement *encoder = elements_parse_encoder(description, error);
  if (!encoder)
    return FALSE;
  if (!mux_init(&mux, pipeline, media, media->endings[0], "/dev/null", NULL, error)) {
    gst_object_unref(encoder);
    return FALSE;
  }
  gboolean ok = link_encoder(encoder, &mux);
  g_autoptr(GstPad) src = gst_element_get_static_pad(encoder, "src");
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, count_packet, &packets, NULL);
  if (ok) {
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    ok = wait_for_end(pipeline, &why);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  if (ok && packets == FRAMES)
    return TRUE;
  g_set_error(error, APP_USAGE_ERROR, 0,
              "--encoder \"%s\": %s (%s); expected an encoder such as \"x264enc bitrate=4000\"",
              description,
              ok ? "its packets do not have the times of the frames"
                 : "the container cannot hold its output",
              ok || !why ? media->endings[0] : why->message);
  return FALSE;
}
