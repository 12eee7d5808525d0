/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mux.h"
#include "elements.h"
#include "subtitles.h"

#include <gst/pbutils/pbutils.h>

gboolean
mux_init(Mux *self, GstElement *pipeline, const Media *media, const gchar *name,
         const gchar *location, PipelineRun *run, GError **error) {
  *self = (Mux){
      .pipeline = pipeline, .media = media, .name = name, .run = run, .audio = g_string_new(NULL)};
  self->muxer = elements_new(media->muxer, NULL, error);
  if (!self->muxer)
    return FALSE;
  elements_add(pipeline, self->muxer);
  GstElement *sink = elements_new("filesink", NULL, error);
  if (!sink)
    return FALSE;
  elements_add(pipeline, sink);
  g_object_set(sink, "location", location, NULL);
  return gst_element_link(self->muxer, sink);
}

void
mux_clear(Mux *self) {
  if (self->audio)
    g_string_free(g_steal_pointer(&self->audio), TRUE);
}

void
mux_fix_file(const Mux *self, guint32 seed) {
  /* the zero of Matroska's dates */
  g_autoptr(GDateTime) date = g_date_time_new_utc(2001, 1, 1, 0, 0, 0);
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(self->muxer), "creation-time"))
    g_object_set(self->muxer, "creation-time", date, NULL);
  g_random_set_seed(seed);
}

gboolean
mux_link(Mux *self, GstElement *last, const Route *route) {
  if (route->parser) {
    GstElement *parser =
        elements_add(self->pipeline, gst_element_factory_create(route->parser, NULL));
    if (!gst_element_link(last, parser))
      return FALSE;
    last = parser;
  }
  GstElement *queue = elements_add_queue(self->pipeline, 0);
  g_autoptr(GstPad) into = gst_element_request_pad(self->muxer, route->into, NULL, NULL);
  g_autoptr(GstPad) src = gst_element_get_static_pad(queue, "src");
  g_autoptr(GstPad) sink = gst_element_get_static_pad(queue, "sink");
  elements_drop_orientation(sink);
  if (into && gst_element_link(last, queue) && gst_pad_link(src, into) == GST_PAD_LINK_OK)
    return TRUE;
  /* the muxer waits for all of its pads */
  if (into)
    gst_element_release_request_pad(self->muxer, into);
  return FALSE;
}

static gboolean
link_pad(GstPad *pad, GstElement *element) {
  g_autoptr(GstPad) sink = gst_element_get_static_pad(element, "sink");
  return gst_pad_link(pad, sink) == GST_PAD_LINK_OK;
}

gchar *
mux_describe_codec(GstCaps *caps) {
  const GstStructure *stream = gst_caps_get_structure(caps, 0);
  g_autoptr(GstCaps) plain = gst_caps_new_empty_simple(gst_structure_get_name(stream));
  gint version;
  const gchar *format = gst_structure_get_string(stream, "format");
  if (gst_structure_get_int(stream, "mpegversion", &version))
    gst_caps_set_simple(plain, "mpegversion", G_TYPE_INT, version, NULL);
  if (gst_structure_get_int(stream, "layer", &version))
    gst_caps_set_simple(plain, "layer", G_TYPE_INT, version, NULL);
  if (format)
    gst_caps_set_simple(plain, "format", G_TYPE_STRING, format, NULL);
  if (gst_structure_has_name(stream, "video/x-ffv")) /* GStreamer calls it "FFMpeg v1" */
    return g_strdup("FFV1");
  gchar *text = gst_pb_utils_get_codec_description(plain);
  return text ? text : g_strdup(gst_structure_get_name(stream));
}

void
mux_leave_out(Mux *self, GstPad *pad, GstCaps *caps, const gchar *why) {
  g_autofree gchar *what = mux_describe_codec(caps);
  run_note(self->run, "%s: left out: %s (%s)", self->name, what, why);
  elements_discard(self->pipeline, pad);
}

/* ---- sound and subtitles ---- */

static gboolean
copy_stream(Mux *self, GstPad *pad, GstElement *converter, const Route *route) {
  GstElement *first = elements_add_queue(self->pipeline, 0);
  GstElement *last = first;
  if (converter) {
    last = elements_add(self->pipeline, converter);
    gst_element_link(first, last);
  }
  return mux_link(self, last, route) && link_pad(pad, first);
}

static void
report_sound(Mux *self, const gchar *how, GstCaps *caps) {
  g_autofree gchar *what = mux_describe_codec(caps);
  g_string_append_printf(self->audio, "%s%s %s", self->audio->len ? ", " : "", how, what);
}

/* Sound that the container does not take as it is. */
static void
encode_sound(Mux *self, GstPad *pad, GstCaps *caps) {
  g_autoptr(GError) error = NULL;
  GstElement *encoder = media_new_encoder(self->media->audio, "sound", &error);
  if (!encoder) {
    mux_leave_out(self, pad, caps, error->message);
    return;
  }
  elements_add(self->pipeline, encoder);
  GstElement *queue = elements_add_queue(self->pipeline, 0);
  GstElement *convert =
      elements_add(self->pipeline, gst_element_factory_make("audioconvert", NULL));
  GstElement *resample =
      elements_add(self->pipeline, gst_element_factory_make("audioresample", NULL));
  g_autoptr(GstPad) src = gst_element_get_static_pad(encoder, "src");
  g_autoptr(GstCaps) codec = gst_pad_query_caps(src, NULL);
  g_auto(Route) route = {0};
  if (!route_find(&route, self->muxer, codec) ||
      !gst_element_link_many(queue, convert, resample, encoder, NULL) ||
      !mux_link(self, encoder, &route) || !link_pad(pad, queue)) {
    mux_leave_out(self, pad, caps, "it does not fit the container");
    return;
  }
  report_sound(self, "encoded to", codec);
}

gboolean
mux_wants_decoded(const Mux *self, GstCaps *caps) {
  const GstStructure *stream = gst_caps_get_structure(caps, 0);
  gboolean is_whole = TRUE;
  if ((gst_structure_get_boolean(stream, "framed", &is_whole) ||
       gst_structure_get_boolean(stream, "parsed", &is_whole)) &&
      !is_whole)
    return TRUE;
  g_auto(Route) route = {0};
  return !route_find(&route, self->muxer, caps);
}

void
mux_add_stream(Mux *self, GstPad *pad, GstCaps *caps) {
  const gchar *name = gst_structure_get_name(gst_caps_get_structure(caps, 0));
  g_auto(Route) route = {0};
  GstElement *converter = NULL;
  if (route_find(&route, self->muxer, caps) ||
      (converter = subtitles_new_converter(caps, self->muxer, &route))) {
    if (!copy_stream(self, pad, converter, &route))
      mux_leave_out(self, pad, caps, "it does not fit the container");
    else if (g_str_has_prefix(name, "audio/"))
      report_sound(self, "copied", caps);
    else
      g_string_append_printf(self->audio, "%scopied subtitles", self->audio->len ? ", " : "");
  } else if (g_str_equal(name, "audio/x-raw")) {
    encode_sound(self, pad, caps);
  } else {
    g_autofree gchar *why = g_strdup_printf("%s does not take it", self->media->endings[0]);
    mux_leave_out(self, pad, caps, why);
  }
}
