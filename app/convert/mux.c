/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mux.h"
#include "elements.h"

#include <gst/pbutils/pbutils.h>
#include <string.h>

/* ---- routes ---- */

static GstPadTemplate *
find_template(GstElement *muxer, GstCaps *caps) {
  GList *templates = gst_element_class_get_pad_template_list(GST_ELEMENT_GET_CLASS(muxer));
  for (GList *next = templates; next; next = next->next) {
    GstPadTemplate *found = next->data;
    if (GST_PAD_TEMPLATE_DIRECTION(found) == GST_PAD_SINK &&
        gst_caps_can_intersect(GST_PAD_TEMPLATE_CAPS(found), caps))
      return found;
  }
  return NULL;
}

/* Returns the caps that a parser can output for a stream. They are the structures of its source pad
 * templates that have the media type of the stream. */
static GstCaps *
parsed_caps(GstElementFactory *parser, GstCaps *caps) {
  const gchar *type = gst_structure_get_name(gst_caps_get_structure(caps, 0));
  GstCaps *parsed = gst_caps_new_empty();
  const GList *templates = gst_element_factory_get_static_pad_templates(parser);
  for (const GList *next = templates; next; next = next->next) {
    GstStaticPadTemplate *found = next->data;
    if (found->direction != GST_PAD_SRC)
      continue;
    g_autoptr(GstCaps) made = gst_static_pad_template_get_caps(found);
    for (guint i = 0; i < gst_caps_get_size(made); i++) {
      GstStructure *form = gst_structure_copy(gst_caps_get_structure(made, i));
      gint version;
      if (gst_structure_has_name(form, type) &&
          gst_structure_get_int(gst_caps_get_structure(caps, 0), "mpegversion", &version))
        gst_structure_set(form, "mpegversion", G_TYPE_INT, version, NULL);
      if (gst_structure_has_name(form, type))
        gst_caps_append_structure(parsed, form);
      else
        gst_structure_free(form);
    }
  }
  return parsed;
}

void
route_clear(Route *self) {
  self->into = NULL;
  g_clear_object(&self->parser);
}

static gboolean
find_parser(Route *self, GstElement *muxer, GstCaps *caps) {
  GList *all =
      gst_element_factory_list_get_elements(GST_ELEMENT_FACTORY_TYPE_PARSER, GST_RANK_MARGINAL);
  GList *fitting = gst_element_factory_list_filter(all, caps, GST_PAD_SINK, FALSE);
  for (GList *next = fitting; next && !self->parser; next = next->next) {
    g_autoptr(GstCaps) parsed = parsed_caps(next->data, caps);
    GstPadTemplate *into = find_template(muxer, parsed);
    if (into) {
      self->into = into;
      self->parser = gst_object_ref(next->data);
    }
  }
  gst_plugin_feature_list_free(fitting);
  gst_plugin_feature_list_free(all);
  return self->parser != NULL;
}

gboolean
route_find(Route *self, GstElement *muxer, GstCaps *caps) {
  self->parser = NULL;
  self->into = NULL;
  if (gst_caps_is_any(caps) || gst_caps_is_empty(caps))
    return FALSE;
  /* For audio, demuxers omit caps fields that some muxers need. For VP9, vp9enc omits such fields.
   * Parsers add these fields, so a parser is preferred. */
  const gchar *type = gst_structure_get_name(gst_caps_get_structure(caps, 0));
  if ((g_str_has_prefix(type, "audio/") || g_str_equal(type, "video/x-vp9")) &&
      find_parser(self, muxer, caps))
    return TRUE;
  self->into = find_template(muxer, caps);
  return self->into || find_parser(self, muxer, caps);
}

/* ---- the muxer ---- */

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
  /* Matroska counts dates from this day. */
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
  /* Release the pad, because the muxer would wait for data on an unlinked pad. */
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
  if (gst_structure_has_name(stream, "video/x-ffv")) /* GStreamer's description is "FFMpeg v1" */
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

/* ---- subtitles ---- */

static const struct {
  const gchar *entity;
  gchar character;
} entities[] = {{"&lt;", '<'},   {"&gt;", '>'},    {"&amp;", '&'},
                {"&quot;", '"'}, {"&apos;", '\''}, {"&#39;", '\''}};

static gboolean
read_entity(const gchar *text, gsize left, GString *plain, gsize *used) {
  for (guint i = 0; i < G_N_ELEMENTS(entities); i++) {
    gsize length = strlen(entities[i].entity);
    if (left >= length && strncmp(text, entities[i].entity, length) == 0) {
      g_string_append_c(plain, entities[i].character);
      *used = length;
      return TRUE;
    }
  }
  return FALSE;
}

/* With `keep_tags`, tags such as <i> stay in the text. */
static gchar *
plain_text(const gchar *markup, gsize size, gboolean keep_tags) {
  GString *plain = g_string_new(NULL);
  gsize used;
  for (gsize i = 0; i < size; i += used) {
    used = 1;
    const gchar *end = keep_tags || markup[i] != '<' ? NULL : memchr(markup + i, '>', size - i);
    if (end)
      used = (gsize)(end - (markup + i)) + 1;
    else if (markup[i] != '&' || !read_entity(markup + i, size - i, plain, &used))
      g_string_append_c(plain, markup[i]);
  }
  return g_string_free(plain, FALSE);
}

static GstPadProbeReturn
convert_subtitles(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  gboolean keep_tags = GPOINTER_TO_INT(user_data);
  GstBuffer *from = GST_PAD_PROBE_INFO_BUFFER(info);
  GstMapInfo map;
  if (!gst_buffer_map(from, &map, GST_MAP_READ))
    return GST_PAD_PROBE_OK;
  gchar *plain = plain_text((const gchar *)map.data, map.size, keep_tags);
  gst_buffer_unmap(from, &map);
  GstBuffer *to = gst_buffer_new_wrapped(plain, strlen(plain));
  gst_buffer_copy_into(to, from, GST_BUFFER_COPY_METADATA, 0, (gsize)-1);
  gst_buffer_unref(from);
  GST_PAD_PROBE_INFO_DATA(info) = to;
  return GST_PAD_PROBE_OK;
}

/* Returns a new element (floating) that converts subtitles from Pango markup to plain text, and
 * finds the route of the text into the muxer. Some demuxers output subtitles as Pango markup. NULL
 * if `caps` are not such subtitles, or if the muxer cannot hold plain text. In Matroska the tags
 * are kept, because its format for text, SubRip, also has tags such as <i>. */
static GstElement *
new_subtitle_converter(GstCaps *caps, GstElement *muxer, Route *route) {
  const GstStructure *stream = gst_caps_get_structure(caps, 0);
  g_autoptr(GstCaps) plain = gst_caps_from_string("text/x-raw, format=utf8");
  if (!gst_structure_has_name(stream, "text/x-raw") ||
      g_strcmp0(gst_structure_get_string(stream, "format"), "pango-markup") != 0 ||
      !route_find(route, muxer, plain))
    return NULL;
  GstElement *setter = gst_element_factory_make("capssetter", NULL);
  if (!setter)
    return NULL;
  g_object_set(setter, "caps", plain, "replace", TRUE, NULL);
  gboolean keep_tags = g_str_has_prefix(G_OBJECT_TYPE_NAME(muxer), "GstMatroska");
  g_autoptr(GstPad) src = gst_element_get_static_pad(setter, "src");
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, convert_subtitles, GINT_TO_POINTER(keep_tags),
                    NULL);
  return setter;
}

/* ---- audio and all other streams ---- */

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
report_audio(Mux *self, const gchar *how, GstCaps *caps) {
  g_autofree gchar *what = mux_describe_codec(caps);
  g_string_append_printf(self->audio, "%s%s %s", self->audio->len ? ", " : "", how, what);
}

static void
encode_audio(Mux *self, GstPad *pad, GstCaps *caps) {
  g_autoptr(GError) error = NULL;
  GstElement *encoder = media_new_encoder(self->media->audio, "audio", &error);
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
    mux_leave_out(self, pad, caps, "it cannot be linked to the muxer");
    return;
  }
  report_audio(self, "encoded to", codec);
}

gboolean
mux_wants_decoded(const Mux *self, GstCaps *caps) {
  const GstStructure *stream = gst_caps_get_structure(caps, 0);
  gboolean is_parsed = TRUE;
  if ((gst_structure_get_boolean(stream, "framed", &is_parsed) ||
       gst_structure_get_boolean(stream, "parsed", &is_parsed)) &&
      !is_parsed)
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
      (converter = new_subtitle_converter(caps, self->muxer, &route))) {
    if (!copy_stream(self, pad, converter, &route))
      mux_leave_out(self, pad, caps, "it cannot be linked to the muxer");
    else if (g_str_has_prefix(name, "audio/"))
      report_audio(self, "copied", caps);
    else
      g_string_append_printf(self->audio, "%scopied subtitles", self->audio->len ? ", " : "");
  } else if (g_str_equal(name, "audio/x-raw")) {
    encode_audio(self, pad, caps);
  } else {
    g_autofree gchar *why = g_strdup_printf("%s cannot hold it", self->media->endings[0]);
    mux_leave_out(self, pad, caps, why);
  }
}
