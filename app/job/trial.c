/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "trial.h"
#include "app/elements.h"

#include <gst/app/gstappsrc.h>

#define SIDE 64
#define CAPS "video/x-raw,format=I420,width=64,height=64,framerate=25/1"
#define LONGEST (60 * GST_SECOND)

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
