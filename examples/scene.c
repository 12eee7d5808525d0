/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Renders balls that roll on a tiled floor, and writes a video with audio or an image. The result
 * is test material for users without a video of their own. Unlike a test chart, the video has soft
 * shading, shadows, fine texture and edges in all directions. The program is also an example of an
 * application that feeds its own frames to a pipeline.
 *
 * The same options always give the same file. The encoder's result depends neither on timing nor on
 * the number of cores. The file contains no dates. */

#include <errno.h>
#include <stdio.h>

#include <glib/gstdio.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include "melody.h"
#include "mp4.h"
#include "render.h"

#define FRAMES_PER_SECOND 30
#define MAX_SECONDS 60
#define MAX_SIZE 4096
#define NOT_GIVEN G_MININT

/* A constant quantizer and a fixed number of threads make the encoder's output reproducible. */
#define VIDEO_PIPELINE                                                                             \
  "appsrc name=video format=time ! queue max-size-buffers=4 ! videoconvert "                       \
  "! video/x-raw, format=I420, colorimetry=bt709 "                                                 \
  "! x264enc pass=quant quantizer=20 speed-preset=veryfast threads=4 bframes=0 "                   \
  "! queue ! mp4mux name=muxer ! filesink name=file "                                              \
  "appsrc name=audio format=time max-bytes=0 "                                                     \
  "! audioconvert ! voaacenc bitrate=96000 ! aacparse ! queue ! muxer. "
#define IMAGE_PIPELINE                                                                             \
  "appsrc name=video format=time ! pngenc compression-level=9 ! filesink name=file"

typedef struct {
  gdouble time, seconds;
  gint width, height;
  gchar *output;
  gboolean is_video;
} Options;

/* ---- command line ---- */

static gboolean fail_option(GError **error, const gchar *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
fail_option(GError **error, const gchar *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_propagate_error(
      error, g_error_new_valist(G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, format, arguments));
  va_end(arguments);
  return FALSE;
}

static gboolean
check_size(const gchar *option, gint size, gboolean even, GError **error) {
  if (size < 16 || size > MAX_SIZE || (even && size % 2 != 0))
    return fail_option(error, "--%s=%d: must be %s number from 16 to %d", option, size,
                       even ? "an even" : "a", MAX_SIZE);
  return TRUE;
}

static gboolean
check_options(Options *options, gboolean has_time, gboolean has_seconds, GError **error) {
  const gchar *output = options->output;
  options->is_video = g_str_has_suffix(output, ".mp4");
  if (!options->is_video && !g_str_has_suffix(output, ".png"))
    return fail_option(error, "%s: must end in .mp4 for a video or .png for an image", output);
  if (options->is_video && has_time)
    return fail_option(error, "--time=%g: only for images; use --seconds for a video",
                       options->time);
  if (!options->is_video && has_seconds)
    return fail_option(error, "--seconds=%g: only for videos; use --time for an image",
                       options->seconds);
  /* the comparisons are written so that NaN is refused too */
  if (!(options->time >= 0 && options->time <= 86400))
    return fail_option(error, "--time=%g: must be a number from 0 to 86400", options->time);
  if (!(options->seconds >= 0.1 && options->seconds <= MAX_SECONDS))
    return fail_option(error, "--seconds=%g: must be a number from 0.1 to %d", options->seconds,
                       MAX_SECONDS);
  return check_size("width", options->width, options->is_video, error) &&
         check_size("height", options->height, options->is_video, error);
}

static gboolean
parse_options(int *argc, char ***argv, Options *options, GError **error) {
  g_auto(GStrv) outputs = NULL;
  options->time = options->seconds = NOT_GIVEN;
  options->width = options->height = NOT_GIVEN;
  const GOptionEntry entries[] = {
      {"time", 't', 0, G_OPTION_ARG_DOUBLE, &options->time,
       "Time in the animation, for an image (default: 0)", "SECONDS"},
      {"seconds", 's', 0, G_OPTION_ARG_DOUBLE, &options->seconds,
       "Length of a video (default: 5, one period of the animation)", "SECONDS"},
      {"width", 0, 0, G_OPTION_ARG_INT, &options->width,
       "Default: 640 for a video, 480 for an image", "PIXELS"},
      {"height", 0, 0, G_OPTION_ARG_INT, &options->height, "Default: 360", "PIXELS"},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &outputs, NULL, "OUT"},
      {0}};
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_option_context_set_summary(context, "Renders balls that roll on a tiled floor: a video with "
                                        "audio to OUT.mp4, or an image to OUT.png.");
  g_option_context_add_main_entries(context, entries, NULL);
  g_option_context_add_group(context, gst_init_get_option_group());
  if (!g_option_context_parse(context, argc, argv, error))
    return FALSE;
  if (!outputs || !outputs[0] || outputs[1])
    return fail_option(error, "Expected one OUT that ends in .mp4 or .png; see --help");

  options->output = g_strdup(outputs[0]);
  gboolean has_time = options->time != NOT_GIVEN, has_seconds = options->seconds != NOT_GIVEN;
  gboolean is_video = g_str_has_suffix(outputs[0], ".mp4");
  options->time = has_time ? options->time : 0;
  options->seconds = has_seconds ? options->seconds : 5;
  if (options->width == NOT_GIVEN)
    options->width = is_video ? 640 : 480;
  if (options->height == NOT_GIVEN)
    options->height = 360;
  return check_options(options, has_time, has_seconds, error);
}

/* ---- the pipeline ---- */

/* The error names the package of a missing element. */
static gboolean
check_elements(gboolean is_video, GError **error) {
  static const struct {
    const gchar *element, *package;
    gboolean for_images;
  } needed[] = {
      {"appsrc", "gstreamer1.0-plugins-base", TRUE},
      {"videoconvert", "gstreamer1.0-plugins-base", FALSE},
      {"pngenc", "gstreamer1.0-plugins-good", TRUE},
      {"mp4mux", "gstreamer1.0-plugins-good", FALSE},
      {"aacparse", "gstreamer1.0-plugins-good", FALSE},
      {"voaacenc", "gstreamer1.0-plugins-bad", FALSE},
      {"x264enc", "gstreamer1.0-plugins-ugly", FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(needed); i++) {
    if (!is_video && !needed[i].for_images)
      continue;
    g_autoptr(GstElementFactory) factory = gst_element_factory_find(needed[i].element);
    if (!factory) {
      g_set_error(error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
                  "GStreamer has no element %s; on Debian it is in %s", needed[i].element,
                  needed[i].package);
      return FALSE;
    }
  }
  return TRUE;
}

/* The source of frames. While the pipeline runs, only the thread of the appsrc for video uses
 * it. */
typedef struct {
  const Options *options;
  Renderer *renderer;
  GstVideoInfo info;
  guint n_frames, next;
} Frames;

static GstAppSrc *
source_of(GstElement *pipeline, const gchar *name, GstCaps *caps) {
  GstAppSrc *source = GST_APP_SRC(gst_bin_get_by_name(GST_BIN(pipeline), name));
  gst_app_src_set_caps(source, caps);
  return source;
}

static void
push_audio(GstElement *pipeline, gdouble seconds) {
  g_autoptr(GstCaps) caps = gst_caps_new_simple(
      "audio/x-raw", "format", G_TYPE_STRING, "S16LE", "layout", G_TYPE_STRING, "interleaved",
      "rate", G_TYPE_INT, MELODY_RATE, "channels", G_TYPE_INT, MELODY_CHANNELS, NULL);
  g_autoptr(GstAppSrc) source = source_of(pipeline, "audio", caps);
  gsize size;
  gint16 *samples = melody_new(seconds, &size);
  GstBuffer *buffer = gst_buffer_new_wrapped(samples, size);
  GST_BUFFER_PTS(buffer) = 0;
  gst_app_src_push_buffer(source, buffer);
  gst_app_src_end_of_stream(source);
}

static GstBuffer *
render(const Frames *frames, guint number) {
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, frames->info.size, NULL);
  GstMapInfo map;
  gst_buffer_map(buffer, &map, GST_MAP_WRITE);
  renderer_draw(frames->renderer, frames->options->time + (gdouble)number / FRAMES_PER_SECOND,
                map.data, (gsize)GST_VIDEO_INFO_PLANE_STRIDE(&frames->info, 0));
  gst_buffer_unmap(buffer, &map);
  GstClockTime from = gst_util_uint64_scale(number, GST_SECOND, FRAMES_PER_SECOND);
  GST_BUFFER_PTS(buffer) = from;
  GST_BUFFER_DURATION(buffer) =
      gst_util_uint64_scale(number + 1, GST_SECOND, FRAMES_PER_SECOND) - from;
  return buffer;
}

/* After an error, the appsrc does not call this function again. */
static void
on_need_data(GstAppSrc *source, guint size, gpointer user_data) {
  Frames *frames = user_data;
  if (frames->next == frames->n_frames)
    gst_app_src_end_of_stream(source);
  else
    gst_app_src_push_buffer(source, render(frames, frames->next++));
}

static void
connect_frames(GstElement *pipeline, Frames *frames, const Options *options) {
  frames->options = options;
  frames->n_frames = options->is_video ? (guint)(options->seconds * FRAMES_PER_SECOND + 0.5) : 1;
  frames->renderer =
      renderer_new((guint)options->width, (guint)options->height, !options->is_video);
  gst_video_info_set_format(&frames->info, GST_VIDEO_FORMAT_RGB, (guint)options->width,
                            (guint)options->height);
  frames->info.fps_n = options->is_video ? FRAMES_PER_SECOND : 0;
  frames->info.fps_d = 1;
  g_autoptr(GstCaps) caps = gst_video_info_to_caps(&frames->info);
  g_autoptr(GstAppSrc) source = source_of(pipeline, "video", caps);
  GstAppSrcCallbacks callbacks = {.need_data = on_need_data};
  gst_app_src_set_callbacks(source, &callbacks, frames, NULL);
}

static gboolean
wait_for_end(GstElement *pipeline, GError **error) {
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  g_autoptr(GstMessage) message =
      gst_bus_timed_pop_filtered(bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS)
    return TRUE;
  gst_message_parse_error(message, error, NULL);
  return FALSE;
}

static gboolean
write_file(const Options *options, const gchar *path, GError **error) {
  if (!check_elements(options->is_video, error))
    return FALSE;
  g_autoptr(GstElement) pipeline =
      gst_parse_launch_full(options->is_video ? VIDEO_PIPELINE : IMAGE_PIPELINE, NULL,
                            GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (!pipeline)
    return FALSE;
  g_autoptr(GstElement) file = gst_bin_get_by_name(GST_BIN(pipeline), "file");
  g_object_set(file, "location", path, NULL);
  Frames frames = {0};
  connect_frames(pipeline, &frames, options);
  if (options->is_video)
    push_audio(pipeline, options->seconds);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  gboolean ok = wait_for_end(pipeline, error);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  renderer_free(frames.renderer);
  return ok && (!options->is_video || mp4_clear_dates(path, error));
}

/* A temporary file is renamed to OUT when it is complete, so OUT is never a partial file. */
static gboolean
write_output(const Options *options, GError **error) {
  g_autofree gchar *temporary = g_strconcat(options->output, ".part", NULL);
  gboolean ok = write_file(options, temporary, error);
  if (ok && g_rename(temporary, options->output) != 0) {
    gint code = errno;
    g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code), "Cannot rename %s to %s: %s",
                temporary, options->output, g_strerror(code));
    ok = FALSE;
  }
  if (!ok)
    g_unlink(temporary);
  return ok;
}

int
main(int argc, char **argv) {
  Options options = {0};
  g_autoptr(GError) error = NULL;
  gboolean ok = parse_options(&argc, &argv, &options, &error) && write_output(&options, &error);
  if (!ok)
    g_printerr("cudaconv-scene: %s\n", error->message);
  g_free(options.output);
  return ok ? 0 : 1;
}
