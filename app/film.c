/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "film.h"
#include "command.h"
#include "elements.h"
#include "route.h"
#include "subtitles.h"

#include <gst/pbutils/pbutils.h>
#include <gst/video/video.h>
#include <string.h>

/* A film in the making. The callbacks of the source come from its threads, one at a time. */
typedef struct {
  GstElement *pipeline, *filter, *muxer;
  const Output *output;
  const FilmOptions *options;
  Work *work;
  FilmReport *report;
  gboolean has_video;
  guint64 encoded; /* frames that left the encoder */
} Film;

void
film_report_clear(FilmReport *self) {
  g_clear_pointer(&self->codec, g_free);
  if (self->sound)
    g_string_free(g_steal_pointer(&self->sound), TRUE);
}

/* ---- parts of the pipeline ---- */

static gboolean
link_to_muxer(Film *self, GstElement *last, const Route *route) {
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

/* The codec alone, without profile and level, which are not known before the end. */
static gchar *
describe_codec(GstCaps *caps) {
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
  gchar *text = gst_pb_utils_get_codec_description(plain);
  return text ? text : g_strdup(gst_structure_get_name(stream));
}

static void
leave_out(Film *self, GstPad *pad, GstCaps *caps, const gchar *why) {
  g_autofree gchar *what = describe_codec(caps);
  work_note(self->work, "%s: left out: %s (%s)", self->output->name, what, why);
  elements_discard(self->pipeline, pad);
}

/* ---- video ---- */

/* The pixel format in which most players take the encoder's film: 4:2:0 of 8 or 10 bits. H.264 and
 * H.265 have that for even sizes only. NULL where players take all that the encoder makes. */
static const gchar *
choose_format(const GstVideoInfo *info, gint stride, GstCaps *codec) {
  const gchar *name = gst_structure_get_name(gst_caps_get_structure(codec, 0));
  gboolean wants_even = g_str_equal(name, "video/x-h264") || g_str_equal(name, "video/x-h265");
  if (!wants_even && !g_str_equal(name, "video/x-vp9") && !g_str_equal(name, "video/x-av1"))
    return NULL;
  gint width = (GST_VIDEO_INFO_WIDTH(info) + stride - 1) / stride;
  gint height = (GST_VIDEO_INFO_HEIGHT(info) + stride - 1) / stride;
  gboolean full = wants_even && (width % 2 || height % 2);
  if (GST_VIDEO_INFO_COMP_DEPTH(info, 0) > 8)
    return full ? "Y444_10LE" : "I420_10LE";
  return full ? "Y444" : "I420";
}

static gboolean
takes_format(GstElement *encoder, const gchar *format) {
  g_autoptr(GstPad) sink = gst_element_get_static_pad(encoder, "sink");
  g_autoptr(GstCaps) caps = gst_pad_query_caps(sink, NULL);
  g_autoptr(GstCaps) wanted =
      gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, format, NULL);
  return gst_caps_can_intersect(caps, wanted);
}

static GstPadProbeReturn
count_encoded(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  Film *self = user_data;
  self->encoded++;
  return GST_PAD_PROBE_OK;
}

static void
describe_interlace(GstElement *bin, const GstVideoInfo *info) {
  g_autoptr(GstElement) encoder = gst_bin_get_by_name(GST_BIN(bin), "encoder");
  if (encoder && GST_VIDEO_INFO_IS_INTERLACED(info) &&
      g_object_class_find_property(G_OBJECT_GET_CLASS(encoder), "interlaced"))
    g_object_set(encoder, "interlaced", TRUE, NULL);
}

static GstElement *
new_encoder(const Film *self, const GstVideoInfo *info, GError **error) {
  const Media *media = self->output->media;
  if (self->options->encoder)
    return elements_parse_encoder(self->options->encoder, error);
  const gchar *const *list = media->video;
  if (self->options->lossless)
    list = media->lossless;
  else if (GST_VIDEO_INFO_COMP_DEPTH(info, 0) > 8 && media->deep[0])
    list = media->deep;
  return media_new_encoder(list, self->output->name, error);
}

static GstElement *
add_caps(Film *self, const gchar *format) {
  GstElement *filter = gst_element_factory_make("capsfilter", NULL);
  g_autofree gchar *text = g_strdup_printf("video/x-raw(ANY), format=%s", format);
  gst_util_set_object_arg(G_OBJECT(filter), "caps", text);
  return elements_add(self->pipeline, filter);
}

/* x265enc wants a frame rate, for its limits; times stay. */
static GstElement *
add_rate(Film *self) {
  GstElement *setter = gst_element_factory_make("capssetter", NULL);
  gst_util_set_object_arg(G_OBJECT(setter), "caps", "video/x-raw, framerate=25/1");
  return elements_add(self->pipeline, setter);
}

/* From the filter's frames to the muxer. */
static gboolean
link_encoder(Film *self, GstElement *last, const GstVideoInfo *info, GError **error) {
  GstElement *encoder = new_encoder(self, info, error);
  if (!encoder)
    return FALSE;
  elements_add(self->pipeline, encoder);
  describe_interlace(encoder, info);
  work_watch_encoder(self->work, encoder);
  g_autoptr(GstPad) src = gst_element_get_static_pad(encoder, "src");
  g_autoptr(GstCaps) codec = gst_pad_query_caps(src, NULL);
  g_auto(Route) route = {0};
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, count_encoded, self, NULL);
  if (!route_find(&route, self->muxer, codec)) {
    g_autofree gchar *what = gst_caps_is_any(codec) || gst_caps_is_empty(codec)
                                 ? g_strdup("anything but an encoder's stream")
                                 : describe_codec(codec);
    g_set_error(error, APP_USAGE_ERROR, 0, "--encoder \"%s\": %s cannot hold %s",
                self->options->encoder, self->output->media->endings[0], what);
    return FALSE;
  }
  gint stride = 1;
  g_object_get(self->filter, "stride", &stride, NULL);
  self->report->codec = describe_codec(codec);
  const gchar *format = choose_format(info, stride, codec);
  if (format && !self->options->lossless && takes_format(encoder, format)) {
    GstElement *caps = add_caps(self, format);
    if (!gst_element_link(last, caps))
      return FALSE;
    last = caps;
  }
  if (GST_VIDEO_INFO_FPS_N(info) == 0 &&
      gst_structure_has_name(gst_caps_get_structure(codec, 0), "video/x-h265")) {
    GstElement *rate = add_rate(self);
    if (!gst_element_link(last, rate))
      return FALSE;
    last = rate;
  }
  if (!gst_element_link(last, encoder)) {
    if (self->options->encoder)
      g_set_error(error, APP_USAGE_ERROR, 0, "--encoder \"%s\": it takes no video",
                  self->options->encoder);
    return FALSE;
  }
  return link_to_muxer(self, encoder, &route);
}

static gboolean
add_video(Film *self, GstPad *pad, GstCaps *caps, GError **error) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) {
    g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                "%s: its video has no known format", self->work->input);
    return FALSE;
  }
  GstElement *decoded = elements_add_queue(self->pipeline, 4);
  g_autoptr(GstPad) sink = gst_element_get_static_pad(decoded, "sink");
  GstElement *before = elements_add(self->pipeline, gst_element_factory_make("videoconvert", NULL));
  GstElement *filtered = elements_add_queue(self->pipeline, 8);
  GstElement *after = elements_add(self->pipeline, gst_element_factory_make("videoconvert", NULL));
  if (!gst_element_link_many(decoded, before, self->filter, filtered, after, NULL) ||
      !link_encoder(self, after, &info, error) ||
      !elements_link_frames(self->pipeline, pad, sink, &info)) {
    if (error && !*error)
      g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                  "%s: its video does not fit the filter", self->work->input);
    return FALSE;
  }
  elements_keep_upright(self->pipeline, pad);
  elements_complete_frames(pad);
  return TRUE;
}

/* ---- sound and subtitles ---- */

static gboolean
copy_stream(Film *self, GstPad *pad, GstElement *converter, const Route *route) {
  GstElement *first = elements_add_queue(self->pipeline, 0);
  GstElement *last = first;
  if (converter) {
    last = elements_add(self->pipeline, converter);
    gst_element_link(first, last);
  }
  return link_to_muxer(self, last, route) && link_pad(pad, first);
}

static void
report_sound(Film *self, const gchar *how, GstCaps *caps) {
  g_autofree gchar *what = describe_codec(caps);
  GString *sound = self->report->sound;
  g_string_append_printf(sound, "%s%s %s", sound->len ? ", " : "", how, what);
}

/* Sound that the container does not take as it is. */
static void
encode_sound(Film *self, GstPad *pad, GstCaps *caps) {
  const gchar *const *list = self->output->media->audio;
  g_autoptr(GError) error = NULL;
  GstElement *encoder = media_new_encoder(list, "sound", &error);
  if (!encoder) {
    leave_out(self, pad, caps, error->message);
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
      !link_to_muxer(self, encoder, &route) || !link_pad(pad, queue)) {
    leave_out(self, pad, caps, "it does not fit the container");
    return;
  }
  report_sound(self, "encoded to", codec);
}

static void
add_other(Film *self, GstPad *pad, GstCaps *caps) {
  const gchar *name = gst_structure_get_name(gst_caps_get_structure(caps, 0));
  g_auto(Route) route = {0};
  GstElement *converter = NULL;
  if (route_find(&route, self->muxer, caps) ||
      (converter = subtitles_new_converter(caps, self->muxer, &route))) {
    if (!copy_stream(self, pad, converter, &route))
      leave_out(self, pad, caps, "it does not fit the container");
    else if (g_str_has_prefix(name, "audio/"))
      report_sound(self, "copied", caps);
  } else if (g_str_equal(name, "audio/x-raw")) {
    encode_sound(self, pad, caps);
  } else {
    g_autofree gchar *why = g_strdup_printf("%s does not take it", self->output->media->endings[0]);
    leave_out(self, pad, caps, why);
  }
}

/* ---- the source ---- */

/* Whether the source goes on decoding a stream, or hands it out as it is. */
static gboolean
on_autoplug_continue(GstElement *source, GstPad *pad, GstCaps *caps, gpointer user_data) {
  const Film *self = user_data;
  const GstStructure *stream = gst_caps_get_structure(caps, 0);
  const gchar *name = gst_structure_get_name(stream);
  gboolean is_whole = TRUE;
  if (g_str_has_prefix(name, "video/") || g_str_has_prefix(name, "image/"))
    return TRUE;
  if ((gst_structure_get_boolean(stream, "framed", &is_whole) ||
       gst_structure_get_boolean(stream, "parsed", &is_whole)) &&
      !is_whole)
    return TRUE;
  g_auto(Route) route = {0};
  return !route_find(&route, self->muxer, caps);
}

static void
on_pad_added(GstElement *source, GstPad *pad, gpointer user_data) {
  Film *self = user_data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  if (!caps)
    caps = gst_pad_query_caps(pad, NULL);
  /* of damaged streams, of which nothing was decoded */
  if (!gst_caps_is_fixed(caps)) {
    elements_discard(self->pipeline, pad);
    return;
  }
  gboolean is_video =
      g_str_equal(gst_structure_get_name(gst_caps_get_structure(caps, 0)), "video/x-raw");
  if (self->options->seconds > 0)
    elements_end_after(pad, self->options->seconds);
  if (!is_video) {
    add_other(self, pad, caps);
  } else if (self->has_video) {
    leave_out(self, pad, caps, "the first video is filtered");
  } else {
    self->has_video = TRUE;
    if (!add_video(self, pad, caps, &error))
      work_fail(self->work, g_steal_pointer(&error));
  }
}

static void
on_no_more_pads(GstElement *source, gpointer user_data) {
  Film *self = user_data;
  if (!self->has_video)
    work_fail_without_video(self->work);
}

gboolean
film_make(GstElement *filter, const Input *input, const Output *output, const FilmOptions *options,
          Work *work, FilmReport *report, GError **error) {
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  elements_add(pipeline, filter);
  report->sound = g_string_new(NULL);
  GstElement *source = elements_new("uridecodebin", "source", error);
  GstElement *muxer = source ? elements_new(output->media->muxer, NULL, error) : NULL;
  GstElement *sink = muxer ? elements_new("filesink", NULL, error) : NULL;
  if (source)
    elements_add(pipeline, source);
  if (muxer)
    elements_add(pipeline, muxer);
  if (!sink)
    return FALSE;
  elements_add(pipeline, sink);
  g_autofree gchar *uri = input_get_uri(input, options->rate);
  g_object_set(source, "uri", uri, NULL);
  g_object_set(sink, "location", output->part, NULL);
  gst_element_link(muxer, sink);
  work->seconds = options->seconds;
  work->expected = input->pictures ? input->last - input->first + 1 : 0;

  Film self = {pipeline, filter, muxer, output, options, work, report, FALSE, 0};
  g_signal_connect(source, "autoplug-continue", G_CALLBACK(on_autoplug_continue), &self);
  g_signal_connect(source, "pad-added", G_CALLBACK(on_pad_added), &self);
  g_signal_connect(source, "no-more-pads", G_CALLBACK(on_no_more_pads), &self);
  input_prepare(input, source);
  if (!work_run(work, pipeline, filter, error))
    return FALSE;
  if (self.encoded < work->frames)
    work_note(work,
              "%s: the encoder left out %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " frames",
              output->name, work->frames - self.encoded, work->frames);
  return TRUE;
}
