/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "meter.h"

#include "engine/error.h"

#define PAUSE (G_TIME_SPAN_MILLISECOND)    /* between two looks */
#define PATIENCE (20 * G_TIME_SPAN_SECOND) /* without a single frame */

/* One sink. */
typedef struct {
  BenchMeter *meter;
  guint n_frames;
} Watch;

void
bench_meter_init(BenchMeter *self, BenchSchedule schedule) {
  *self =
      (BenchMeter){.schedule = schedule, .buses = g_ptr_array_new_with_free_func(gst_object_unref)};
  g_mutex_init(&self->lock);
}

void
bench_meter_clear(BenchMeter *self) {
  g_ptr_array_unref(self->buses);
  g_mutex_clear(&self->lock);
}

static GstPadProbeReturn
on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  Watch *watch = data;
  BenchMeter *self = watch->meter;
  g_mutex_lock(&self->lock);
  self->last.n_frames++;
  self->last.us = g_get_monotonic_time();
  if (++watch->n_frames == self->schedule.n_warm)
    self->last.n_cold--;
  g_mutex_unlock(&self->lock);
  return GST_PAD_PROBE_OK;
}

void
bench_meter_watch(BenchMeter *self, GstElement *pipeline) {
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_autoptr(GstPad) pad = gst_element_get_static_pad(sink, "sink");
  Watch *watch = g_new0(Watch, 1);
  watch->meter = self;
  self->last.n_cold++;
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, watch, g_free);
  g_ptr_array_add(self->buses, gst_element_get_bus(pipeline));
}

/* Reads what the pipelines say; FALSE when one has failed. */
static gboolean
read_messages(BenchMeter *self, GError **error) {
  for (guint i = 0; i < self->buses->len; i++) {
    GstBus *bus = g_ptr_array_index(self->buses, i);
    g_autoptr(GstMessage) message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
    if (message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
      gst_message_parse_error(message, error, NULL);
      return FALSE;
    }
    self->ended = self->ended || message;
  }
  return TRUE;
}

/* Waits a little and looks where the pipelines are. FALSE when no more frames can be expected. */
static gboolean
look(BenchMeter *self, GError **error) {
  const gboolean ended = self->ended;
  g_usleep(PAUSE);
  if (!read_messages(self, error))
    return FALSE;
  g_mutex_lock(&self->lock);
  self->now = self->last;
  g_mutex_unlock(&self->lock);
  if (!ended && g_get_monotonic_time() - self->now.us < PATIENCE)
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_DEVICE,
              "the stream %s after %" G_GUINT64_FORMAT " frames; %u only warm up",
              ended ? "ends" : "stands still", self->now.n_frames, self->schedule.n_warm);
  return FALSE;
}

/* Times a stretch of at least `least_us`, or with 0 to the end of the stream. */
static gboolean
time_stretch(BenchMeter *self, gint64 least_us, gdouble *us, guint *n_frames, GError **error) {
  const BenchMark begin = self->now;
  while (self->now.us - begin.us < MAX(least_us, 1) || (least_us == 0 && !self->ended))
    if (!look(self, error))
      return FALSE;
  const guint64 n = self->now.n_frames - begin.n_frames;
  *us = (gdouble)(self->now.us - begin.us) / (gdouble)n;
  *n_frames += (guint)n;
  return TRUE;
}

gboolean
bench_meter_run(BenchMeter *self, BenchTime *time, GError **error) {
  const BenchSchedule *wanted = &self->schedule;
  const guint n_stretches = MAX(wanted->n_stretches, 1);
  const gint64 stretch_us = MAX((gint64)(1000 * wanted->budget_ms / n_stretches), 1);
  gdouble us[BENCH_MAX_STRETCHES];
  guint n_frames = 0;
  g_mutex_lock(&self->lock);
  self->last.us = g_get_monotonic_time();
  g_mutex_unlock(&self->lock);
  do {
    if (!look(self, error))
      return FALSE;
  } while (self->now.n_cold > 0);
  for (guint i = 0; i < n_stretches; i++)
    if (!time_stretch(self, wanted->n_stretches ? stretch_us : 0, &us[i], &n_frames, error))
      return FALSE;
  *time = bench_summarize(us, n_stretches);
  time->n_frames = n_frames / n_stretches;
  return TRUE;
}
