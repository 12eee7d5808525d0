/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "convert.h"
#include "app/command.h"
#include "cut.h"
#include "elements.h"
#include "mux.h"
#include "video.h"

#include <gst/app/gstappsink.h>

/* The source emits `pad-added` and `no-more-pads` from its threads, but never two of these signals
 * at the same time. on_image runs in the streaming thread of the appsink. */
typedef struct {
  GstElement *pipeline;
  PipelineRun *run;
  Cut cut;
  gboolean has_video;

  /* Only used if the output is a video. */
  Mux mux;
  Video video;

  /* Only used if the output is images. */
  const Output *output;
  GstElement *into; /* the first element after the queue of the source */
  guint next;
  gboolean is_done; /* TRUE after the single image was written */
} Conversion;

/* ---- a video ---- */

static gboolean
on_autoplug_continue(GstElement *source, GstPad *pad, GstCaps *caps, gpointer user_data) {
  const Conversion *self = user_data;
  return elements_is_video(caps) || mux_wants_decoded(&self->mux, caps);
}

static void
add_stream_to_video(Conversion *self, GstPad *pad, GstCaps *caps) {
  g_autoptr(GError) error = NULL;
  if (!elements_is_frames(caps)) {
    mux_add_stream(&self->mux, pad, caps);
  } else if (self->has_video) {
    mux_leave_out(&self->mux, pad, caps, "only the first video is filtered");
  } else {
    self->has_video = TRUE;
    elements_complete_frames(pad);
    if (!video_add(&self->video, &self->mux, pad, caps, &error))
      run_fail(self->run, g_steal_pointer(&error));
  }
}

/* ---- images ---- */

static void
add_stream_to_images(Conversion *self, GstPad *pad, GstCaps *caps) {
  if (self->has_video || !elements_is_frames(caps)) {
    elements_discard(self->pipeline, pad);
    return;
  }
  self->has_video = TRUE;
  GstElement *queue = elements_add_queue(self->pipeline, 4);
  gst_element_link(queue, self->into);
  g_autoptr(GstPad) sink = gst_element_get_static_pad(queue, "sink");
  elements_keep_upright(self->pipeline, pad);
  elements_drop_orientation(sink);
  gst_pad_link(pad, sink);
}

static GstFlowReturn
on_image(GstAppSink *sink, gpointer user_data) {
  Conversion *self = user_data;
  g_autoptr(GstSample) sample = gst_app_sink_pull_sample(sink);
  g_autoptr(GError) error = NULL;
  GstMapInfo map;
  /* After the frame that became the single image, a video may have more frames. */
  if (!sample || self->is_done)
    return GST_FLOW_EOS;
  GstBuffer *buffer = gst_sample_get_buffer(sample);
  if (!gst_buffer_map(buffer, &map, GST_MAP_READ))
    return GST_FLOW_ERROR;
  g_autoptr(GBytes) bytes = g_bytes_new_static(map.data, map.size);
  const gboolean written = output_write(self->output, self->next++, bytes, &error);
  gst_buffer_unmap(buffer, &map);
  if (!written) {
    run_fail(self->run, g_steal_pointer(&error));
    return GST_FLOW_EOS;
  }
  if (self->output->sequence)
    return GST_FLOW_OK;
  self->is_done = TRUE;
  run_finish(self->run);
  return GST_FLOW_EOS;
}

/* Adds the encoder, the appsink, and a converter before and after the filter. Links them in the
 * order of the stream. The appsink calls on_image, which writes the images. */
static gboolean
add_image_branch(Conversion *self, GstElement *filter, const ConvertOptions *options,
                 GError **error) {
  GstElement *encoder =
      convert_options_make_encoder(options, self->output->media, 8, self->output->name, error);
  if (!encoder)
    return FALSE;
  elements_add(self->pipeline, encoder);
  run_watch_encoder(self->run, encoder);
  GstElement *sink = elements_new("appsink", NULL, error);
  if (!sink)
    return FALSE;
  elements_add(self->pipeline, sink);
  self->into = elements_add(self->pipeline, gst_element_factory_make("videoconvert", NULL));
  GstElement *after = elements_add(self->pipeline, gst_element_factory_make("videoconvert", NULL));
  if (!gst_element_link_many(self->into, filter, after, encoder, sink, NULL))
    return app_refuse(error, "--encoder \"%s\": it does not accept video", options->encoder);
  g_object_set(sink, "sync", FALSE, "emit-signals", FALSE, "max-buffers", 2, NULL);
  GstAppSinkCallbacks callbacks = {.new_sample = on_image};
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, self, NULL);
  return TRUE;
}

/* ---- videos and images ---- */

static void
on_pad_added(GstElement *source, GstPad *pad, gpointer user_data) {
  Conversion *self = user_data;
  g_autoptr(GstCaps) caps = elements_get_caps(pad);
  /* If a stream is damaged and nothing could be decoded, its caps are not fixed. */
  if (!gst_caps_is_fixed(caps)) {
    elements_discard(self->pipeline, pad);
    return;
  }
  const gboolean is_frames = elements_is_frames(caps);
  run_watch_stream(self->run, pad, is_frames && !self->has_video);
  cut_attach(&self->cut, source, pad, is_frames);
  if (self->mux.muxer)
    add_stream_to_video(self, pad, caps);
  else
    add_stream_to_images(self, pad, caps);
}

static void
on_no_more_pads(GstElement *source, gpointer user_data) {
  Conversion *self = user_data;
  cut_begin(&self->cut);
  if (!self->has_video)
    run_fail_without_video(self->run);
}

static gboolean
run_conversion(Conversion *self, GstElement *filter, const Input *input,
               const ConvertOptions *options, GError **error) {
  const Output *output = self->output;
  const gboolean is_video = output->media->kind == MEDIA_VIDEO;
  elements_add(self->pipeline, filter);
  GstElement *source = input_new_source(input, options->rate, !is_video, error);
  if (!source)
    return FALSE;
  elements_add(self->pipeline, source);
  if (is_video) {
    if (!mux_init(&self->mux, self->pipeline, output->media, output->name, output->file.path,
                  self->run, error))
      return FALSE;
    self->video =
        (Video){.filter = filter, .options = options, .media = output->media, .name = output->name};
    g_signal_connect(source, "autoplug-continue", G_CALLBACK(on_autoplug_continue), self);
  } else if (!add_image_branch(self, filter, options, error)) {
    return FALSE;
  }
  g_signal_connect(source, "pad-added", G_CALLBACK(on_pad_added), self);
  g_signal_connect(source, "no-more-pads", G_CALLBACK(on_no_more_pads), self);
  self->run->video_only = !is_video;
  return run_play(self->run, self->pipeline, filter, error);
}

static gboolean
convert_images(Conversion *self, GstElement *filter, const Input *input,
               const ConvertOptions *options, GError **error) {
  PipelineRun *run = self->run;
  g_autoptr(GError) truncated = NULL;
  const guint first = self->next = input->sequence ? input->first : 1;
  gboolean ended = run_conversion(self, filter, input, options, error);
  /* Ignore errors in the data after the frame that became the single image. */
  if (self->is_done && !ended && run->signal == 0) {
    g_clear_error(error);
    ended = TRUE;
  }
  /* Count the written images, because the filter may have output a frame that was not written. */
  run->frames = self->next - first;
  if (!ended || !run_check_frames(run, error))
    return FALSE;
  if (!self->output->sequence || run_check_length(run, &truncated))
    return TRUE;
  g_set_error(error, truncated->domain, truncated->code,
              "%s; the %" G_GUINT64_FORMAT " images written so far are kept", truncated->message,
              run->frames);
  return FALSE;
}

static gboolean
convert_video(Conversion *self, GstElement *filter, const Input *input, Output *output,
              const ConvertOptions *options, GError **error) {
  PipelineRun *run = self->run;
  g_autoptr(GError) truncated = NULL;
  if (!atomic_file_begin(&output->file, output->path, NULL, output->name, error) ||
      !run_conversion(self, filter, input, options, error))
    return FALSE;
  run->codec = g_steal_pointer(&self->video.codec);
  run->audio = g_strdup(self->mux.audio->str);
  if (self->video.encoded < run->frames)
    run_note(run, "%s: the encoder dropped %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " frames",
             output->name, run->frames - self->video.encoded, run->frames);
  if (!run_check_frames(run, error) || !input_check_unchanged(input, error))
    return FALSE;
  if (run_check_length(run, &truncated))
    return atomic_file_commit(&output->file, output->path, output->name, error);
  g_autoptr(GError) why = NULL;
  g_autofree gchar *kept = atomic_file_keep_incomplete(&output->file, output->path, &why);
  g_set_error(error, truncated->domain, truncated->code, "%s; %s%s", truncated->message,
              kept ? "the part up to there is in " : "", kept ? kept : why->message);
  return FALSE;
}

gboolean
convert(GstElement *filter, const Input *input, Output *output, const ConvertOptions *options,
        PipelineRun *run, GError **error) {
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  Conversion self = {.pipeline = pipeline,
                     .run = run,
                     .cut = {.start = options->start, .end = options->end},
                     .output = output};
  const gboolean is_image = output->media->kind == MEDIA_IMAGE;
  run->file_depth = input->tiff_depth;
  run_set_part(run, input, options->start, options->end);
  if (run->expected == 0 && is_image && !output->sequence)
    run->expected = 1;
  const gboolean ok = is_image ? convert_images(&self, filter, input, options, error)
                               : convert_video(&self, filter, input, output, options, error);
  video_clear(&self.video);
  mux_clear(&self.mux);
  return ok;
}

/* ---- the device ---- */

void
device_open(Device *self, GstElement *filter) {
  g_autoptr(GstBus) bus = gst_bus_new();
  *self = (Device){gst_object_ref(filter), -1};
  gst_element_set_bus(filter, bus);
  gst_element_set_state(filter, GST_STATE_READY);
  g_autoptr(GstMessage) message = gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT);
  gst_element_set_bus(filter, NULL);
  const GstStructure *backend = message ? gst_message_get_structure(message) : NULL;
  if (backend && g_strcmp0(gst_structure_get_string(backend, "backend"), "cuda") == 0)
    gst_structure_get_int(backend, "device-id", &self->number);
}

void
device_use(const Device *self, GstElement *filter) {
  if (self->anchor && self->number >= 0)
    g_object_set(filter, "cuda-device-id", self->number, NULL);
}

void
device_close(Device *self) {
  if (self->anchor)
    gst_element_set_state(self->anchor, GST_STATE_NULL);
  g_clear_object(&self->anchor);
}
