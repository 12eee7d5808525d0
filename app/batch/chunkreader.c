/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chunkreader.h"
#include "app/convert/cut.h"
#include "app/convert/elements.h"
#include "hash.h"

/* Minimum number of frames that have to be decoded before the range. After a seek, a decoder gives
 * the first frame the requested time instead of the frame's own time. So that frame cannot be the
 * boundary frame. */
#define MIN_BEFORE 2

enum { BEFORE_SEEK, SEEKING, READING, ENDED };

void
boundary_frame_clear(BoundaryFrame *self) {
  g_clear_pointer(&self->hash, g_free);
  self->time = GST_CLOCK_TIME_NONE;
}

void
reader_init(ChunkReader *self, GstClockTime begin, GstClockTime end) {
  *self = (ChunkReader){.begin = begin,
                        .end = end,
                        .first = GST_CLOCK_TIME_NONE,
                        .before = {GST_CLOCK_TIME_NONE, NULL},
                        .last = {GST_CLOCK_TIME_NONE, NULL},
                        .margin = CHUNK_MARGIN};
}

void
reader_clear(ChunkReader *self) {
  boundary_frame_clear(&self->before);
  boundary_frame_clear(&self->last);
  gst_clear_buffer(&self->recent);
  gst_clear_caps(&self->caps);
}

static void
fail(ChunkReader *self, const gchar *why) {
  self->state = ENDED;
  run_fail(self->run, g_error_new(GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
                                  "%s: %s, so it cannot be split into chunks; " CHUNK_REMEDY,
                                  self->run->input, why));
}

static void
seek_before(ChunkReader *self) {
  const gboolean at_start = self->state == BEFORE_SEEK && self->begin <= self->margin;
  self->state = at_start ? READING : SEEKING;
  self->start = self->begin > self->margin ? self->begin - self->margin : 0;
  if (at_start)
    return;
  self->margin *= 10;
  self->n_before = 0;
  gst_clear_buffer(&self->recent);
  elements_seek_async(
      self->source, self->pad, self->start + self->origin,
      "it can be read from its start only, so it cannot be split into chunks; " CHUNK_REMEDY);
}

/* ---- frames ---- */

static void
keep_recent(ChunkReader *self, BoundaryFrame *frame) {
  boundary_frame_clear(frame);
  if (!self->recent)
    return;
  frame->time = GST_BUFFER_PTS(self->recent);
  frame->hash = hash_frame(self->recent, self->caps);
}

static GstPadProbeReturn
end_range(ChunkReader *self, GstPad *pad, GstPadProbeInfo *info) {
  const gboolean first = self->state != ENDED;
  self->state = ENDED;
  if (first && self->frames > 0)
    keep_recent(self, &self->last);
  else if (first)
    run_finish(self->run);
  return elements_end_stream(pad, info, first && self->frames > 0);
}

/* Counts a frame before the range. At the first frame at or after `begin`, stores the previous
 * frame as the boundary frame `before`. Returns FALSE if the source has to start earlier. */
static gboolean
check_boundary(ChunkReader *self, GstClockTime time) {
  if (time < self->begin) {
    self->n_before++;
    return TRUE;
  }
  if (self->begin == 0 || self->frames > 0)
    return TRUE;
  if (self->n_before < MIN_BEFORE && self->start > 0)
    return FALSE;
  keep_recent(self, &self->before);
  return TRUE;
}

/* Returns the time of a frame relative to the start of the video. A stream time before the start of
 * the video is returned unchanged. */
static GstClockTime
video_time(const ChunkReader *self, GstClockTime pts) {
  if (!GST_CLOCK_TIME_IS_VALID(pts))
    return GST_CLOCK_TIME_NONE;
  const GstClockTime time = gst_segment_to_stream_time(&self->segment, GST_FORMAT_TIME, pts);
  return GST_CLOCK_TIME_IS_VALID(time) && time >= self->origin ? time - self->origin : time;
}

static GstPadProbeReturn
take_frame(ChunkReader *self, GstPad *pad, GstPadProbeInfo *info) {
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  const GstClockTime time = video_time(self, GST_BUFFER_PTS(buffer));
  if (!GST_CLOCK_TIME_IS_VALID(time)) {
    fail(self, "one of its frames has no time");
    return GST_PAD_PROBE_DROP;
  }
  if (self->frames > 0 && time <= self->previous) {
    fail(self, "the times of its frames do not always increase");
    return GST_PAD_PROBE_DROP;
  }
  self->previous = time;
  if (!check_boundary(self, time)) {
    seek_before(self);
    return GST_PAD_PROBE_DROP;
  }
  if (time >= self->end)
    return end_range(self, pad, info);
  buffer = gst_buffer_make_writable(buffer);
  GST_BUFFER_PTS(buffer) = time;
  GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  gst_buffer_replace(&self->recent, buffer);
  if (time < self->begin)
    return GST_PAD_PROBE_DROP;
  if (self->frames++ == 0)
    self->first = time;
  return GST_PAD_PROBE_OK;
}

/* ---- events ---- */

/* Replaces the source's segment, because downstream gets times from the start of the video. */
static void
replace_segment(ChunkReader *self, GstPadProbeInfo *info) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  GstSegment plain;
  gst_event_copy_segment(event, &self->segment);
  if (self->state == BEFORE_SEEK && GST_CLOCK_TIME_IS_VALID(self->segment.time))
    self->origin = self->segment.time;
  gst_segment_init(&plain, GST_FORMAT_TIME);
  elements_replace_segment(info, &plain);
}

static GstPadProbeReturn
take_event(ChunkReader *self, GstPad *pad, GstPadProbeInfo *info) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  GstCaps *caps;
  switch (GST_EVENT_TYPE(event)) {
  case GST_EVENT_FLUSH_STOP:
    if (self->state == SEEKING)
      self->state = READING;
    return GST_PAD_PROBE_DROP; /* downstream has no frame yet, so it needs no flush */
  case GST_EVENT_FLUSH_START:
    return GST_PAD_PROBE_DROP;
  case GST_EVENT_CAPS:
    gst_event_parse_caps(event, &caps);
    gst_caps_replace(&self->caps, caps);
    return GST_PAD_PROBE_OK;
  case GST_EVENT_SEGMENT:
    replace_segment(self, info);
    return GST_PAD_PROBE_OK;
  case GST_EVENT_EOS:
    if (self->state == BEFORE_SEEK)
      seek_before(self);
    if (self->state == READING && !check_boundary(self, self->begin))
      seek_before(self);
    return self->state == SEEKING ? GST_PAD_PROBE_DROP : end_range(self, pad, info);
  default:
    return GST_PAD_PROBE_OK;
  }
}

static GstPadProbeReturn
on_data(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  ChunkReader *self = user_data;
  if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER))
    return take_event(self, pad, info);
  if (self->state == BEFORE_SEEK)
    seek_before(self);
  if (self->state == SEEKING)
    return GST_PAD_PROBE_DROP;
  if (self->state == ENDED)
    return end_range(self, pad, info);
  return take_frame(self, pad, info);
}

void
reader_attach(ChunkReader *self, GstElement *source, GstPad *pad, PipelineRun *run) {
  self->run = run;
  self->source = source;
  self->pad = pad;
  gst_segment_init(&self->segment, GST_FORMAT_TIME);
  cut_open_segments(source, FALSE);
  gst_pad_add_probe(pad,
                    GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                        GST_PAD_PROBE_TYPE_EVENT_FLUSH,
                    on_data, self, NULL);
}
