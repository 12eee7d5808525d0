/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "job.h"
#include "errors.h"

#include <glib-unix.h>
#include <gst/pbutils/pbutils.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TERMINAL_INTERVAL 200 /* milliseconds between two reports of progress */
#define LINES_INTERVAL 10000
#define CLEAR_LINE "\r\033[K"

void
job_init(Job *self, GstElement *pipeline, GstElement *filter, const gchar *input,
         const gchar *output) {
  const gboolean quiet = self->quiet;
  memset(self, 0, sizeof *self);
  self->quiet = quiet;
  self->terminal = isatty(STDERR_FILENO) && !quiet;
  self->pipeline = pipeline;
  self->filter = filter;
  self->input = input;
  self->output = output;
  self->first = self->last = self->length = GST_CLOCK_TIME_NONE;
  self->loop = g_main_loop_new(NULL, FALSE);
}

void
job_clear(Job *self) {
  g_clear_pointer(&self->loop, g_main_loop_unref);
  g_clear_error(&self->error);
  g_free(self->missing);
  g_free(self->backend);
  g_free(self->device);
}

/* ---- what is said ---- */

void
job_note(Job *self, const gchar *format, ...) {
  if (self->quiet)
    return;
  va_list arguments;
  va_start(arguments, format);
  g_autofree gchar *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_printerr("%s%s\n", self->terminal ? CLEAR_LINE : "", text);
}

static gchar *
format_time(gdouble seconds) {
  guint64 whole = (guint64)(seconds + 0.5);
  if (whole >= 3600)
    return g_strdup_printf("%" G_GUINT64_FORMAT ":%02u:%02u", whole / 3600,
                           (guint)(whole / 60 % 60), (guint)(whole % 60));
  return g_strdup_printf("%u:%02u", (guint)(whole / 60), (guint)(whole % 60));
}

/* How much of the work is done, 0 to 1, or less than 0 where nobody knows. */
static gdouble
share_done(const Job *self, guint64 frames, GstClockTime last) {
  if (self->expected > 0)
    return (gdouble)frames / (gdouble)self->expected;
  GstClockTime end = self->length;
  if (self->seconds > 0)
    end = MIN(end, (GstClockTime)(self->seconds * GST_SECOND));
  if (!GST_CLOCK_TIME_IS_VALID(end) || end == 0 || !GST_CLOCK_TIME_IS_VALID(last))
    return -1;
  return MIN((gdouble)last / (gdouble)end, 1);
}

static gboolean
tell_progress(gpointer user_data) {
  Job *self = user_data;
  GST_OBJECT_LOCK(self->filter);
  guint64 frames = self->frames;
  GstClockTime last = self->last;
  GST_OBJECT_UNLOCK(self->filter);
  if (frames == 0)
    return G_SOURCE_CONTINUE;
  if (!GST_CLOCK_TIME_IS_VALID(self->length)) {
    gint64 length;
    if (gst_element_query_duration(self->pipeline, GST_FORMAT_TIME, &length) && length > 0)
      self->length = (GstClockTime)length;
  }
  gdouble passed = (gdouble)(g_get_monotonic_time() - self->started) / G_USEC_PER_SEC;
  gdouble share = share_done(self, frames, last);
  g_autoptr(GString) line = g_string_new(NULL);
  if (share >= 0)
    g_string_append_printf(line, "%3.0f %%  ", share * 100);
  g_string_append_printf(line, "%" G_GUINT64_FORMAT " frames", frames);
  if (passed > 0)
    g_string_append_printf(line, ", %.0f a second", (gdouble)frames / passed);
  if (share > 0.01) {
    g_autofree gchar *left = format_time(passed * (1 - share) / share);
    g_string_append_printf(line, ", %s left", left);
  }
  if (self->terminal)
    g_printerr(CLEAR_LINE "%s", line->str);
  else
    g_printerr("%s\n", line->str);
  self->told = self->terminal;
  return G_SOURCE_CONTINUE;
}

/* ---- what happens ---- */

static void
read_size(Job *self, GstPad *pad) {
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  const GstStructure *format = gst_caps_get_structure(caps, 0);
  gst_structure_get_int(format, "width", &self->width);
  gst_structure_get_int(format, "height", &self->height);
}

static GstPadProbeReturn
count_frame(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  Job *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstClockTime end = GST_BUFFER_PTS(buffer);
  if (GST_CLOCK_TIME_IS_VALID(end) && GST_BUFFER_DURATION_IS_VALID(buffer))
    end += GST_BUFFER_DURATION(buffer);
  GST_OBJECT_LOCK(self->filter);
  if (self->frames++ == 0) {
    self->first = GST_BUFFER_PTS(buffer);
    read_size(self, pad);
  }
  if (GST_CLOCK_TIME_IS_VALID(end))
    self->last = end;
  GST_OBJECT_UNLOCK(self->filter);
  return GST_PAD_PROBE_OK;
}

static gboolean
quit(gpointer user_data) {
  Job *self = user_data;
  g_main_loop_quit(self->loop);
  return G_SOURCE_REMOVE;
}

void
job_finish(Job *self) {
  g_idle_add(quit, self);
}

void
job_fail(Job *self, GError *error) {
  GST_OBJECT_LOCK(self->filter);
  if (self->error)
    g_error_free(error);
  else
    self->error = error;
  GST_OBJECT_UNLOCK(self->filter);
  job_finish(self);
}

static void
on_element_message(Job *self, GstMessage *message) {
  const GstStructure *said = gst_message_get_structure(message);
  if (gst_message_has_name(message, "cudaconv-backend")) {
    g_free(self->backend);
    g_free(self->device);
    self->backend = g_strdup(gst_structure_get_string(said, "backend"));
    self->device = g_strdup(gst_structure_get_string(said, "device"));
  } else if (gst_is_missing_plugin_message(message)) {
    g_free(self->missing);
    self->missing = gst_missing_plugin_message_get_description(message);
  }
}

/* Refused values are errors in the end, for nothing here changes them while frames flow. */
static void
on_warning(Job *self, GstMessage *message) {
  g_autoptr(GError) warning = NULL;
  gst_message_parse_warning(message, &warning, NULL);
  if (GST_MESSAGE_SRC(message) == GST_OBJECT(self->filter))
    job_note(self, "Warning: %s", warning->message);
}

static gboolean
on_message(GstBus *bus, GstMessage *message, gpointer user_data) {
  Job *self = user_data;
  switch (GST_MESSAGE_TYPE(message)) {
  case GST_MESSAGE_ERROR: {
    g_autofree gchar *text =
        error_explain(message, self->filter, self->input, self->output, self->missing);
    job_fail(self, g_error_new_literal(GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, text));
    break;
  }
  case GST_MESSAGE_EOS:
    g_main_loop_quit(self->loop);
    break;
  case GST_MESSAGE_WARNING:
    on_warning(self, message);
    break;
  case GST_MESSAGE_LATENCY:
    gst_bin_recalculate_latency(GST_BIN(self->pipeline));
    break;
  case GST_MESSAGE_ELEMENT:
    on_element_message(self, message);
    break;
  default:
    break;
  }
  return G_SOURCE_CONTINUE;
}

static gboolean
end_stream(gpointer user_data) {
  Job *self = user_data;
  gst_element_send_event(self->pipeline, gst_event_new_eos());
  return G_SOURCE_REMOVE;
}

/* A recording is complete when somebody stops it; of a file there is only the whole. */
static void
on_signal(Job *self, gint number) {
  if (self->live && self->signal == 0) {
    self->signal = number;
    end_stream(self);
    return;
  }
  self->signal = number;
  self->live = FALSE;
  g_main_loop_quit(self->loop);
}

static gboolean
on_interrupt(gpointer user_data) {
  on_signal(user_data, SIGINT);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_terminate(gpointer user_data) {
  on_signal(user_data, SIGTERM);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_hangup(gpointer user_data) {
  on_signal(user_data, SIGHUP);
  return G_SOURCE_CONTINUE;
}

gboolean
job_run(Job *self, GError **error) {
  g_autoptr(GstPad) src = gst_element_get_static_pad(self->filter, "src");
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, count_frame, self, NULL);
  g_autoptr(GstBus) bus = gst_element_get_bus(self->pipeline);
  gst_bus_add_watch(bus, on_message, self);
  const guint sources[] = {
      g_unix_signal_add(SIGINT, on_interrupt, self), g_unix_signal_add(SIGTERM, on_terminate, self),
      g_unix_signal_add(SIGHUP, on_hangup, self),
      self->quiet ? 0
                  : g_timeout_add(self->terminal ? TERMINAL_INTERVAL : LINES_INTERVAL,
                                  tell_progress, self)};

  self->started = g_get_monotonic_time();
  self->live =
      gst_element_set_state(self->pipeline, GST_STATE_PAUSED) == GST_STATE_CHANGE_NO_PREROLL;
  if (self->live && self->seconds > 0)
    g_timeout_add((guint)(self->seconds * 1000), end_stream, self);
  gst_element_set_state(self->pipeline, GST_STATE_PLAYING);
  g_main_loop_run(self->loop);
  self->took = (GstClockTime)(g_get_monotonic_time() - self->started) * 1000;
  gst_element_set_state(self->pipeline, GST_STATE_NULL);

  for (guint i = 0; i < G_N_ELEMENTS(sources); i++) {
    if (sources[i])
      g_source_remove(sources[i]);
  }
  gst_bus_remove_watch(bus);
  if (self->told)
    g_printerr(CLEAR_LINE);
  if (self->error) {
    g_propagate_error(error, g_steal_pointer(&self->error));
    return FALSE;
  }
  return self->signal == 0 || self->live;
}
