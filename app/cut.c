/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cut.h"

/* A stream of the source. */
typedef struct {
  Cut *cut;
  gboolean is_raw_video;
  gboolean flushed; /* the seek's flush has come */
  gboolean ended;
  GstSegment segment; /* as it leaves the pad */
} Stream;

/* Sets the start of a segment that begins before the cut: time and running time of what is behind
 * the start are the same then whether the source has gone there or not. */
static void
take_segment(Stream *self, GstPadProbeInfo *info) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  Cut *cut = self->cut;
  gst_event_copy_segment(event, &self->segment);
  GstSegment *segment = &self->segment;
  if (segment->format != GST_FORMAT_TIME || segment->rate != 1)
    return;
  const GstClockTime start = cut->start + (cut->seeks ? cut->zero : segment->time);
  if (!GST_CLOCK_TIME_IS_VALID(segment->time) || segment->time >= start)
    return;
  segment->start += start - segment->time;
  segment->position = segment->start;
  segment->time = start;
  if (GST_CLOCK_TIME_IS_VALID(segment->stop))
    segment->stop = MAX(segment->stop, segment->start);
  GstEvent *replacement = gst_event_new_segment(segment);
  gst_event_set_seqnum(replacement, gst_event_get_seqnum(event));
  gst_event_unref(event);
  GST_PAD_PROBE_INFO_DATA(info) = replacement;
}

/* In a thread that is not the stream's, which the source has to stop for it. */
static void
seek(GstElement *source, gpointer user_data) {
  Cut *self = user_data;
  GstEvent *event = gst_event_new_seek(
      1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
      (gint64)(self->start + self->zero), GST_SEEK_TYPE_NONE, -1);
  if (!gst_pad_send_event(self->video, event))
    work_fail(self->work, g_error_new(GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
                                      "%s: it cannot be read from %g seconds on; it is damaged",
                                      self->work->input, (gdouble)self->start / GST_SECOND));
}

/* With the first data, when the source has let its streams go. */
static void
seek_once(Cut *self) {
  if (self->seeks && g_atomic_int_compare_and_exchange(&self->is_sought, FALSE, TRUE))
    gst_element_call_async(self->source, seek, self, NULL);
}

static GstPadProbeReturn
take_event(Stream *self, GstPadProbeInfo *info) {
  const gboolean waits = self->cut->seeks && !self->flushed;
  switch (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info))) {
  case GST_EVENT_FLUSH_START:
    return GST_PAD_PROBE_DROP; /* nothing has left the pad */
  case GST_EVENT_FLUSH_STOP:
    self->flushed = TRUE;
    return GST_PAD_PROBE_DROP;
  case GST_EVENT_SEGMENT:
    take_segment(self, info);
    return GST_PAD_PROBE_OK;
  case GST_EVENT_EOS:
    seek_once(self->cut);
    return waits ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
  case GST_EVENT_GAP:
    return waits ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
  default:
    return GST_PAD_PROBE_OK;
  }
}

/* The answer makes the source end as well, when none of its streams is wanted any more. */
static GstPadProbeReturn
end_stream(Stream *self, GstPad *pad, GstPadProbeInfo *info) {
  g_autoptr(GstPad) peer = gst_pad_get_peer(pad);
  if (peer && !self->ended)
    gst_pad_send_event(peer, gst_event_new_eos());
  self->ended = TRUE;
  gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_DATA(info) = NULL;
  GST_PAD_PROBE_INFO_FLOW_RETURN(info) = GST_FLOW_EOS;
  return GST_PAD_PROBE_HANDLED;
}

static GstPadProbeReturn
on_data(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  Stream *self = user_data;
  Cut *cut = self->cut;
  if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER))
    return take_event(self, info);
  seek_once(cut);
  if (cut->seeks && !self->flushed)
    return GST_PAD_PROBE_DROP;
  if (self->ended)
    return end_stream(self, pad, info);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  const GstSegment *segment = &self->segment;
  const GstClockTime pts = GST_BUFFER_PTS(buffer);
  if (segment->format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID(pts))
    return GST_PAD_PROBE_OK;
  if (GST_CLOCK_TIME_IS_VALID(cut->end) && pts >= segment->start &&
      pts - segment->start >= cut->end - cut->start)
    return end_stream(self, pad, info);
  if (pts >= segment->start)
    return GST_PAD_PROBE_OK;
  /* the frame that is shown at the start begins there */
  const GstClockTime end =
      pts + (GST_BUFFER_DURATION_IS_VALID(buffer) ? GST_BUFFER_DURATION(buffer) : 0);
  if (!self->is_raw_video || end <= segment->start)
    return GST_PAD_PROBE_DROP;
  buffer = gst_buffer_make_writable(buffer);
  GST_BUFFER_PTS(buffer) = segment->start;
  GST_BUFFER_DURATION(buffer) = end - segment->start;
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  return GST_PAD_PROBE_OK;
}

void
cut_attach(Cut *self, GstElement *source, GstPad *pad, gboolean is_video, Work *work) {
  if (self->start == 0 && !GST_CLOCK_TIME_IS_VALID(self->end))
    return;
  Stream *stream = g_new0(Stream, 1);
  stream->cut = self;
  stream->is_raw_video = is_video;
  gst_segment_init(&stream->segment, GST_FORMAT_UNDEFINED);
  self->source = source;
  self->work = work;
  if (is_video && !self->video)
    self->video = pad;
  gst_pad_add_probe(pad,
                    GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                        GST_PAD_PROBE_TYPE_EVENT_FLUSH,
                    on_data, stream, g_free);
}

/* ---- going there ---- */

static GstPadProbeReturn
open_segment(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  GstSegment segment;
  if (GST_EVENT_TYPE(event) != GST_EVENT_SEGMENT)
    return GST_PAD_PROBE_OK;
  gst_event_copy_segment(event, &segment);
  if (segment.format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID(segment.stop))
    return GST_PAD_PROBE_OK;
  segment.stop = GST_CLOCK_TIME_NONE;
  GstEvent *replacement = gst_event_new_segment(&segment);
  gst_event_set_seqnum(replacement, gst_event_get_seqnum(event));
  gst_event_unref(event);
  GST_PAD_PROBE_INFO_DATA(info) = replacement;
  return GST_PAD_PROBE_OK;
}

static void
open_segments_of(const GValue *item, gpointer user_data) {
  GstElement *element = g_value_get_object(item);
  GstElementFactory *factory = gst_element_get_factory(element);
  const GstElementFactoryListType types =
      GST_ELEMENT_FACTORY_TYPE_DECODER | GST_ELEMENT_FACTORY_TYPE_PARSER;
  if (!factory || !gst_element_factory_list_is_type(factory, types))
    return;
  g_autoptr(GstPad) sink = gst_element_get_static_pad(element, "sink");
  g_autoptr(GstEvent) event = sink ? gst_pad_get_sticky_event(sink, GST_EVENT_SEGMENT, 0) : NULL;
  const GstSegment *segment;
  if (!event)
    return;
  gst_event_parse_segment(event, &segment);
  if (!GST_CLOCK_TIME_IS_VALID(segment->stop))
    gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, open_segment, NULL, NULL);
}

void
cut_open_segments(GstElement *source) {
  GstIterator *elements = gst_bin_iterate_recurse(GST_BIN(source));
  gst_iterator_foreach(elements, open_segments_of, NULL);
  gst_iterator_free(elements);
}

static gint
compare_factory(gconstpointer item, gconstpointer unused) {
  const GstElementFactory *factory = gst_element_get_factory(g_value_get_object(item));
  const gchar *name = factory ? GST_OBJECT_NAME(factory) : "";
  return g_str_equal(name, "qtdemux") || g_str_equal(name, "matroskademux") ? 0 : 1;
}

static gboolean
has_exact_index(GstElement *source, GstPad *pad) {
  g_autoptr(GstQuery) query = gst_query_new_seeking(GST_FORMAT_TIME);
  gboolean seekable = FALSE;
  if (gst_pad_query(pad, query))
    gst_query_parse_seeking(query, NULL, &seekable, NULL, NULL);
  if (!seekable)
    return FALSE;
  g_auto(GValue) found = G_VALUE_INIT;
  GstIterator *elements = gst_bin_iterate_recurse(GST_BIN(source));
  const gboolean is_exact = gst_iterator_find_custom(elements, compare_factory, &found, NULL);
  gst_iterator_free(elements);
  return is_exact;
}

void
cut_begin(Cut *self) {
  if (self->start == 0 || !self->video || !has_exact_index(self->source, self->video))
    return;
  g_autoptr(GstEvent) event = gst_pad_get_sticky_event(self->video, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  if (event) {
    gst_event_parse_segment(event, &segment);
    if (GST_CLOCK_TIME_IS_VALID(segment->time))
      self->zero = segment->time;
  }
  self->seeks = TRUE;
  cut_open_segments(self->source);
}
