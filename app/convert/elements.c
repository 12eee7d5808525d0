/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "elements.h"
#include "app/command.h"

#include <string.h>

#define MAX_NESTED 16 /* nesting depth of brackets in a value */

GstElement *
elements_new(const gchar *factory, const gchar *name, GError **error) {
  GstElement *element = gst_element_factory_make(factory, name);
  if (!element)
    g_set_error(error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
                "the GStreamer element %s is not installed; `cudaconv doctor` names its package",
                factory);
  return element;
}

GstElement *
elements_parse(const gchar *description, const gchar *option, const gchar *example,
               GError **error) {
  g_autoptr(GError) why = NULL;
  GstElement *bin = gst_parse_bin_from_description_full(description, TRUE, NULL,
                                                        GST_PARSE_FLAG_FATAL_ERRORS, &why);
  if (!bin)
    g_set_error(error, APP_USAGE_ERROR, 0, "%s \"%s\": %s; expected elements such as \"%s\"",
                option, description, why->message, example);
  return bin;
}

gboolean
elements_is_nested(const gchar *text) {
  guint depth = 0;
  for (; *text && depth <= MAX_NESTED; text++) {
    if (strchr("<{[", *text))
      depth++;
    else if (strchr(">}]", *text) && depth > 0)
      depth--;
  }
  return depth > MAX_NESTED;
}

GstElement *
elements_parse_encoder(const gchar *description, GError **error) {
  static const gchar example[] = "x264enc bitrate=4000";
  GstElement *bin = elements_parse(description, "--encoder", example, error);
  if (!bin)
    return NULL;
  g_autoptr(GstPad) sink = gst_element_get_static_pad(bin, "sink");
  g_autoptr(GstPad) src = gst_element_get_static_pad(bin, "src");
  if (sink && src)
    return bin;
  g_set_error(error, APP_USAGE_ERROR, 0,
              "--encoder \"%s\": it has no %s; expected an encoder such as \"%s\"", description,
              sink ? "output" : "input", example);
  gst_object_unref(bin);
  return NULL;
}

GstCaps *
elements_get_caps(GstPad *pad) {
  GstCaps *caps = gst_pad_get_current_caps(pad);
  return caps ? caps : gst_pad_query_caps(pad, NULL);
}

gboolean
elements_is_video(GstCaps *caps) {
  const gchar *name = gst_structure_get_name(gst_caps_get_structure(caps, 0));
  return g_str_has_prefix(name, "video/") || g_str_has_prefix(name, "image/");
}

gboolean
elements_is_frames(const GstCaps *caps) {
  return caps && gst_structure_has_name(gst_caps_get_structure(caps, 0), "video/x-raw");
}

GstElement *
elements_add(GstElement *pipeline, GstElement *element) {
  gst_bin_add(GST_BIN(pipeline), element);
  gst_element_sync_state_with_parent(element);
  return element;
}

GstElement *
elements_add_queue(GstElement *pipeline, guint buffers) {
  GstElement *queue = gst_element_factory_make("queue", NULL);
  g_object_set(queue, "max-size-buffers", buffers, "max-size-bytes", 0, "max-size-time", (guint64)0,
               NULL);
  return elements_add(pipeline, queue);
}

void
elements_discard(GstElement *pipeline, GstPad *pad) {
  GstElement *sink = gst_element_factory_make("fakesink", NULL);
  g_object_set(sink, "async", FALSE, NULL);
  elements_add(pipeline, sink);
  g_autoptr(GstPad) target = gst_element_get_static_pad(sink, "sink");
  gst_pad_link(pad, target);
}

/* Returns the value of the pad's image orientation tag, or NULL. Free it. */
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

/* Runs at the first frame, because tags arrive between the caps and the first frame. */
static GstPadProbeReturn
turn_upright(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  GstElement *pipeline = user_data;
  g_autofree gchar *orientation = orientation_of(pad);
  g_autoptr(GstPad) peer = gst_pad_get_peer(pad);
  if (!peer || !orientation || g_str_equal(orientation, "rotate-0"))
    return GST_PAD_PROBE_REMOVE;
  GstElement *flip = gst_element_factory_make("videoflip", NULL);
  if (!flip) {
    GST_ELEMENT_ERROR(
        pipeline, CORE, MISSING_PLUGIN,
        ("the GStreamer element videoflip is not installed; it turns the video upright"), (NULL));
    return GST_PAD_PROBE_REMOVE;
  }
  GstElement *convert = gst_element_factory_make("videoconvert", NULL);
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
drop_orientation(GstPad *pad, GstPadProbeInfo *info, gpointer unused) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_TAG)
    return GST_PAD_PROBE_OK;
  GstTagList *tags;
  gst_event_parse_tag(event, &tags);
  if (gst_tag_list_get_tag_size(tags, GST_TAG_IMAGE_ORIENTATION) == 0)
    return GST_PAD_PROBE_OK;
  tags = gst_tag_list_copy(tags);
  gst_tag_list_remove_tag(tags, GST_TAG_IMAGE_ORIENTATION);
  GST_PAD_PROBE_INFO_DATA(info) = gst_event_new_tag(tags);
  gst_event_unref(event);
  return GST_PAD_PROBE_OK;
}

void
elements_drop_orientation(GstPad *sink) {
  gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, drop_orientation, NULL, NULL);
}

/* ---- frames ---- */

GstClockTime
elements_stream_time(GstPad *pad, GstBuffer *buffer) {
  g_autoptr(GstEvent) event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  if (!event || !GST_BUFFER_PTS_IS_VALID(buffer))
    return GST_CLOCK_TIME_NONE;
  gst_event_parse_segment(event, &segment);
  if (segment->format != GST_FORMAT_TIME)
    return GST_CLOCK_TIME_NONE;
  return gst_segment_to_stream_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
}

typedef struct {
  GstClockTime last; /* PTS of the previous frame */
  GstClockTime gap;  /* time between the last two frames; nanoseconds */
} Frames;

static GstPadProbeReturn
complete_frame(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  Frames *self = user_data;
  if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER)) {
    const gboolean is_gap = GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_GAP;
    return is_gap ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
  }
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstClockTime time = GST_BUFFER_PTS(buffer);
  if (!GST_CLOCK_TIME_IS_VALID(time))
    return GST_PAD_PROBE_OK;
  if (GST_CLOCK_TIME_IS_VALID(self->last) && time > self->last)
    self->gap = time - self->last;
  self->last = time;
  /* Replace durations below 1 ms too, because some demuxers set 1 ns. */
  if (!GST_BUFFER_DURATION_IS_VALID(buffer) || GST_BUFFER_DURATION(buffer) < GST_MSECOND) {
    buffer = gst_buffer_make_writable(buffer);
    GST_BUFFER_DURATION(buffer) = self->gap;
    GST_PAD_PROBE_INFO_DATA(info) = buffer;
  }
  return GST_PAD_PROBE_OK;
}

void
elements_complete_frames(GstPad *pad) {
  Frames *frames = g_new(Frames, 1);
  *frames = (Frames){GST_CLOCK_TIME_NONE, GST_SECOND / 25};
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    complete_frame, frames, g_free);
}

typedef struct {
  GstElement *pipeline;
  GstPad *sink;
} FieldOrder;

static void
free_field_order(FieldOrder *self) {
  gst_object_unref(self->sink);
  g_free(self);
}

/* Links the pad at the first frame, whose flags give the field order, or at the end of a stream
 * without frames. */
static GstPadProbeReturn
link_with_field_order(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  FieldOrder *self = user_data;
  if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM &&
      GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) != GST_EVENT_EOS)
    return GST_PAD_PROBE_PASS;
  GstElement *setter = gst_element_factory_make("capssetter", NULL);
  if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER) || !setter) {
    gst_pad_link(pad, self->sink);
    return GST_PAD_PROBE_REMOVE;
  }
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  gst_util_set_object_arg(G_OBJECT(setter), "caps",
                          GST_BUFFER_FLAG_IS_SET(buffer, GST_VIDEO_BUFFER_FLAG_TFF)
                              ? "video/x-raw,field-order=top-field-first"
                              : "video/x-raw,field-order=bottom-field-first");
  elements_add(self->pipeline, setter);
  g_autoptr(GstPad) into = gst_element_get_static_pad(setter, "sink");
  g_autoptr(GstPad) from = gst_element_get_static_pad(setter, "src");
  gst_pad_link(from, self->sink);
  gst_pad_link(pad, into);
  return GST_PAD_PROBE_REMOVE;
}

gboolean
elements_link_frames(GstElement *pipeline, GstPad *pad, GstPad *sink, const GstVideoInfo *info) {
  const GstVideoInterlaceMode mode = GST_VIDEO_INFO_INTERLACE_MODE(info);
  if ((mode != GST_VIDEO_INTERLACE_MODE_INTERLEAVED && mode != GST_VIDEO_INTERLACE_MODE_MIXED) ||
      GST_VIDEO_INFO_FIELD_ORDER(info) != GST_VIDEO_FIELD_ORDER_UNKNOWN)
    return gst_pad_link(pad, sink) == GST_PAD_LINK_OK;
  FieldOrder *order = g_new(FieldOrder, 1);
  *order = (FieldOrder){pipeline, gst_object_ref(sink)};
  gst_pad_add_probe(pad,
                    GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER |
                        GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    link_with_field_order, order, (GDestroyNotify)free_field_order);
  return TRUE;
}

/* ---- events ---- */

static gint
compare_factory(gconstpointer item, gconstpointer factories) {
  const GstElementFactory *factory = gst_element_get_factory(g_value_get_object(item));
  return factory && g_strv_contains(factories, GST_OBJECT_NAME(factory)) ? 0 : 1;
}

gboolean
elements_have(GstBin *bin, const gchar *const *factories) {
  g_auto(GValue) found = G_VALUE_INIT;
  GstIterator *elements = gst_bin_iterate_recurse(bin);
  const gboolean have =
      gst_iterator_find_custom(elements, compare_factory, &found, (gpointer)factories);
  gst_iterator_free(elements);
  return have;
}

gboolean
elements_is_seekable(GstPad *pad) {
  g_autoptr(GstQuery) query = gst_query_new_seeking(GST_FORMAT_TIME);
  gboolean seekable = FALSE;
  if (gst_pad_query(pad, query))
    gst_query_parse_seeking(query, NULL, &seekable, NULL, NULL);
  return seekable;
}

/* The seeking thread owns this struct, because the thread may outlive pipeline and caller. */
typedef struct {
  GstPad *pad;
  GstClockTime time;
  const gchar *failure;
} Seek;

static void
free_seek(gpointer data) {
  Seek *self = data;
  gst_object_unref(self->pad);
  g_free(self);
}

static void
seek(GstElement *source, gpointer user_data) {
  const Seek *self = user_data;
  GstEvent *event =
      gst_event_new_seek(1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
                         GST_SEEK_TYPE_SET, (gint64)self->time, GST_SEEK_TYPE_NONE, -1);
  if (!gst_pad_send_event(self->pad, event))
    GST_ELEMENT_ERROR(source, RESOURCE, SEEK, ("%s", self->failure), (NULL));
}

void
elements_seek_async(GstElement *source, GstPad *pad, GstClockTime time, const gchar *failure) {
  Seek *data = g_new(Seek, 1);
  *data = (Seek){gst_object_ref(pad), time, failure};
  gst_element_call_async(source, seek, data, free_seek);
}

void
elements_replace_segment(GstPadProbeInfo *info, const GstSegment *segment) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  GstEvent *replacement = gst_event_new_segment(segment);
  gst_event_set_seqnum(replacement, gst_event_get_seqnum(event));
  gst_event_unref(event);
  GST_PAD_PROBE_INFO_DATA(info) = replacement;
}

GstPadProbeReturn
elements_end_stream(GstPad *pad, GstPadProbeInfo *info, gboolean first) {
  g_autoptr(GstPad) peer = gst_pad_get_peer(pad);
  if (peer && first)
    gst_pad_send_event(peer, gst_event_new_eos());
  gst_mini_object_unref(GST_PAD_PROBE_INFO_DATA(info));
  GST_PAD_PROBE_INFO_DATA(info) = NULL;
  GST_PAD_PROBE_INFO_FLOW_RETURN(info) = GST_FLOW_EOS;
  return GST_PAD_PROBE_HANDLED;
}

/* ---- one frame ---- */

gboolean
elements_filter_frame(GstElement *pipeline, GstElement *filter, const GstVideoInfo *info,
                      void (*on_message)(GstMessage *message, gpointer data), gpointer data,
                      GError **error) {
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  g_autoptr(GstCaps) caps = gst_video_info_to_caps(info);
  GstElement *source = elements_new("fakesrc", NULL, error);
  GstElement *format = source ? gst_element_factory_make("capsfilter", NULL) : NULL;
  GstElement *sink = source ? gst_element_factory_make("fakesink", NULL) : NULL;
  gst_bin_add(GST_BIN(pipeline), filter);
  if (!source)
    return FALSE;
  g_object_set(source, "num-buffers", 1, "format", GST_FORMAT_TIME, "sizemax", (gint)info->size,
               NULL);
  gst_util_set_object_arg(G_OBJECT(source), "sizetype", "fixed");
  gst_util_set_object_arg(G_OBJECT(source), "filltype", "zero");
  g_object_set(format, "caps", caps, NULL);
  gst_bin_add_many(GST_BIN(pipeline), source, format, sink, NULL);
  gst_element_link_many(source, format, filter, sink, NULL);
  const GstStateChangeReturn change = gst_element_set_state(pipeline, GST_STATE_PLAYING);
  const GstClockTime limit = change == GST_STATE_CHANGE_FAILURE ? 0 : GST_CLOCK_TIME_NONE;
  for (;;) {
    g_autoptr(GstMessage) message = gst_bus_timed_pop_filtered(
        bus, limit,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_ELEMENT);
    if (!message) {
      g_set_error(error, GST_CORE_ERROR, GST_CORE_ERROR_STATE_CHANGE,
                  "the filter does not start; `cudaconv doctor` says why");
      return FALSE;
    }
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS)
      return TRUE;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
      gst_message_parse_error(message, error, NULL);
      return FALSE;
    }
    if (on_message)
      on_message(message, data);
  }
}
