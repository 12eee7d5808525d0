/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cut.h"
#include "elements.h"

typedef struct {
  Cut *cut;
  gboolean is_raw_video;
  gboolean flushed; /* TRUE after the flush of the seek arrived */
  gboolean ended;
  GstSegment segment; /* segment of the pad as changed by take_segment */
  GstBuffer *held;    /* last frame before the start; a player may still show it at the start */
} Stream;

static void
free_stream(Stream *self) {
  gst_clear_buffer(&self->held);
  g_free(self);
}

/* Makes a segment begin at the start of the cut or later. The start of the cut gets running time 0.
 * Without a seek, segment->base is the position of the segment in the whole file. After a seek,
 * running times restart at 0. The demuxers that cut_begin lists then store the position in
 * segment->time. */
static void
take_segment(Stream *self, GstPadProbeInfo *info) {
  const GstClockTime start = self->cut->start;
  GstSegment *segment = &self->segment;
  gst_event_copy_segment(GST_PAD_PROBE_INFO_EVENT(info), segment);
  if (segment->format != GST_FORMAT_TIME || segment->rate != 1 ||
      !GST_CLOCK_TIME_IS_VALID(segment->time))
    return;
  const GstClockTime begin = self->cut->seeks ? segment->time : segment->base;
  const GstClockTime skipped = start > begin ? start - begin : 0;
  segment->start += skipped;
  segment->position = segment->start;
  segment->time += skipped;
  segment->base = begin + skipped - start;
  if (GST_CLOCK_TIME_IS_VALID(segment->stop))
    segment->stop = MAX(segment->stop, segment->start);
  elements_replace_segment(info, segment);
}

/* The held frame gets the start of the cut as its time, and a duration up to `end`. */
static GstBuffer *
take_held(Stream *self, GstClockTime end) {
  GstBuffer *frame = gst_buffer_make_writable(g_steal_pointer(&self->held));
  GST_BUFFER_PTS(frame) = self->segment.start;
  GST_BUFFER_DURATION(frame) = end - self->segment.start;
  return frame;
}

/* Outputs the held frame at the end of the stream, for the rest of its duration. Passes the frame
 * directly to the peer, because the pad is already at EOS and would drop the frame. */
static void
release_last(Stream *self, GstPad *pad) {
  g_autoptr(GstPad) peer = gst_pad_get_peer(pad);
  const GstClockTime end = self->held && GST_BUFFER_DURATION_IS_VALID(self->held)
                               ? GST_BUFFER_PTS(self->held) + GST_BUFFER_DURATION(self->held)
                               : 0;
  if (peer && end > self->segment.start)
    gst_pad_chain(peer, take_held(self, end));
}

/* Starts the seek at the first call, when the first data arrive. At that time the source has
 * unblocked its streams. */
static void
begin_seek(Cut *self, GstPad *pad) {
  if (!self->seeks || !g_atomic_int_compare_and_exchange(&self->is_sought, FALSE, TRUE))
    return;
  elements_seek_async(self->source, pad, self->start, "seeking to the start time failed");
}

static GstPadProbeReturn
take_event(Stream *self, GstPad *pad, GstPadProbeInfo *info) {
  const gboolean waits = self->cut->seeks && !self->flushed;
  switch (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info))) {
  case GST_EVENT_FLUSH_START:
    return GST_PAD_PROBE_DROP; /* downstream has no data to flush yet */
  case GST_EVENT_FLUSH_STOP:
    self->flushed = TRUE;
    gst_clear_buffer(&self->held);
    return GST_PAD_PROBE_DROP;
  case GST_EVENT_SEGMENT:
    take_segment(self, info);
    return GST_PAD_PROBE_OK;
  case GST_EVENT_EOS:
    begin_seek(self->cut, pad);
    if (!waits)
      release_last(self, pad);
    return waits ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
  case GST_EVENT_GAP:
    return waits ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
  default:
    return GST_PAD_PROBE_OK;
  }
}

static GstPadProbeReturn
on_data(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  Stream *self = user_data;
  Cut *cut = self->cut;
  if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER))
    return take_event(self, pad, info);
  begin_seek(cut, pad);
  if (cut->seeks && !self->flushed)
    return GST_PAD_PROBE_DROP;
  if (self->ended)
    return elements_end_stream(pad, info, FALSE);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  const GstSegment *segment = &self->segment;
  const GstClockTime pts = GST_BUFFER_PTS(buffer);
  if (segment->format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID(pts))
    return GST_PAD_PROBE_OK;
  const gboolean is_after_end = GST_CLOCK_TIME_IS_VALID(cut->end) && pts >= segment->start &&
                                pts - segment->start + segment->base >= cut->end - cut->start;
  if (self->held && pts > segment->start) {
    const GstClockTime end = is_after_end ? segment->start + (cut->end - cut->start) : pts;
    const GstFlowReturn flow = gst_pad_push(pad, take_held(self, end));
    if (flow != GST_FLOW_OK) {
      gst_buffer_unref(buffer);
      GST_PAD_PROBE_INFO_DATA(info) = NULL;
      GST_PAD_PROBE_INFO_FLOW_RETURN(info) = flow;
      return GST_PAD_PROBE_HANDLED;
    }
  }
  if (is_after_end) {
    self->ended = TRUE;
    return elements_end_stream(pad, info, TRUE);
  }
  if (cut->start == 0 || pts >= segment->start) {
    gst_clear_buffer(&self->held);
    return GST_PAD_PROBE_OK;
  }
  gst_buffer_replace(&self->held, self->is_raw_video ? buffer : NULL);
  return GST_PAD_PROBE_DROP;
}

void
cut_attach(Cut *self, GstElement *source, GstPad *pad, gboolean is_video) {
  if (self->start == 0 && !GST_CLOCK_TIME_IS_VALID(self->end))
    return;
  Stream *stream = g_new0(Stream, 1);
  stream->cut = self;
  stream->is_raw_video = is_video;
  gst_segment_init(&stream->segment, GST_FORMAT_UNDEFINED);
  self->source = source;
  if (is_video && !self->video)
    self->video = pad;
  gst_pad_add_probe(pad,
                    GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                        GST_PAD_PROBE_TYPE_EVENT_FLUSH,
                    on_data, stream, (GDestroyNotify)free_stream);
}

/* ---- seeking ---- */

static GstPadProbeReturn
open_segment(GstPad *pad, GstPadProbeInfo *info, gpointer from_zero) {
  GstSegment segment;
  if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) != GST_EVENT_SEGMENT)
    return GST_PAD_PROBE_OK;
  gst_event_copy_segment(GST_PAD_PROBE_INFO_EVENT(info), &segment);
  if (segment.format != GST_FORMAT_TIME)
    return GST_PAD_PROBE_OK;
  segment.stop = GST_CLOCK_TIME_NONE;
  if (GPOINTER_TO_INT(from_zero) && GST_CLOCK_TIME_IS_VALID(segment.time)) {
    const GstClockTime extension = MIN(segment.start, segment.time);
    segment.start -= extension;
    segment.time -= extension;
  }
  elements_replace_segment(info, &segment);
  return GST_PAD_PROBE_OK;
}

static void
open_segments_of(const GValue *item, gpointer from_zero) {
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
    gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, open_segment, from_zero, NULL);
}

void
cut_open_segments(GstElement *source, gboolean from_zero) {
  GstIterator *elements = gst_bin_iterate_recurse(GST_BIN(source));
  gst_iterator_foreach(elements, open_segments_of, GINT_TO_POINTER(from_zero));
  gst_iterator_free(elements);
}

void
cut_begin(Cut *self) {
  /* Demuxers that output exact times after a seek. */
  static const gchar *const demuxers[] = {"qtdemux", "matroskademux", NULL};
  g_autofree gchar *uri = NULL;
  if (self->start == 0 || !self->video || self->is_begun)
    return;
  self->is_begun = TRUE; /* the source emits no-more-pads again if its streams change */
  g_object_get(self->source, "uri", &uri, NULL);
  /* Seek only in local files: a server may report that it is seekable and then fail to seek. */
  if (!g_str_has_prefix(uri, "file:") || !elements_is_seekable(self->video) ||
      !elements_have(GST_BIN(self->source), demuxers))
    return;
  self->seeks = TRUE;
  cut_open_segments(self->source, TRUE);
}
