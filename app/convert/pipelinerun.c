/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipelinerun.h"
#include "elements.h"
#include "errors.h"
#include "app/text.h"

#include <glib-unix.h>
#include <gst/pbutils/pbutils.h>
#include <gst/video/video.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#define PROGRESS_INTERVAL 200 /* milliseconds */
/* Extra seconds before the timer ends a live source, so that its last frames arrive. */
#define LIVE_SLACK 1
#define MAX_SECONDS_STOPPED 5
#define SAME_SIGNAL 0.5 /* seconds; signals closer to the first one than this are ignored */

/* Application messages that a run posts to its own bus, from any thread. The bus delivers them in
 * order with the messages of elements. */
#define MESSAGE_ERROR "run-error"
#define MESSAGE_NO_VIDEO "run-no-video"
#define MESSAGE_DONE "run-done"

/* ---- notes and progress ---- */

void
run_note(PipelineRun *self, const gchar *format, ...) {
  if (self->quiet)
    return;
  va_list arguments;
  va_start(arguments, format);
  g_autofree gchar *plain = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree gchar *text = text_redact(plain);
  if (self->progress)
    progress_hide(self->progress);
  g_printerr("%s\n", text);
}

/* Has no effect after the pipeline has stopped. */
static void
query_length(PipelineRun *self) {
  gint64 length;
  if (gst_element_query_duration(self->pipeline, GST_FORMAT_TIME, &length) && length > 0)
    self->length = (GstClockTime)length;
}

/* The result is from 0 to 1, or negative if it is unknown. */
static gdouble
share_done(const PipelineRun *self, guint64 frames, GstClockTime last) {
  if (self->expected > 0)
    return (gdouble)frames / (gdouble)self->expected;
  const GstClockTime end = MIN(self->length, self->end);
  if (!GST_CLOCK_TIME_IS_VALID(end) || end <= self->begin || !GST_CLOCK_TIME_IS_VALID(last) ||
      last < self->begin)
    return -1;
  return MIN((gdouble)(last - self->begin) / (gdouble)(end - self->begin), 1);
}

static gboolean
on_progress(gpointer user_data) {
  PipelineRun *self = user_data;
  GST_OBJECT_LOCK(self->filter);
  const guint64 frames = self->frames;
  const GstClockTime last = self->last;
  GST_OBJECT_UNLOCK(self->filter);
  query_length(self);
  progress_show(self->progress, share_done(self, frames, last), frames, 0, "frames");
  return G_SOURCE_CONTINUE;
}

/* ---- probes and messages ---- */

static void
read_size(PipelineRun *self, GstPad *pad) {
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  GstVideoInfo format;
  if (!caps || !gst_video_info_from_caps(&format, caps)) /* no caps: the pipeline stops */
    return;
  self->width = GST_VIDEO_INFO_WIDTH(&format);
  self->height = GST_VIDEO_INFO_HEIGHT(&format);
}

/* `into` is a GstVideoInfo of the PipelineRun. It is read after the pipeline has stopped. */
static GstPadProbeReturn
read_format(GstPad *pad, GstPadProbeInfo *info, gpointer into) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  GstCaps *caps;
  GstVideoInfo format;
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps(event, &caps);
  if (elements_is_frames(caps) && gst_video_info_from_caps(&format, caps))
    *(GstVideoInfo *)into = format;
  return GST_PAD_PROBE_OK;
}

/* Each stream of the input has its own thread, so stream_end needs the lock. */
static GstPadProbeReturn
read_end(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  PipelineRun *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstClockTime end = elements_stream_time(pad, buffer);
  if (!GST_CLOCK_TIME_IS_VALID(end))
    return GST_PAD_PROBE_OK;
  /* If a Matroska file begins later than 0, its stated length is the PTS of its end. So the later
   * of stream time and PTS counts. */
  end = MAX(end, GST_BUFFER_PTS(buffer));
  end += GST_BUFFER_DURATION_IS_VALID(buffer) ? GST_BUFFER_DURATION(buffer) : 0;
  GST_OBJECT_LOCK(self->pipeline);
  self->stream_end = MAX(self->stream_end, end);
  GST_OBJECT_UNLOCK(self->pipeline);
  return GST_PAD_PROBE_OK;
}

/* Returns the name of the numbered image that is decoded next. */
static gchar *
name_of_image(const PipelineRun *self) {
  const Input *input = self->sequence;
  return sequence_name(input->sequence, input->first + (guint)self->images);
}

static GError *
error_of_image(const PipelineRun *self) {
  g_autofree gchar *name = name_of_image(self);
  return g_error_new(GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                     "%s: this image could not be decoded", name);
}

/* Returns how many of the numbered images are shown before a time. */
static guint64
count_images(const PipelineRun *self, GstClockTime time) {
  const guint64 all = self->sequence->last - self->sequence->first + 1;
  const GstVideoInfo *format = &self->decoded;
  if (!GST_CLOCK_TIME_IS_VALID(time) || GST_VIDEO_INFO_FPS_N(format) <= 0)
    return all;
  return MIN(all, gst_util_uint64_scale_ceil(time, (guint64)GST_VIDEO_INFO_FPS_N(format),
                                             GST_SECOND * (guint64)GST_VIDEO_INFO_FPS_D(format)));
}

void
run_set_part(PipelineRun *self, const Input *input, GstClockTime begin, GstClockTime end) {
  self->begin = begin;
  self->end = end;
  self->sequence = input->sequence ? input : NULL;
  if (self->sequence && begin == 0 && !GST_CLOCK_TIME_IS_VALID(end))
    self->expected = count_images(self, end);
}

/* A parser skips what it cannot read, without a message. Then the time of the next image has a
 * gap. The images behind a gap are dropped, because numbered images as output would get wrong
 * numbers. */
static GstPadProbeReturn
check_image(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  PipelineRun *self = user_data;
  const GstClockTime time = elements_stream_time(pad, GST_PAD_PROBE_INFO_BUFFER(info));
  const guint64 n = (guint64)GST_VIDEO_INFO_FPS_N(&self->decoded);
  const guint64 d = (guint64)GST_VIDEO_INFO_FPS_D(&self->decoded) * GST_SECOND;
  if (n > 0 && GST_CLOCK_TIME_IS_VALID(time) &&
      MIN(gst_util_uint64_scale_round(time, n, d), count_images(self, self->end)) > self->images) {
    run_fail(self, error_of_image(self));
    return GST_PAD_PROBE_DROP;
  }
  self->images++;
  return GST_PAD_PROBE_OK;
}

void
run_watch_stream(PipelineRun *self, GstPad *pad, gboolean is_video) {
  if (is_video)
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, read_format, &self->decoded, NULL);
  if (is_video && self->sequence)
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, check_image, self, NULL);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, read_end, self, NULL);
}

void
run_watch_encoder(PipelineRun *self, GstElement *encoder) {
  g_autoptr(GstPad) sink = gst_element_get_static_pad(encoder, "sink");
  gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, read_format, &self->encoded, NULL);
}

static GstPadProbeReturn
count_frame(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  PipelineRun *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstClockTime end = elements_stream_time(pad, buffer);
  if (GST_CLOCK_TIME_IS_VALID(end) && GST_BUFFER_DURATION_IS_VALID(buffer))
    end += GST_BUFFER_DURATION(buffer);
  GST_OBJECT_LOCK(self->filter);
  if (self->frames++ == 0)
    read_size(self, pad);
  if (GST_CLOCK_TIME_IS_VALID(end))
    self->last = end;
  GST_OBJECT_UNLOCK(self->filter);
  return GST_PAD_PROBE_OK;
}

static void
post(PipelineRun *self, GstStructure *structure) {
  gst_element_post_message(self->pipeline,
                           gst_message_new_application(GST_OBJECT(self->pipeline), structure));
}

void
run_finish(PipelineRun *self) {
  post(self, gst_structure_new_empty(MESSAGE_DONE));
}

void
run_fail(PipelineRun *self, GError *error) {
  post(self, gst_structure_new(MESSAGE_ERROR, "error", G_TYPE_ERROR, error, NULL));
  g_error_free(error);
}

void
run_fail_without_video(PipelineRun *self) {
  post(self, gst_structure_new_empty(MESSAGE_NO_VIDEO));
}

/* Takes ownership of the error. Only the first error is reported. */
static void
end_with(PipelineRun *self, GError *error) {
  if (self->error)
    g_error_free(error);
  else
    self->error = error;
  g_main_loop_quit(self->loop);
}

static void
on_own_message(PipelineRun *self, GstMessage *message) {
  GError *error = NULL;
  if (GST_MESSAGE_SRC(message) != GST_OBJECT(self->pipeline))
    return;
  if (gst_message_has_name(message, MESSAGE_DONE)) {
    g_main_loop_quit(self->loop);
  } else if (gst_message_has_name(message, MESSAGE_ERROR)) {
    gst_structure_get(gst_message_get_structure(message), "error", G_TYPE_ERROR, &error, NULL);
    end_with(self, error);
  } else if (gst_message_has_name(message, MESSAGE_NO_VIDEO)) {
    end_with(self, error_no_video(self->input, self->missing));
  }
}

static void
on_element_message(PipelineRun *self, GstMessage *message) {
  const GstStructure *structure = gst_message_get_structure(message);
  if (gst_message_has_name(message, "cudaconv-backend")) {
    g_free(self->backend);
    g_free(self->device);
    self->backend = g_strdup(gst_structure_get_string(structure, "backend"));
    self->device = g_strdup(gst_structure_get_string(structure, "device"));
  } else if (gst_is_missing_plugin_message(message)) {
    g_autofree gchar *before = self->missing;
    g_autofree gchar *one = gst_missing_plugin_message_get_description(message);
    self->missing = before ? g_strconcat(before, ", ", one, NULL) : g_steal_pointer(&one);
  }
}

/* Warnings about the input are counted, all others are reported at once. Warnings about refused
 * property values cannot arrive here: values do not change during a run, and a value that is
 * refused before the start makes the start fail. */
static void
on_warning(PipelineRun *self, GstMessage *message) {
  g_autoptr(GError) warning = NULL;
  gst_message_parse_warning(message, &warning, NULL);
  g_strdelimit(warning->message, "\n", ' ');
  /* on_element_message stores missing decoders. */
  if (g_error_matches(warning, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND) ||
      g_error_matches(warning, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN))
    return;
  if (!error_is_of_input(GST_MESSAGE_SRC(message)))
    run_note(self, "Warning: %s", warning->message);
  else if (self->warnings++ == 0)
    self->warning = g_strdup(warning->message);
}

/* Returns a name such as "4:2:0". NULL if the format has no chroma, or if there is no name. */
static const gchar *
describe_chroma(const GstVideoInfo *format) {
  static const gchar *const names[3][3] = {
      {"4:4:4", "4:4:0", NULL}, {"4:2:2", "4:2:0", NULL}, {"4:1:1", NULL, "4:1:0"}};
  const GstVideoFormatInfo *info = format->finfo;
  if (!GST_VIDEO_FORMAT_INFO_IS_YUV(info) || GST_VIDEO_FORMAT_INFO_W_SUB(info, 1) > 2 ||
      GST_VIDEO_FORMAT_INFO_H_SUB(info, 1) > 2)
    return NULL;
  return names[GST_VIDEO_FORMAT_INFO_W_SUB(info, 1)][GST_VIDEO_FORMAT_INFO_H_SUB(info, 1)];
}

static void
report_losses(PipelineRun *self) {
  const GstVideoInfo *from = &self->decoded, *to = &self->encoded;
  if (!from->finfo || !to->finfo)
    return;
  const guint depth = GST_VIDEO_INFO_COMP_DEPTH(from, 0);
  const guint depth_kept = GST_VIDEO_INFO_COMP_DEPTH(to, 0);
  if (self->file_depth > depth)
    run_note(self, "%s: it has %u bits per sample, but GStreamer reads only %u", self->input,
             self->file_depth, depth);
  if (depth_kept < depth)
    run_note(self, "%s: it has %u bits per sample, but %s has %u", self->output, depth_kept,
             self->input, depth);
  if (GST_VIDEO_INFO_HAS_ALPHA(from) && !GST_VIDEO_INFO_HAS_ALPHA(to))
    run_note(self, "%s: left out: the alpha channel (the encoder does not support it)",
             self->output);
  const gchar *chroma = describe_chroma(from), *chroma_kept = describe_chroma(to);
  if (chroma && chroma_kept &&
      (GST_VIDEO_FORMAT_INFO_W_SUB(to->finfo, 1) > GST_VIDEO_FORMAT_INFO_W_SUB(from->finfo, 1) ||
       GST_VIDEO_FORMAT_INFO_H_SUB(to->finfo, 1) > GST_VIDEO_FORMAT_INFO_H_SUB(from->finfo, 1)))
    run_note(self, "%s: its chroma is %s, but %s has %s", self->output, chroma_kept, self->input,
             chroma);
}

gboolean
run_check_frames(const PipelineRun *self, GError **error) {
  if (self->frames > 0)
    return TRUE;
  if (self->begin > 0)
    g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "%s: no frame at %g seconds",
                self->input, (gdouble)self->begin / GST_SECOND);
  else
    g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
                "%s: no frame of the video could be read", self->input);
  return FALSE;
}

gboolean
run_check_length(const PipelineRun *self, GError **error) {
  const GstClockTime end = MIN(self->length, self->end);
  /* If a decoder is missing, the longest stream may be unread, so the length cannot be checked. */
  if (!GST_CLOCK_TIME_IS_VALID(self->length) || !self->states_length || self->missing ||
      self->signal != 0 || end <= self->begin)
    return TRUE;
  const GstClockTime stated = end - self->begin;
  if (self->stream_end + CLAMP(stated / 50, GST_SECOND / 2, 5 * GST_SECOND) >= end)
    return TRUE;
  g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
              "%s: it should last %.1f s, but ended after %.1f s", self->input,
              (gdouble)self->length / GST_SECOND, (gdouble)self->stream_end / GST_SECOND);
  return FALSE;
}

/* Reports problems that did not prevent the output. */
static void
report_flaws(PipelineRun *self) {
  if (self->missing && !self->video_only)
    run_note(self, "%s: left out: %s (not installed)", self->input, self->missing);
  report_losses(self);
  if (self->warnings > 0)
    run_note(self, "%s: parts of it could not be read (%u warning%s, the first: %s)", self->input,
             self->warnings, self->warnings == 1 ? "" : "s", self->warning);
}

/* Whether numbered images could not be parsed or decoded. One thread does both, so all earlier
 * images have been decoded. The source also reports that an encoder declines frames of another
 * size. */
static gboolean
is_of_image(const PipelineRun *self, GstObject *from, const GError *error, const gchar *details) {
  return self->sequence && self->decoded.finfo && error_is_of_input(from) &&
         error->domain == GST_STREAM_ERROR && !error_is_of_format(details) &&
         self->images < count_images(self, GST_CLOCK_TIME_NONE);
}

/* An error of reading names its file, which need not be the first: decoders can wait for images. */
static gchar *
explain(const PipelineRun *self, GstMessage *message, const GError *error) {
  const gboolean is_first =
      self->sequence && self->images == 0 && error->domain != GST_RESOURCE_ERROR;
  g_autofree gchar *image = is_first ? name_of_image(self) : NULL;
  return error_explain(message, self->filter, image ? image : self->input, self->output,
                       self->missing);
}

static gboolean
on_message(GstBus *bus, GstMessage *message, gpointer user_data) {
  PipelineRun *self = user_data;
  switch (GST_MESSAGE_TYPE(message)) {
  case GST_MESSAGE_ERROR: {
    GError *error = NULL;
    g_autofree gchar *details = NULL;
    gst_message_parse_error(message, &error, &details);
    if (is_of_image(self, GST_MESSAGE_SRC(message), error, details)) {
      g_error_free(error);
      error = error_of_image(self);
    } else {
      gchar *text = explain(self, message, error);
      g_free(error->message);
      error->message = text;
    }
    end_with(self, error);
    break;
  }
  case GST_MESSAGE_EOS:
    if (self->sequence && self->signal == 0 && self->images < count_images(self, self->end))
      end_with(self, error_of_image(self));
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
  case GST_MESSAGE_APPLICATION:
    on_own_message(self, message);
    break;
  default:
    break;
  }
  return G_SOURCE_CONTINUE;
}

static gboolean
end_stream(gpointer user_data) {
  PipelineRun *self = user_data;
  gst_element_send_event(self->pipeline, gst_event_new_eos());
  return G_SOURCE_REMOVE;
}

static struct timespec first_signal; /* when the first signal arrived; CLOCK_MONOTONIC */

/* Terminals, shells and `timeout` may send a signal twice, so a signal shortly after the first one
 * counts as the same. */
static gboolean
is_same_signal(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (gdouble)(now.tv_sec - first_signal.tv_sec) +
             (gdouble)(now.tv_nsec - first_signal.tv_nsec) / 1e9 <
         SAME_SIGNAL;
}

/* Ends the process at once at a further signal, because a hanging element could block the normal
 * end. */
static void
on_next_signal(gint number) {
  if (is_same_signal())
    return;
  signal(number, SIG_DFL);
  raise(number);
}

static void
wait_for_next_signal(void) {
  signal(SIGINT, on_next_signal);
  signal(SIGTERM, on_next_signal);
  signal(SIGHUP, on_next_signal);
}

/* With a live source, the first signal ends the stream, so that the recording becomes complete.
 * With a file, the first signal ends the run, because an incomplete OUT is not kept. A signal
 * that arrives outside run_play is handled in the next call of run_play or run_take_signal. */
static void
on_signal(PipelineRun *self, gint number) {
  if (self->signal == 0)
    clock_gettime(CLOCK_MONOTONIC, &first_signal);
  else if (is_same_signal())
    return;
  const gboolean is_first = self->signal == 0;
  self->signal = number;
  if (self->live && is_first) {
    end_stream(self);
    return;
  }
  self->live = FALSE;
  wait_for_next_signal();
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

void
run_init(PipelineRun *self, Progress *progress, const gchar *input, const gchar *output) {
  memset(self, 0, sizeof *self);
  self->progress = progress;
  self->quiet = !progress || progress->quiet;
  self->input = input;
  self->output = output;
  self->last = self->length = self->end = GST_CLOCK_TIME_NONE;
  self->loop = g_main_loop_new(NULL, FALSE);
  self->signals[0] = g_unix_signal_add(SIGINT, on_interrupt, self);
  self->signals[1] = g_unix_signal_add(SIGTERM, on_terminate, self);
  self->signals[2] = g_unix_signal_add(SIGHUP, on_hangup, self);
  signal(SIGPIPE, SIG_IGN); /* writing to a closed stdout or stderr must not end the conversion */
}

gint
run_take_signal(PipelineRun *self) {
  while (g_main_context_iteration(NULL, FALSE))
    ;
  return self->signal;
}

void
run_clear(PipelineRun *self) {
  /* After a signal, callers remove temporary files before the process ends. Meanwhile a further
   * signal must end the process at once. The GLib sources are kept, because GLib restores the
   * default action when they are removed. */
  if (self->signal != 0)
    wait_for_next_signal();
  for (guint i = 0; i < G_N_ELEMENTS(self->signals) && self->signal == 0; i++)
    g_clear_handle_id(&self->signals[i], g_source_remove);
  g_clear_pointer(&self->loop, g_main_loop_unref);
  g_clear_error(&self->error);
  g_clear_pointer(&self->missing, g_free);
  g_clear_pointer(&self->warning, g_free);
  g_clear_pointer(&self->backend, g_free);
  g_clear_pointer(&self->device, g_free);
  g_clear_pointer(&self->codec, g_free);
  g_clear_pointer(&self->audio, g_free);
}

/* TRUE if an element of the source, such as a demuxer, has stopped its streaming thread. */
static gboolean
has_stopped(GstElement *source) {
  g_autoptr(GstIterator) elements = gst_bin_iterate_recurse(GST_BIN(source));
  g_auto(GValue) value = G_VALUE_INIT;
  gboolean stopped = FALSE;
  while (!stopped && gst_iterator_next(elements, &value) == GST_ITERATOR_OK) {
    g_autoptr(GstPad) sink = gst_element_get_static_pad(g_value_get_object(&value), "sink");
    stopped = sink && gst_pad_get_task_state(sink) == GST_TASK_PAUSED;
    g_value_reset(&value);
  }
  return stopped;
}

/* Ends the run if the source hangs. If a demuxer rejects a damaged file while decodebin starts the
 * demuxer, decodebin of GStreamer 1.22 drops the error message. No other message would follow, so
 * the run would never end. */
static gboolean
check_source(gpointer user_data) {
  PipelineRun *self = user_data;
  g_autoptr(GstElement) source = gst_bin_get_by_name(GST_BIN(self->pipeline), "source");
  gboolean waits = source && source->numsrcpads == 0 && has_stopped(source);
  self->stopped = waits ? self->stopped + 1 : 0;
  if (self->stopped >= MAX_SECONDS_STOPPED)
    end_with(self, g_error_new(GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
                               "%s: it is damaged and could not be read", self->input));
  return G_SOURCE_CONTINUE;
}

/* If an element fails to start, it usually posts its own error before the general error of this
 * function. */
static void
start(PipelineRun *self) {
  GstStateChangeReturn change = gst_element_set_state(self->pipeline, GST_STATE_PAUSED);
  self->live = change == GST_STATE_CHANGE_NO_PREROLL;
  if (change != GST_STATE_CHANGE_FAILURE)
    change = gst_element_set_state(self->pipeline, GST_STATE_PLAYING);
  if (change == GST_STATE_CHANGE_FAILURE)
    run_fail(self, g_error_new(GST_CORE_ERROR, GST_CORE_ERROR_STATE_CHANGE,
                               "%s: the pipeline could not be started", self->input));
}

gboolean
run_play(PipelineRun *self, GstElement *pipeline, GstElement *filter, GError **error) {
  static const gchar *const demuxers[] = {"asfdemux", "avidemux", "matroskademux", "qtdemux", NULL};
  self->pipeline = pipeline;
  self->filter = filter;
  g_autoptr(GstPad) src = gst_element_get_static_pad(filter, "src");
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, count_frame, self, NULL);
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gst_bus_add_watch(bus, on_message, self);

  self->started = g_get_monotonic_time();
  start(self);
  guint limit = 0, check = g_timeout_add_seconds(1, check_source, self);
  const gboolean shows = self->progress && !self->progress->quiet;
  guint progress = shows ? g_timeout_add(PROGRESS_INTERVAL, on_progress, self) : 0;
  if (self->live && GST_CLOCK_TIME_IS_VALID(self->end))
    limit =
        g_timeout_add_seconds((guint)(self->end / GST_SECOND) + 1 + LIVE_SLACK, end_stream, self);
  g_main_loop_run(self->loop);
  self->took = (GstClockTime)(g_get_monotonic_time() - self->started) * 1000;
  query_length(self);
  self->states_length = elements_have(GST_BIN(pipeline), demuxers);
  gst_element_set_state(pipeline, GST_STATE_NULL);

  g_source_remove(check);
  if (progress)
    g_source_remove(progress);
  GSource *waiting = limit ? g_main_context_find_source_by_id(NULL, limit) : NULL;
  if (waiting)
    g_source_destroy(waiting);
  gst_bus_remove_watch(bus);
  if (self->progress)
    progress_hide(self->progress);
  if (self->error) {
    g_propagate_error(error, g_steal_pointer(&self->error));
    return FALSE;
  }
  if (self->signal != 0 && !self->live)
    return FALSE;
  report_flaws(self);
  return TRUE;
}
