/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "film.h"
#include "cut.h"
#include "elements.h"
#include "mux.h"
#include "video.h"

/* A film in the making. The callbacks of the source come from its threads, one at a time. */
typedef struct {
  Mux *mux;
  Video *video;
  VideoOptions wanted;
  GstElement *filter;
  Cut cut;
  gboolean has_video;
} VideoFile;

/* Whether the source goes on decoding a stream, or hands it out as it is. */
static gboolean
on_autoplug_continue(GstElement *source, GstPad *pad, GstCaps *caps, gpointer user_data) {
  const VideoFile *self = user_data;
  return elements_is_video(caps) || mux_wants_decoded(self->mux, caps);
}

static void
on_pad_added(GstElement *source, GstPad *pad, gpointer user_data) {
  VideoFile *self = user_data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  if (!caps)
    caps = gst_pad_query_caps(pad, NULL);
  /* of damaged streams, of which nothing was decoded */
  if (!gst_caps_is_fixed(caps)) {
    elements_discard(self->mux->pipeline, pad);
    return;
  }
  const gboolean is_frames = elements_is_frames(caps);
  run_watch_stream(self->mux->run, pad, is_frames && !self->has_video);
  cut_attach(&self->cut, source, pad, is_frames);
  if (!is_frames) {
    mux_add_stream(self->mux, pad, caps);
  } else if (self->has_video) {
    mux_leave_out(self->mux, pad, caps, "the first video is filtered");
  } else {
    self->has_video = TRUE;
    elements_complete_frames(pad);
    if (!video_add(self->video, self->mux, self->filter, &self->wanted, pad, caps, &error))
      run_fail(self->mux->run, g_steal_pointer(&error));
  }
}

static void
on_no_more_pads(GstElement *source, gpointer user_data) {
  VideoFile *self = user_data;
  cut_begin(&self->cut);
  if (!self->has_video)
    run_fail_without_video(self->mux->run);
}

gboolean
video_file_make(GstElement *filter, const Input *input, const Output *output,
                const ConvertOptions *options, PipelineRun *run, ConvertReport *report,
                GError **error) {
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  g_auto(Mux) mux = {0};
  g_auto(Video) video = {0};
  elements_add(pipeline, filter);
  GstElement *source = input_new_source(input, options->rate, FALSE, error);
  if (!source)
    return FALSE;
  elements_add(pipeline, source);
  if (!mux_init(&mux, pipeline, output->media, output->name, output->part, run, error))
    return FALSE;

  const VideoOptions wanted = {output->media, output->name, options->encoder, options->lossless,
                               FALSE};
  VideoFile self = {&mux, &video, wanted, filter, {.start = options->start, .end = options->end},
                    FALSE};
  g_signal_connect(source, "autoplug-continue", G_CALLBACK(on_autoplug_continue), &self);
  g_signal_connect(source, "pad-added", G_CALLBACK(on_pad_added), &self);
  g_signal_connect(source, "no-more-pads", G_CALLBACK(on_no_more_pads), &self);
  if (!run_run(run, pipeline, filter, error))
    return FALSE;
  report->codec = g_steal_pointer(&video.codec);
  report->audio = g_strdup(mux.audio->str);
  if (video.encoded < run->frames)
    run_note(run, "%s: the encoder left out %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " frames",
             output->name, run->frames - video.encoded, run->frames);
  return TRUE;
}
