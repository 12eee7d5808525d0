/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "look.h"
#include "app/command.h"
#include "app/convert/elements.h"
#include "app/convert/input.h"
#include "chunkreader.h"
#include "app/convert/pipelinerun.h"

#include <gst/video/video.h>

/* As long as that takes to decode, plan takes longer. */
#define LOOK_AT (8 * GST_SECOND)

/* ---- what the film says of itself ---- */

/* Whether the file is of one of two types. */
static gboolean
is_of_type(GstDiscovererInfo *info, const gchar *one, const gchar *other) {
  g_autoptr(GstDiscovererStreamInfo) stream = gst_discoverer_info_get_stream_info(info);
  g_autoptr(GstCaps) caps = stream ? gst_discoverer_stream_info_get_caps(stream) : NULL;
  const gchar *name = caps ? gst_structure_get_name(gst_caps_get_structure(caps, 0)) : "";
  return g_str_equal(name, one) || g_str_equal(name, other);
}

/* What keeps a film from being made in pieces, or NULL. */
static const gchar *
find_obstacle(GstDiscovererInfo *info) {
  GList *videos = gst_discoverer_info_get_video_streams(info);
  const gboolean has_video = videos != NULL;
  gst_discoverer_stream_info_list_free(videos);
  const GstClockTime length = gst_discoverer_info_get_duration(info);
  if (gst_discoverer_info_get_result(info) == GST_DISCOVERER_MISSING_PLUGINS)
    return "a decoder for it is not installed; `cudaconv doctor` names the packages";
  if (!has_video)
    return "there is no video in it";
  /* GStreamer estimates the times in these after it has gone to another place */
  if (is_of_type(info, "video/mpegts", "video/mpeg"))
    return "the times in MPEG streams are not exact enough to make it in pieces; " CHUNK_REMEDY;
  if (!gst_discoverer_info_get_seekable(info))
    return "it can be read from its start only, so it cannot be made in pieces; " CHUNK_REMEDY;
  if (!GST_CLOCK_TIME_IS_VALID(length) || length == 0)
    return "it does not say how long it is, so it cannot be made in pieces; " CHUNK_REMEDY;
  return NULL;
}

gboolean
look_at_film(GstDiscoverer *discoverer, const gchar *path, GstClockTime *length, GError **error) {
  g_autoptr(GError) why = NULL;
  g_autofree gchar *uri = gst_filename_to_uri(path, error);
  if (!uri)
    return FALSE;
  g_autoptr(GstDiscovererInfo) info = gst_discoverer_discover_uri(discoverer, uri, &why);
  const gchar *obstacle = info ? find_obstacle(info) : why->message;
  if (!obstacle && why)
    obstacle = why->message;
  if (obstacle) {
    g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "%s: %s", path, obstacle);
    return FALSE;
  }
  *length = gst_discoverer_info_get_duration(info);
  return TRUE;
}

/* ---- what is in it ---- */

typedef struct {
  ChunkReader *range;
  PipelineRun *run;
  GstElement *pipeline, *frames;
} Look;

static void
on_pad_added(GstElement *source, GstPad *pad, gpointer user_data) {
  Look *self = user_data;
  g_autoptr(GstPad) sink = gst_element_get_static_pad(self->frames, "sink");
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  if (gst_pad_is_linked(sink) || !elements_is_frames(caps)) {
    elements_discard(self->pipeline, pad);
    return;
  }
  reader_attach(self->range, source, pad, self->run);
  gst_pad_link(pad, sink);
}

/* The frame in front of a time, as a range that starts `margin` before it finds it. */
static gboolean
find_frame(const gchar *path, GstClockTime at, GstClockTime margin, BoundaryFrame *frame,
           GError **error) {
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  g_auto(ChunkReader) range = {0};
  g_auto(PipelineRun) run = {0};
  g_auto(Input) input = {0};
  GstElement *source =
      input_init(&input, path, error) ? input_new_source(&input, NULL, TRUE, error) : NULL;
  if (!source)
    return FALSE;
  elements_add(pipeline, source);
  GstElement *frames = elements_add(pipeline, gst_element_factory_make("identity", NULL));
  GstElement *sink = elements_add(pipeline, gst_element_factory_make("fakesink", NULL));
  gst_element_link(frames, sink);
  reader_init(&range, at, at + 1);
  range.margin = margin;
  Look self = {&range, &run, pipeline, frames};
  g_signal_connect(source, "pad-added", G_CALLBACK(on_pad_added), &self);
  run_init(&run, TRUE, path, path);
  const gboolean ok = run_run(&run, pipeline, frames, error);
  if (!ok && !*error)
    app_end_by_signal(run.signal);
  *frame = range.before;
  range.before = (BoundaryFrame){GST_CLOCK_TIME_NONE, NULL};
  return ok;
}

gboolean
look_into_film(const gchar *path, GstClockTime length, GError **error) {
  const GstClockTime at = MIN(LOOK_AT, length / 2);
  BoundaryFrame from_start = {GST_CLOCK_TIME_NONE, NULL}, from_near = {GST_CLOCK_TIME_NONE, NULL};
  const gboolean read = find_frame(path, at, at, &from_start, error) &&
                        find_frame(path, at, MIN(CHUNK_MARGIN, at / 2), &from_near, error);
  const gboolean same =
      from_start.time == from_near.time && g_strcmp0(from_start.hash, from_near.hash) == 0;
  boundary_frame_clear(&from_start);
  boundary_frame_clear(&from_near);
  if (read && !same)
    g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
                "%s: from its middle other frames are read than from its start, so it cannot be "
                "made in pieces; " CHUNK_REMEDY,
                path);
  return read && same;
}
