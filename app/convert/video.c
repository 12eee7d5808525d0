/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "video.h"
#include "app/command.h"
#include "elements.h"

#include <gst/video/video.h>

#define MAX_FRAME_RATE 10000

void
video_clear(Video *self) {
  g_clear_pointer(&self->codec, g_free);
}

/* Returns a pixel format that most players support: 4:2:0 with 8 or 10 bits per sample. H.264 and
 * H.265 need 4:4:4 if the filtered frames have an odd width or height. Returns NULL for all
 * codecs other than H.264, H.265, VP9 and AV1. */
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
accepts_format(GstElement *encoder, const gchar *format) {
  g_autoptr(GstPad) sink = gst_element_get_static_pad(encoder, "sink");
  g_autoptr(GstCaps) caps = gst_pad_query_caps(sink, NULL);
  g_autoptr(GstCaps) wanted =
      gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, format, NULL);
  return gst_caps_can_intersect(caps, wanted);
}

static GstPadProbeReturn
count_encoded(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  Video *self = user_data;
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
add_caps(GstElement *pipeline, const gchar *format) {
  GstElement *filter = gst_element_factory_make("capsfilter", NULL);
  g_autofree gchar *text = g_strdup_printf("video/x-raw(ANY), format=%s", format);
  gst_util_set_object_arg(G_OBJECT(filter), "caps", text);
  return elements_add(pipeline, filter);
}

/* capssetter changes the caps, but not the frames and their times. */
static GstElement *
add_setter(GstElement *pipeline, const gchar *fields, GError **error) {
  GstElement *setter = elements_new("capssetter", NULL, error);
  if (!setter)
    return NULL;
  g_autofree gchar *caps = g_strdup_printf("video/x-raw, %s", fields);
  gst_util_set_object_arg(G_OBJECT(setter), "caps", caps);
  return elements_add(pipeline, setter);
}

/* Returns good values for the bogus caps fields in `info` as caps text, or NULL if all fields are
 * good. Free the text. Also fixes the frame rate in `info`.
 *
 * Some streams of variable frame rate state their time unit as the rate, such as 1000000000/1 from
 * x264enc. mp4mux cannot use such a rate as its time scale. avidemux sets the pixel aspect ratio of
 * raw video to -1/1. */
static gchar *
fix_caps(GstVideoInfo *info) {
  g_autoptr(GString) fields = g_string_new(NULL);
  if (GST_VIDEO_INFO_FPS_N(info) / MAX(GST_VIDEO_INFO_FPS_D(info), 1) >= MAX_FRAME_RATE) {
    GST_VIDEO_INFO_FPS_N(info) = 0;
    GST_VIDEO_INFO_FPS_D(info) = 1;
    g_string_append(fields, "framerate=0/1");
  }
  if (GST_VIDEO_INFO_PAR_N(info) <= 0 || GST_VIDEO_INFO_PAR_D(info) <= 0)
    g_string_append_printf(fields, "%spixel-aspect-ratio=1/1", fields->len ? ", " : "");
  return fields->len ? g_strdup(fields->str) : NULL;
}

/* Links the converter `last` to the encoder, with the elements that the codec needs in between.
 * FALSE if linking fails. Sets an error only if an element is not installed. */
static gboolean
link_frames(const Video *self, const Mux *mux, GstElement *last, const GstVideoInfo *info,
            GstCaps *codec, GError **error) {
  gint stride = 1;
  g_object_get(self->filter, "stride", &stride, NULL);
  const gchar *format = choose_format(info, stride, codec);
  if (format && !self->options->lossless && accepts_format(self->encoder, format)) {
    GstElement *caps = add_caps(mux->pipeline, format);
    if (!gst_element_link(last, caps))
      return FALSE;
    last = caps;
  }
  if (GST_VIDEO_INFO_FPS_N(info) == 0 &&
      gst_structure_has_name(gst_caps_get_structure(codec, 0), "video/x-h265")) {
    /* The encoder needs some frame rate, because the levels of H.265 depend on it. */
    GstElement *rate = add_setter(mux->pipeline, "framerate=25/1", error);
    if (!rate || !gst_element_link(last, rate))
      return FALSE;
    last = rate;
  }
  return gst_element_link(last, self->encoder);
}

static gboolean
refuse_encoder(const Video *self, const Mux *mux, GstCaps *codec, GError **error) {
  g_autofree gchar *what = gst_caps_is_any(codec) || gst_caps_is_empty(codec)
                               ? g_strdup("a stream of unknown type")
                               : mux_describe_codec(codec);
  return app_refuse(error, "--encoder \"%s\": %s cannot hold %s", self->options->encoder,
                    mux->media->endings[0], what);
}

static gboolean
link_encoder(Video *self, Mux *mux, GstElement *last, const GstVideoInfo *info, GError **error) {
  const ConvertOptions *options = self->options;
  self->encoder = convert_options_make_encoder(
      options, self->media, GST_VIDEO_INFO_COMP_DEPTH(info, 0), self->name, error);
  if (!self->encoder)
    return FALSE;
  if (self->is_reproducible && !options->encoder)
    media_fix_threads(self->encoder);
  elements_add(mux->pipeline, self->encoder);
  describe_interlace(self->encoder, info);
  run_watch_encoder(mux->run, self->encoder);
  g_autoptr(GstPad) sink = gst_element_get_static_pad(self->encoder, "sink");
  g_autoptr(GstPad) src = gst_element_get_static_pad(self->encoder, "src");
  self->frames = sink;
  self->packets = src;
  g_autoptr(GstCaps) codec = gst_pad_query_caps(src, NULL);
  g_auto(Route) route = {0};
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, count_encoded, self, NULL);
  if (!route_find(&route, mux->muxer, codec))
    return refuse_encoder(self, mux, codec, error);
  self->codec = mux_describe_codec(codec);
  if (!link_frames(self, mux, last, info, codec, error)) {
    if (options->encoder && !*error)
      g_set_error(error, APP_USAGE_ERROR, 0, "--encoder \"%s\": it does not accept video",
                  options->encoder);
    return FALSE;
  }
  return mux_link(mux, self->encoder, &route);
}

gboolean
video_add(Video *self, Mux *mux, GstPad *pad, GstCaps *caps, GError **error) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) {
    g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                "%s: the format of its video is not known", mux->run->input);
    return FALSE;
  }
  g_autoptr(GError) why = NULL;
  GstElement *filter = self->filter;
  GstElement *decoded = elements_add_queue(mux->pipeline, 4);
  g_autoptr(GstPad) sink = gst_element_get_static_pad(decoded, "sink");
  GstElement *before = elements_add(mux->pipeline, gst_element_factory_make("videoconvert", NULL));
  g_autofree gchar *fields = fix_caps(&info);
  GstElement *rate = fields ? add_setter(mux->pipeline, fields, &why) : NULL;
  GstElement *filtered = elements_add_queue(mux->pipeline, 8);
  GstElement *after = elements_add(mux->pipeline, gst_element_factory_make("videoconvert", NULL));
  if (why ||
      !(rate ? gst_element_link_many(decoded, before, rate, filter, NULL)
             : gst_element_link_many(decoded, before, filter, NULL)) ||
      !gst_element_link_many(filter, filtered, after, NULL) ||
      !link_encoder(self, mux, after, &info, &why) ||
      !elements_link_frames(mux->pipeline, pad, sink, &info)) {
    if (why)
      g_propagate_error(error, g_steal_pointer(&why));
    else
      g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                  "%s: its video could not be linked to the filter", mux->run->input);
    return FALSE;
  }
  elements_keep_upright(mux->pipeline, pad);
  return TRUE;
}
