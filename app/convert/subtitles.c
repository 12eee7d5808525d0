/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "subtitles.h"

#include <string.h>

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

gchar *
subtitles_plain(const gchar *markup, gsize size, gboolean keep_tags) {
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
convert(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  gboolean keep_tags = GPOINTER_TO_INT(user_data);
  GstBuffer *from = GST_PAD_PROBE_INFO_BUFFER(info);
  GstMapInfo map;
  if (!gst_buffer_map(from, &map, GST_MAP_READ))
    return GST_PAD_PROBE_OK;
  gchar *plain = subtitles_plain((const gchar *)map.data, map.size, keep_tags);
  gst_buffer_unmap(from, &map);
  GstBuffer *to = gst_buffer_new_wrapped(plain, strlen(plain));
  gst_buffer_copy_into(to, from, GST_BUFFER_COPY_METADATA, 0, (gsize)-1);
  gst_buffer_unref(from);
  GST_PAD_PROBE_INFO_DATA(info) = to;
  return GST_PAD_PROBE_OK;
}

GstElement *
subtitles_new_converter(GstCaps *caps, GstElement *muxer, Route *route) {
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
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, convert, GINT_TO_POINTER(keep_tags), NULL);
  return setter;
}
