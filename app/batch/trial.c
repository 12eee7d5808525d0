/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "trial.h"
#include "app/command.h"
#include "app/convert/elements.h"
#include "app/convert/mux.h"

#include <gst/app/gstappsrc.h>

#define SIDE 64
#define CAPS "video/x-raw,format=I420,width=64,height=64,framerate=25/1"
#define LONGEST (60 * GST_SECOND)
#define FRAMES 8 /* for an encoder */
#define CAPS_ENCODED "video/x-raw,width=320,height=240,framerate=25/1"

static void
push_frame(GstElement *source) {
  GstBuffer *frame = gst_buffer_new_allocate(NULL, SIDE * SIDE * 3 / 2, NULL);
  gst_buffer_memset(frame, 0, 128, SIDE * SIDE * 3 / 2);
  GST_BUFFER_PTS(frame) = 0;
  gst_app_src_push_buffer(GST_APP_SRC(source), frame);
  gst_app_src_end_of_stream(GST_APP_SRC(source));
}

static gboolean
wait_for_end(GstElement *pipeline, GError **error) {
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  g_autoptr(GstMessage) message =
      gst_bus_timed_pop_filtered(bus, LONGEST, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS)
    return TRUE;
  if (message)
    gst_message_parse_error(message, error, NULL);
  else
    g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
                "the filter does not filter a frame; `cudaconv doctor` says why");
  return FALSE;
}

gboolean
trial_run(GstElement *filter, GError **error) {
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  g_autoptr(GstCaps) caps = gst_caps_from_string(CAPS);
  GstElement *source = elements_new("appsrc", NULL, error);
  if (!source)
    return FALSE;
  elements_add(pipeline, source);
  GstElement *sink = elements_new("fakesink", NULL, error);
  if (!sink)
    return FALSE;
  elements_add(pipeline, sink);
  elements_add(pipeline, filter);
  gst_util_set_object_arg(G_OBJECT(filter), "backend", "cpu");
  g_object_set(source, "caps", caps, "format", GST_FORMAT_TIME, NULL);
  gst_element_link_many(source, filter, sink, NULL);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  push_frame(source);
  const gboolean ok = wait_for_end(pipeline, error);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return ok;
}

/* ---- an encoder ---- */

/* Packets that are shown within the time of the frames. */
static GstPadProbeReturn
count_packet(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  guint *packets = user_data;
  const GstClockTime time = elements_stream_time(pad, GST_PAD_PROBE_INFO_BUFFER(info));
  if (GST_CLOCK_TIME_IS_VALID(time) && time < GST_SECOND)
    (*packets)++;
  return GST_PAD_PROBE_OK;
}

/* From a source of frames through the encoder to the muxer. */
static gboolean
link_encoder(GstElement *encoder, Mux *mux) {
  GstElement *source = elements_add(mux->pipeline, gst_element_factory_make("videotestsrc", NULL));
  GstElement *caps = elements_add(mux->pipeline, gst_element_factory_make("capsfilter", NULL));
  GstElement *convert = elements_add(mux->pipeline, gst_element_factory_make("videoconvert", NULL));
  g_object_set(source, "num-buffers", FRAMES, NULL);
  gst_util_set_object_arg(G_OBJECT(caps), "caps", CAPS_ENCODED);
  elements_add(mux->pipeline, encoder);
  g_autoptr(GstPad) src = gst_element_get_static_pad(encoder, "src");
  g_autoptr(GstCaps) codec = gst_pad_query_caps(src, NULL);
  g_auto(Route) route = {0};
  return gst_element_link_many(source, caps, convert, encoder, NULL) &&
         route_find(&route, mux->muxer, codec) && mux_link(mux, encoder, &route);
}

gboolean
trial_encode(const gchar *description, const Media *media, GError **error) {
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  g_autoptr(GError) why = NULL;
  g_auto(Mux) mux = {0};
  guint packets = 0;
  GstElement *encoder = elements_parse_encoder(description, error);
  if (!encoder)
    return FALSE;
  if (!mux_init(&mux, pipeline, media, media->endings[0], "/dev/null", NULL, error)) {
    gst_object_unref(gst_object_ref_sink(encoder));
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
              "--encoder \"%s\": %s (%s); it takes an encoder such as \"x264enc bitrate=4000\"",
              description,
              ok ? "its packets do not have the times of the frames" : "what it makes does not fit",
              ok || !why ? media->endings[0] : why->message);
  return FALSE;
}
