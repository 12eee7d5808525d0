/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picture.h"
#include "app/command.h"
#include "cut.h"
#include "elements.h"

#include <gst/app/gstappsink.h>
#include <gst/video/video.h>

typedef struct {
  GstElement *pipeline;
  GstElement *convert; /* in front of the filter */
  const Output *output;
  const ConvertOptions *options;
  PipelineRun *run;
  Cut cut;
  gboolean has_video;
  guint next;    /* number of the picture that comes next */
  gboolean done; /* the one picture that is wanted is written */
} ImageRun;

static void
on_pad_added(GstElement *source, GstPad *pad, gpointer user_data) {
  ImageRun *self = user_data;
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  const gboolean is_frames = elements_is_frames(caps);
  run_watch_stream(self->run, pad, is_frames && !self->has_video);
  cut_attach(&self->cut, source, pad, is_frames);
  if (self->has_video || !is_frames) {
    elements_discard(self->pipeline, pad);
    return;
  }
  self->has_video = TRUE;
  GstElement *queue = elements_add_queue(self->pipeline, 4);
  gst_element_link(queue, self->convert);
  g_autoptr(GstPad) sink = gst_element_get_static_pad(queue, "sink");
  elements_keep_upright(self->pipeline, pad);
  elements_drop_orientation(sink);
  gst_pad_link(pad, sink);
}

static void
on_no_more_pads(GstElement *source, gpointer user_data) {
  ImageRun *self = user_data;
  cut_begin(&self->cut);
  if (!self->has_video)
    run_fail_without_video(self->run);
}

static GstFlowReturn
on_sample(GstAppSink *sink, gpointer user_data) {
  ImageRun *self = user_data;
  g_autoptr(GstSample) sample = gst_app_sink_pull_sample(sink);
  g_autoptr(GError) error = NULL;
  GstMapInfo map;
  /* of a film, frames behind the one that is wanted may be on their way */
  if (!sample || self->done)
    return GST_FLOW_EOS;
  GstBuffer *buffer = gst_sample_get_buffer(sample);
  if (!gst_buffer_map(buffer, &map, GST_MAP_READ))
    return GST_FLOW_ERROR;
  g_autoptr(GBytes) bytes = g_bytes_new_static(map.data, map.size);
  gboolean written = output_write(self->output, self->next++, bytes, &error);
  gst_buffer_unmap(buffer, &map);
  if (!written) {
    run_fail(self->run, g_steal_pointer(&error));
    return GST_FLOW_EOS;
  }
  if (self->output->sequence)
    return GST_FLOW_OK;
  self->done = TRUE;
  run_finish(self->run);
  return GST_FLOW_EOS;
}

static GstElement *
new_encoder(const ImageRun *self, GError **error) {
  const Media *media = self->output->media;
  if (self->options->encoder)
    return elements_parse_encoder(self->options->encoder, error);
  return media_new_encoder(self->options->lossless ? media->lossless : media->video,
                           self->output->name, error);
}

gboolean
image_make(GstElement *filter, const Input *input, const Output *output,
           const ConvertOptions *options, PipelineRun *run, GError **error) {
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  guint first = input->sequence ? input->first : 1;
  ImageRun self = {.pipeline = pipeline,
                   .output = output,
                   .options = options,
                   .run = run,
                   .cut = {.start = options->start, .end = options->end},
                   .next = first};
  elements_add(pipeline, filter);
  GstElement *encoder = new_encoder(&self, error);
  if (!encoder)
    return FALSE;
  elements_add(pipeline, encoder);
  run_watch_encoder(run, encoder);
  GstElement *source = input_new_source(input, options->rate, TRUE, error);
  if (!source)
    return FALSE;
  elements_add(pipeline, source);
  GstElement *sink = elements_new("appsink", NULL, error);
  if (!sink)
    return FALSE;
  elements_add(pipeline, sink);
  self.convert = elements_add(pipeline, gst_element_factory_make("videoconvert", NULL));
  GstElement *after = elements_add(pipeline, gst_element_factory_make("videoconvert", NULL));
  if (!gst_element_link_many(self.convert, filter, after, encoder, sink, NULL)) {
    g_set_error(error, APP_USAGE_ERROR, 0, "--encoder \"%s\": it takes no video", options->encoder);
    return FALSE;
  }
  g_object_set(sink, "sync", FALSE, "emit-signals", FALSE, "max-buffers", 2, NULL);
  GstAppSinkCallbacks callbacks = {.new_sample = on_sample};
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, &self, NULL);
  g_signal_connect(source, "pad-added", G_CALLBACK(on_pad_added), &self);
  g_signal_connect(source, "no-more-pads", G_CALLBACK(on_no_more_pads), &self);

  run->video_only = TRUE;
  gboolean ended = run_run(run, pipeline, filter, error);
  /* the one picture may be written while an error of what lies behind its frame is on its way */
  if (self.done && !ended && run->signal == 0) {
    g_clear_error(error);
    ended = TRUE;
  }
  run->frames = self.next - first; /* one more may have been on its way */
  return ended;
}
