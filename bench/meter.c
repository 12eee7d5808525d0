/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "meter.h"

#include "engine/error.h"

#define PATIENCE (20 * G_TIME_SPAN_SECOND) /* without a single frame */

/* One sink. */
typedef struct {
  BenchMeter *meter;
  guint n_frames;
} Watch;

void
bench_meter_init(BenchMeter *self, guint n_warm, guint n_stretches, gint64 stretch_us) {
  *self = (BenchMeter){.n_warm = n_warm, .n_stretches = n_stretches, .stretch_us = stretch_us};
  g_mutex_init(&self->lock);
  g_cond_init(&self->changed);
}

void
bench_meter_clear(BenchMeter *self) {
  g_mutex_clear(&self->lock);
  g_cond_clear(&self->changed);
  g_clear_error(&self->error);
}

static void
end_stretch(BenchMeter *self) {
  self->us[self->n_done++] = (gdouble)(self->last - self->begin) / (gdouble)self->n_frames;
  self->n_timed += self->n_frames;
  self->begin = self->last;
  self->n_frames = 0;
}

static gboolean
is_over(const BenchMeter *self) {
  return self->error || self->ended || (self->n_stretches && self->n_done == self->n_stretches);
}

/* With the lock. */
static void
count_frame(BenchMeter *self, Watch *watch) {
  self->n_all++;
  self->last = g_get_monotonic_time();
  if (watch->n_frames < self->n_warm) {
    if (++watch->n_frames == self->n_warm && --self->n_cold == 0)
      self->begin = self->last;
    return;
  }
  if (self->n_cold > 0)
    return;
  self->n_frames++;
  if (self->n_stretches && self->last > self->begin &&
      self->last - self->begin >= self->stretch_us) {
    end_stretch(self);
    if (is_over(self))
      g_cond_signal(&self->changed);
  }
}

static GstPadProbeReturn
on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  Watch *watch = data;
  BenchMeter *self = watch->meter;
  g_mutex_lock(&self->lock);
  if (!is_over(self))
    count_frame(self, watch);
  g_mutex_unlock(&self->lock);
  return GST_PAD_PROBE_OK;
}

/* Nobody else looks at the bus. */
static GstBusSyncReply
on_message(GstBus *bus, GstMessage *message, gpointer data) {
  BenchMeter *self = data;
  const GstMessageType type = GST_MESSAGE_TYPE(message);
  g_mutex_lock(&self->lock);
  if (type == GST_MESSAGE_ERROR && !self->error)
    gst_message_parse_error(message, &self->error, NULL);
  if (type == GST_MESSAGE_EOS)
    self->ended = TRUE;
  if (is_over(self))
    g_cond_signal(&self->changed);
  g_mutex_unlock(&self->lock);
  gst_message_unref(message);
  return GST_BUS_DROP;
}

void
bench_meter_watch(BenchMeter *self, GstElement *pipeline) {
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_autoptr(GstPad) pad = gst_element_get_static_pad(sink, "sink");
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  Watch *watch = g_new0(Watch, 1);
  watch->meter = self;
  self->n_cold++;
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, watch, g_free);
  gst_bus_set_sync_handler(bus, on_message, self, NULL);
}

/* With the lock, until all is measured or nothing moves any more. */
static void
wait_until_over(BenchMeter *self) {
  guint64 n_before = G_MAXUINT64;
  while (!is_over(self) && self->n_all != n_before) {
    n_before = self->n_all;
    const gint64 deadline = g_get_monotonic_time() + PATIENCE;
    while (!is_over(self) && g_cond_wait_until(&self->changed, &self->lock, deadline))
      ;
  }
}

static gboolean
conclude(BenchMeter *self, GError **error) {
  if (self->error) {
    g_propagate_error(error, g_steal_pointer(&self->error));
    return FALSE;
  }
  if (self->n_stretches == 0 && self->ended && self->n_frames > 0)
    end_stretch(self);
  if (self->n_done > 0 && self->n_done >= self->n_stretches)
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_DEVICE,
              "the stream %s after %" G_GUINT64_FORMAT " frames; %u only warm up",
              self->ended ? "ends" : "stands still", self->n_all, self->n_warm);
  return FALSE;
}

gboolean
bench_meter_wait(BenchMeter *self, BenchTime *time, GError **error) {
  g_mutex_lock(&self->lock);
  wait_until_over(self);
  const gboolean ok = conclude(self, error);
  if (ok) {
    *time = bench_summarize(self->us, self->n_done);
    time->n_frames = (guint)(self->n_timed / self->n_done);
  }
  g_mutex_unlock(&self->lock);
  return ok;
}
