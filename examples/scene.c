/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Renders balls that roll on a tiled floor and writes a film with sound, or a picture: something to
 * filter for those who bring no video. It has what a photograph has and a test chart has not: soft
 * shading, shadows, fine texture, and edges in all directions. It is also an example of how an
 * application feeds frames of its own to a pipeline.
 *
 * The same options give the same file each time: the encoder's settings leave nothing to time or to
 * the number of cores, and the file holds no dates.
 */

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
#define LONGEST_FILM 60
#define LARGEST 4096
#define NOT_GIVEN G_MININT

/* A constant quantizer and a fixed number of threads make the encoder's output reproducible. */
#define FILM                                                                                       \
  "appsrc name=video format=time ! queue max-size-buffers=4 ! videoconvert "                       \
  "! video/x-raw, format=I420, colorimetry=bt709 "                                                 \
  "! x264enc pass=quant quantizer=20 speed-preset=veryfast threads=4 bframes=0 "                   \
  "! queue ! mp4mux name=muxer ! filesink name=file "                                              \
  "appsrc name=sound format=time max-bytes=0 "                                                     \
  "! audioconvert ! voaacenc bitrate=96000 ! aacparse ! queue ! muxer. "
#define PICTURE "appsrc name=video format=time ! pngenc compression-level=9 ! filesink name=file"

typedef struct {
  gdouble time, seconds;
  gint width, height;
  gchar *output;
  gboolean film;
} Options;

/* ---- command line ---- */

static gboolean refuse(GError **error, const gchar *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
refuse(GError **error, const gchar *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_propagate_error(
      error, g_error_new_valist(G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, format, arguments));
  va_end(arguments);
  return FALSE;
}

static gboolean
check_size(const gchar *option, gint size, gboolean even, GError **error) {
  if (size < 16 || size > LARGEST || (even && size % 2 != 0))
    return refuse(error, "--%s=%d: wants %s number from 16 to %d", option, size,
                  even ? "an even" : "a", LARGEST);
  return TRUE;
}

static gboolean
check_options(Options *options, gboolean has_time, gboolean has_seconds, GError **error) {
  const gchar *output = options->output;
  options->film = g_str_has_suffix(output, ".mp4");
  if (!options->film && !g_str_has_suffix(output, ".png"))
    return refuse(error, "%s: wants a name that ends in .mp4, a film, or .png, a picture", output);
  if (options->film && has_time)
    return refuse(error, "--time=%g: is for pictures; a film takes --seconds", options->time);
  if (!options->film && has_seconds)
    return refuse(error, "--seconds=%g: is for films; a picture takes --time", options->seconds);
  /* written so that what is no number is refused as well */
  if (!(options->time >= 0 && options->time <= 86400))
    return refuse(error, "--time=%g: wants a number from 0 to 86400", options->time);
  if (!(options->seconds >= 0.1 && options->seconds <= LONGEST_FILM))
    return refuse(error, "--seconds=%g: wants a number from 0.1 to %d", options->seconds,
                  LONGEST_FILM);
  return check_size("width", options->width, options->film, error) &&
         check_size("height", options->height, options->film, error);
}

static gboolean
parse_options(int *argc, char ***argv, Options *options, GError **error) {
  g_auto(GStrv) outputs = NULL;
  options->time = options->seconds = NOT_GIVEN;
  options->width = options->height = NOT_GIVEN;
  const GOptionEntry entries[] = {
      {"time", 't', 0, G_OPTION_ARG_DOUBLE, &options->time,
       "The moment that a picture shows (default: 0)", "SECONDS"},
      {"seconds", 's', 0, G_OPTION_ARG_DOUBLE, &options->seconds,
       "Length of a film (default: 5, after which it could begin again)", "SECONDS"},
      {"width", 0, 0, G_OPTION_ARG_INT, &options->width, "Default: 640, of a picture 480",
       "PIXELS"},
      {"height", 0, 0, G_OPTION_ARG_INT, &options->height, "Default: 360", "PIXELS"},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &outputs, NULL, "OUT"},
      {0}};
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_option_context_set_summary(context, "Renders balls on a tiled floor: to OUT.mp4 a film with "
                                        "sound, to OUT.png a picture.");
  g_option_context_add_main_entries(context, entries, NULL);
  g_option_context_add_group(context, gst_init_get_option_group());
  if (!g_option_context_parse(context, argc, argv, error))
    return FALSE;
  if (!outputs || !outputs[0] || outputs[1])
    return refuse(error,
                  "One OUT is wanted, a name that ends in .mp4 or .png; --help has the options");

  options->output = g_strdup(outputs[0]);
  gboolean has_time = options->time != NOT_GIVEN, has_seconds = options->seconds != NOT_GIVEN;
  gboolean film = g_str_has_suffix(outputs[0], ".mp4");
  options->time = has_time ? options->time : 0;
  options->seconds = has_seconds ? options->seconds : 5;
  if (options->width == NOT_GIVEN)
    options->width = film ? 640 : 480;
  if (options->height == NOT_GIVEN)
    options->height = 360;
  return check_options(options, has_time, has_seconds, error);
}

/* ---- the pipeline ---- */

/* Says which package has an element that is missing. */
static gboolean
check_elements(gboolean film, GError **error) {
  static const struct {
    const gchar *element, *package;
    gboolean for_pictures;
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
    if (!film && !needed[i].for_pictures)
      continue;
    g_autoptr(GstElementFactory) factory = gst_element_factory_find(needed[i].element);
    if (!factory) {
      g_set_error(error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
                  "GStreamer has no %s; Debian has it in %s", needed[i].element, needed[i].package);
      return FALSE;
    }
  }
  return TRUE;
}

/* Where frames come from. Only the thread of the video's appsrc touches it while the pipeline runs.
 */
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
push_sound(GstElement *pipeline, gdouble seconds) {
  g_autoptr(GstCaps) caps = gst_caps_new_simple(
      "audio/x-raw", "format", G_TYPE_STRING, "S16LE", "layout", G_TYPE_STRING, "interleaved",
      "rate", G_TYPE_INT, MELODY_RATE, "channels", G_TYPE_INT, MELODY_CHANNELS, NULL);
  g_autoptr(GstAppSrc) source = source_of(pipeline, "sound", caps);
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

/* The pipeline asks for a frame when it has room for one, and no more after an error. */
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
  frames->n_frames = options->film ? (guint)(options->seconds * FRAMES_PER_SECOND + 0.5) : 1;
  frames->renderer = renderer_new((guint)options->width, (guint)options->height, !options->film);
  gst_video_info_set_format(&frames->info, GST_VIDEO_FORMAT_RGB, (guint)options->width,
                            (guint)options->height);
  frames->info.fps_n = options->film ? FRAMES_PER_SECOND : 0;
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
  if (!check_elements(options->film, error))
    return FALSE;
  g_autoptr(GstElement) pipeline = gst_parse_launch_full(options->film ? FILM : PICTURE, NULL,
                                                         GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (!pipeline)
    return FALSE;
  g_autoptr(GstElement) file = gst_bin_get_by_name(GST_BIN(pipeline), "file");
  g_object_set(file, "location", path, NULL);
  Frames frames = {0};
  connect_frames(pipeline, &frames, options);
  if (options->film)
    push_sound(pipeline, options->seconds);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  gboolean ok = wait_for_end(pipeline, error);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  renderer_free(frames.renderer);
  return ok && (!options->film || mp4_clear_dates(path, error));
}

/* Writes under another name first: what has the name OUT is complete. */
static gboolean
write_output(const Options *options, GError **error) {
  g_autofree gchar *unfinished = g_strconcat(options->output, ".part", NULL);
  gboolean ok = write_file(options, unfinished, error);
  if (ok && g_rename(unfinished, options->output) != 0) {
    gint code = errno;
    g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code), "Cannot rename %s to %s: %s",
                unfinished, options->output, g_strerror(code));
    ok = FALSE;
  }
  if (!ok)
    g_unlink(unfinished);
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
