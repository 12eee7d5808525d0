/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "elements.h"

GstElement *
elements_new(const gchar *factory, const gchar *name, GError **error) {
  GstElement *element = gst_element_factory_make(factory, name);
  if (!element)
    g_set_error(error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
                "GStreamer's element %s is not installed; `cudaconv doctor` names its package",
                factory);
  return element;
}

GstElement *
elements_parse(const gchar *description, const gchar *option, GError **error) {
  g_autoptr(GError) why = NULL;
  GstElement *bin = gst_parse_bin_from_description_full(description, TRUE, NULL,
                                                        GST_PARSE_FLAG_FATAL_ERRORS, &why);
  if (!bin) {
    g_set_error(error, why->domain, why->code, "%s \"%s\": %s", option, description, why->message);
    return NULL;
  }
  return bin;
}

GstElement *
elements_add(GstElement *pipeline, GstElement *element) {
  gst_bin_add(GST_BIN(pipeline), element);
  gst_element_sync_state_with_parent(element);
  return element;
}

/* The value of the tag that says how a picture is to be turned, or NULL. */
static gchar *
orientation_of(GstPad *pad) {
  g_autoptr(GstEvent) event = NULL;
  for (guint i = 0; (event = gst_pad_get_sticky_event(pad, GST_EVENT_TAG, i)); i++) {
    GstTagList *tags;
    gchar *orientation = NULL;
    gst_event_parse_tag(event, &tags);
    if (gst_tag_list_get_string(tags, GST_TAG_IMAGE_ORIENTATION, &orientation))
      return orientation;
    gst_clear_event(&event);
  }
  return NULL;
}

/* The tags of a stream come between its caps and its first frame. */
static GstPadProbeReturn
turn_upright(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  GstElement *pipeline = user_data;
  g_autofree gchar *orientation = orientation_of(pad);
  g_autoptr(GstPad) peer = gst_pad_get_peer(pad);
  if (!peer || !orientation || g_str_equal(orientation, "rotate-0"))
    return GST_PAD_PROBE_REMOVE;
  GstElement *convert = gst_element_factory_make("videoconvert", NULL);
  GstElement *flip = gst_element_factory_make("videoflip", NULL);
  gst_util_set_object_arg(G_OBJECT(flip), "video-direction", "auto");
  elements_add(pipeline, convert);
  elements_add(pipeline, flip);
  gst_element_link(convert, flip);
  g_autoptr(GstPad) sink = gst_element_get_static_pad(convert, "sink");
  g_autoptr(GstPad) src = gst_element_get_static_pad(flip, "src");
  gst_pad_unlink(pad, peer);
  gst_pad_link(src, peer);
  gst_pad_link(pad, sink);
  return GST_PAD_PROBE_REMOVE;
}

void
elements_keep_upright(GstElement *pipeline, GstPad *pad) {
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, turn_upright,
                    pipeline, NULL);
}

static GstPadProbeReturn
end_stream(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  const GstClockTime *limit = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  g_autoptr(GstEvent) event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  if (!event || !GST_BUFFER_PTS_IS_VALID(buffer))
    return GST_PAD_PROBE_OK;
  gst_event_parse_segment(event, &segment);
  GstClockTime time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  if (!GST_CLOCK_TIME_IS_VALID(time) || time < *limit)
    return GST_PAD_PROBE_OK;
  g_autoptr(GstPad) peer = gst_pad_get_peer(pad);
  if (peer)
    gst_pad_send_event(peer, gst_event_new_eos());
  return GST_PAD_PROBE_DROP;
}

void
elements_end_after(GstPad *pad, gdouble seconds) {
  GstClockTime *limit = g_new(GstClockTime, 1);
  *limit = (GstClockTime)(seconds * GST_SECOND);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, end_stream, limit, g_free);
}
