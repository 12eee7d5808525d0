/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "route.h"

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

/* What a parser makes of a stream, as far as its templates tell: the same type in any of its forms.
 */
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
  /* demuxers of audio and vp9enc leave out of caps what some muxers want, and parsers find it */
  const gchar *type = gst_structure_get_name(gst_caps_get_structure(caps, 0));
  if ((g_str_has_prefix(type, "audio/") || g_str_equal(type, "video/x-vp9")) &&
      find_parser(self, muxer, caps))
    return TRUE;
  self->into = find_template(muxer, caps);
  return self->into || find_parser(self, muxer, caps);
}
