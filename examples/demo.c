/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Filters a video with cudaconv and writes the result as an MP4 file, with a picture of one frame
 * before and after. It is also the example of how an application embeds the element: it makes the
 * pipeline, sets properties, listens to messages, reads the statistics and handles errors.
 *
 * The same input gives the same file on every machine and backend: the filter sees one pixel format
 * whatever the decoder, the encoder's settings leave nothing to time or to the number of cores, and
 * dates and tags stay out of the file.
 */

#include <errno.h>

#include <glib-unix.h>
#include <gst/gst.h>
#include <gst/pbutils/pbutils.h>
#include <gst/video/video.h>

#include "mp4.h"
#include "picture.h"

#define LIVE_SECONDS 10 /* how long a live source is recorded when --seconds is not given */

/* Five seconds for those who bring no video. */
#define TEST_CLIP                                                                                  \
  "videotestsrc num-buffers=150 pattern=smpte horizontal-speed=2 "                                 \
  "! video/x-raw, format=I420, width=640, height=360, framerate=30/1 "

/* Only raw video leaves the source; sound and subtitles are not even decoded. */
#define ANY_INPUT "uridecodebin name=source caps=video/x-raw(ANY) expose-all-streams=false "

/* The encoder wants even sizes: videoscale passes those through and mends the others. */
#define FILTER                                                                                     \
  "! videoconvert ! videoscale "                                                                   \
  "! video/x-raw, format=I420, width=[2, 2147483646, 2], height=[2, 2147483646, 2] "               \
  "! cudaconv name=filter ! tee name=filtered "

/* A constant quantizer and a fixed number of threads make the encoder's output reproducible. */
#define TO_FILE                                                                                    \
  "filtered. ! queue ! x264enc pass=quant quantizer=20 speed-preset=veryfast threads=4 "           \
  "! mp4mux ! filesink name=file async=false "

#define TO_WINDOW "filtered. ! queue ! videoconvert ! "

typedef struct {
  gchar *kernel, *backend, *output;
  gint seconds;    /* 0: to the end, or LIVE_SECONDS of a live source */
  gboolean window; /* show the result while it is made */
  gchar *input;    /* NULL: the test clip */
} Options;

/* What the probes around the filter find out. Only the streaming thread touches it, and the main
 * thread once the pipeline has stopped. */
typedef struct {
  GstClockTime middle; /* half of the clip's length; the first frame after it becomes the picture */
  GstClockTime first_pts;
  guint pictures;    /* chosen so far: the first frame, and in its place the one in the middle */
  GstSample *chosen; /* a frame on its way through the filter */
  GstSample *before, *after;

  guint64 frames;                   /* that left the filter */
  guint64 timed;                    /* those of them that `busy` covers: not the first */
  GstClockTime busy;                /* between a frame's arrival and the next departure */
  GstClockTime entered;             /* the arrival that no departure has followed yet, or NONE */
  GstClockTime first_out, last_out; /* departures */
} Observation;

typedef struct {
  const Options *options;
  GstElement *pipeline, *filter;
  GMainLoop *loop;
  GError *error;       /* the first that stopped the pipeline */
  gchar *missing;      /* the last plugin that was not found, a decoder for example */
  GstStructure *stats; /* of the filter, when the pipeline had ended */
  gchar *video_path, *picture_path;
  Observation seen;
} App;

/* ---- command line ---- */

static gboolean
parse_options(int *argc, char ***argv, Options *options, GError **error) {
  gboolean no_window = FALSE;
  g_auto(GStrv) inputs = NULL;
  const GOptionEntry entries[] = {
      {"kernel", 'k', 0, G_OPTION_ARG_STRING, &options->kernel, "Named kernel (default: sobel)",
       "NAME"},
      {"backend", 'b', 0, G_OPTION_ARG_STRING, &options->backend,
       "auto, cuda or cpu (default: auto)", "NAME"},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options->output,
       "Where the video and the picture go (default: .)", "DIR"},
      {"seconds", 's', 0, G_OPTION_ARG_INT, &options->seconds,
       "Stop after N seconds (default: 10 for live sources)", "N"},
      {"no-window", 0, 0, G_OPTION_ARG_NONE, &no_window, "No window even where there is a display",
       NULL},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &inputs, NULL, "[INPUT]"},
      {0}};
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_option_context_set_summary(
      context, "Filters INPUT, a file, a URI or a /dev/videoN, through the GStreamer element\n"
               "cudaconv; without INPUT, a test clip.");
  g_option_context_add_main_entries(context, entries, NULL);
  g_option_context_add_group(context, gst_init_get_option_group());
  if (!g_option_context_parse(context, argc, argv, error))
    return FALSE;

  if (inputs && inputs[0] && inputs[1]) {
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "One INPUT at a time");
    return FALSE;
  }
  if (options->seconds < 0) {
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                "--seconds=%d: wants 0 or a positive number", options->seconds);
    return FALSE;
  }
  options->input = inputs ? g_strdup(inputs[0]) : NULL;
  options->window = !no_window && (g_getenv("DISPLAY") || g_getenv("WAYLAND_DISPLAY"));
  if (!options->kernel)
    options->kernel = g_strdup("sobel");
  if (!options->backend)
    options->backend = g_strdup("auto");
  if (!options->output)
    options->output = g_strdup(".");
  return TRUE;
}

static void
clear_options(Options *options) {
  g_free(options->kernel);
  g_free(options->backend);
  g_free(options->output);
  g_free(options->input);
}

/* ---- around the filter ---- */

/* A window that falls behind asks for frames to be dropped, but the file shall have them all. */
static GstPadProbeReturn
drop_qos(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  return GST_EVENT_TYPE(event) == GST_EVENT_QOS ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* What a file says about itself differs from decoder to decoder and would end up in the result. */
static GstPadProbeReturn
drop_tags(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  return GST_EVENT_TYPE(event) == GST_EVENT_TAG ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static GstSample *
sample_on_pad(GstPad *pad, GstBuffer *buffer) {
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  return gst_sample_new(buffer, caps, NULL, NULL);
}

static GstClockTime
half_length(GstPad *pad, const Options *options) {
  gint64 length;
  if (!gst_pad_peer_query_duration(pad, GST_FORMAT_TIME, &length) || length < 0)
    length = LIVE_SECONDS * GST_SECOND;
  if (options->seconds > 0)
    length = MIN(length, (gint64)(options->seconds * GST_SECOND));
  return (GstClockTime)length / 2;
}

static GstPadProbeReturn
frame_enters(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  App *app = user_data;
  Observation *seen = &app->seen;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstClockTime pts = GST_BUFFER_PTS(buffer);
  gboolean take = seen->pictures == 0;
  if (take) {
    seen->first_pts = pts;
    seen->middle = half_length(pad, app->options);
  } else if (seen->pictures == 1 && GST_CLOCK_TIME_IS_VALID(pts)) {
    take = pts >= seen->first_pts + seen->middle;
  }
  if (take) {
    seen->pictures++;
    g_clear_pointer(&seen->chosen, gst_sample_unref);
    seen->chosen = sample_on_pad(pad, buffer);
  }
  seen->entered = gst_util_get_timestamp();
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
frame_leaves(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  App *app = user_data;
  Observation *seen = &app->seen;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstClockTime now = gst_util_get_timestamp();
  if (seen->frames == 0) {
    seen->first_out = now;
  } else if (GST_CLOCK_TIME_IS_VALID(seen->entered)) {
    seen->busy += now - seen->entered;
    seen->timed++;
  }
  seen->entered = GST_CLOCK_TIME_NONE;
  seen->last_out = now;
  seen->frames++;

  /* Frames keep their timestamps, so they tell which one this is, however many are under way. */
  if (seen->chosen &&
      GST_BUFFER_PTS(buffer) == GST_BUFFER_PTS(gst_sample_get_buffer(seen->chosen))) {
    g_clear_pointer(&seen->before, gst_sample_unref);
    g_clear_pointer(&seen->after, gst_sample_unref);
    seen->before = g_steal_pointer(&seen->chosen);
    seen->after = sample_on_pad(pad, buffer);
  }
  return GST_PAD_PROBE_OK;
}

static void
observe_filter(App *app) {
  g_autoptr(GstPad) sink = gst_element_get_static_pad(app->filter, "sink");
  g_autoptr(GstPad) src = gst_element_get_static_pad(app->filter, "src");
  app->seen.entered = GST_CLOCK_TIME_NONE;
  gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, drop_tags, NULL, NULL);
  gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_BUFFER, frame_enters, app, NULL);
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, frame_leaves, app, NULL);
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, drop_qos, NULL, NULL);
}

/* ---- the pipeline ---- */

/* A build that is not installed has the plugin in the folder beside the one of this program. */
static void
find_plugin_in_build(void) {
  g_autoptr(GstElementFactory) known = gst_element_factory_find("cudaconv");
  g_autofree gchar *program = g_file_read_link("/proc/self/exe", NULL);
  if (known || !program)
    return;
  g_autofree gchar *folder = g_path_get_dirname(program);
  g_autofree gchar *plugins = g_build_filename(folder, "..", "plugin", NULL);
  gst_registry_scan_path(gst_registry_get(), plugins);
}

/* Sets an enum property by name; a wrong name is an error that lists the right ones. */
static gboolean
set_enum(GstElement *element, const gchar *property, const gchar *nick, GError **error) {
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), property);
  GEnumClass *values = G_PARAM_SPEC_ENUM(spec)->enum_class;
  const GEnumValue *value = g_enum_get_value_by_nick(values, nick);
  if (value) {
    g_object_set(element, property, value->value, NULL);
    return TRUE;
  }
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < values->n_values; i++)
    g_string_append_printf(names, " %s", values->values[i].value_nick);
  g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "No %s \"%s\"; there are:%s",
              property, nick, names->str);
  return FALSE;
}

static gchar *
uri_of(const gchar *input, GError **error) {
  if (gst_uri_is_valid(input))
    return g_strdup(input);
  if (g_str_has_prefix(input, "/dev/video"))
    return g_strconcat("v4l2://", input, NULL);
  if (!g_file_test(input, G_FILE_TEST_EXISTS)) {
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "There is no file %s", input);
    return NULL;
  }
  return gst_filename_to_uri(input, error);
}

static gboolean
set_input(App *app, GError **error) {
  g_autofree gchar *uri = uri_of(app->options->input, error);
  if (!uri)
    return FALSE;
  g_autoptr(GstElement) source = gst_bin_get_by_name(GST_BIN(app->pipeline), "source");
  g_object_set(source, "uri", uri, NULL);
  return TRUE;
}

static gboolean
set_output(App *app, GError **error) {
  const Options *options = app->options;
  if (g_mkdir_with_parents(options->output, 0777) != 0) {
    g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno),
                "Cannot make the folder %s: %s", options->output, g_strerror(errno));
    return FALSE;
  }
  g_autofree gchar *video = g_strconcat(options->kernel, ".mp4", NULL);
  g_autofree gchar *picture = g_strconcat(options->kernel, ".png", NULL);
  app->video_path = g_build_filename(options->output, video, NULL);
  app->picture_path = g_build_filename(options->output, picture, NULL);
  g_autoptr(GstElement) file = gst_bin_get_by_name(GST_BIN(app->pipeline), "file");
  g_object_set(file, "location", app->video_path, NULL);
  return TRUE;
}

/* A sink that can open a window here, or NULL. autovideosink would go on to sinks that take the
 * whole screen. */
static const gchar *
find_window_sink(void) {
  static const gchar *const names[] = {"ximagesink", "waylandsink", "glimagesink"};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(GstElement) sink = gst_element_factory_make(names[i], NULL);
    if (!sink)
      continue;
    gst_object_ref_sink(sink);
    gboolean opens = gst_element_set_state(sink, GST_STATE_READY) == GST_STATE_CHANGE_SUCCESS;
    gst_element_set_state(sink, GST_STATE_NULL);
    if (opens)
      return names[i];
  }
  g_printerr("No window: the display does not open\n");
  return NULL;
}

static gboolean
build(App *app, GError **error) {
  const Options *options = app->options;
  const gchar *window = options->window ? find_window_sink() : NULL;
  g_autofree gchar *description = g_strconcat(options->input ? ANY_INPUT : TEST_CLIP, FILTER,
                                              TO_FILE, window ? TO_WINDOW : NULL, window, NULL);
  app->pipeline = gst_parse_launch_full(description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (!app->pipeline)
    return FALSE;
  app->filter = gst_bin_get_by_name(GST_BIN(app->pipeline), "filter");
  if (!set_enum(app->filter, "kernel", options->kernel, error) ||
      !set_enum(app->filter, "backend", options->backend, error))
    return FALSE;
  observe_filter(app);
  return (!options->input || set_input(app, error)) && set_output(app, error);
}

/* ---- running ---- */

/* Without a stream that it can decode, uridecodebin speaks of a missing plugin whatever the reason.
 */
static gchar *
explain(const App *app, GstMessage *message, const GError *error) {
  if (!g_error_matches(error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN))
    return g_strdup_printf("%s: %s", GST_OBJECT_NAME(GST_MESSAGE_SRC(message)), error->message);
  if (app->missing)
    return g_strdup_printf("Not installed: %s", app->missing);
  return g_strdup("The input has no video");
}

static void
on_error(App *app, GstMessage *message) {
  if (!app->error) {
    g_autoptr(GError) error = NULL;
    gst_message_parse_error(message, &error, NULL);
    g_autofree gchar *text = explain(app, message, error);
    app->error = g_error_new_literal(error->domain, error->code, text);
  }
  g_main_loop_quit(app->loop);
}

/* A refused property value, for one: the pipeline goes on with the old one. The source's warnings,
 * of sound that it cannot decode, say, are no matter here. */
static void
on_warning(App *app, GstMessage *message) {
  if (GST_MESSAGE_SRC(message) != GST_OBJECT(app->filter))
    return;
  g_autoptr(GError) warning = NULL;
  gst_message_parse_warning(message, &warning, NULL);
  g_printerr("cudaconv: %s\n", warning->message);
}

static void
on_element_message(App *app, GstMessage *message) {
  if (gst_message_has_name(message, "cudaconv-backend")) {
    const GstStructure *backend = gst_message_get_structure(message);
    g_print("Filtering on %s (%s): %s\n", gst_structure_get_string(backend, "backend"),
            gst_structure_get_string(backend, "device"),
            gst_structure_get_string(backend, "reason"));
  } else if (gst_is_missing_plugin_message(message)) {
    g_free(app->missing);
    app->missing = gst_missing_plugin_message_get_description(message);
  }
}

static gboolean
on_message(GstBus *bus, GstMessage *message, gpointer user_data) {
  App *app = user_data;
  switch (GST_MESSAGE_TYPE(message)) {
  case GST_MESSAGE_ERROR:
    on_error(app, message);
    break;
  case GST_MESSAGE_EOS:
    g_main_loop_quit(app->loop);
    break;
  case GST_MESSAGE_WARNING:
    on_warning(app, message);
    break;
  case GST_MESSAGE_LATENCY:
    gst_bin_recalculate_latency(GST_BIN(app->pipeline));
    break;
  case GST_MESSAGE_ELEMENT:
    on_element_message(app, message);
    break;
  default:
    break;
  }
  return G_SOURCE_CONTINUE;
}

/* Ends the stream as its source would, so that the file is complete. */
static gboolean
end_stream(gpointer user_data) {
  App *app = user_data;
  gst_element_send_event(app->pipeline, gst_event_new_eos());
  return G_SOURCE_REMOVE;
}

/* Plays to the end of the stream, its time limit or Ctrl-C, and stops. */
static gboolean
run(App *app, GError **error) {
  g_autoptr(GstBus) bus = gst_element_get_bus(app->pipeline);
  gst_bus_add_watch(bus, on_message, app);
  g_unix_signal_add(SIGINT, end_stream, app);

  gboolean live =
      gst_element_set_state(app->pipeline, GST_STATE_PAUSED) == GST_STATE_CHANGE_NO_PREROLL;
  gint seconds = app->options->seconds;
  if (live && seconds == 0)
    seconds = LIVE_SECONDS;
  if (seconds > 0)
    g_timeout_add_seconds((guint)seconds, end_stream, app);
  gst_element_set_state(app->pipeline, GST_STATE_PLAYING);
  g_main_loop_run(app->loop);

  g_object_get(app->filter, "stats", &app->stats, NULL);
  gst_element_set_state(app->pipeline, GST_STATE_NULL);
  gst_bus_remove_watch(bus);
  if (app->error) {
    g_propagate_error(error, g_steal_pointer(&app->error));
    return FALSE;
  }
  if (!app->seen.after) {
    g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "The input has no video frames");
    return FALSE;
  }
  return TRUE;
}

/* ---- the result ---- */

static gdouble
per_second(guint64 frames, GstClockTime time) {
  return time ? (gdouble)frames * GST_SECOND / time : 0;
}

static void
report(const App *app) {
  const Observation *seen = &app->seen;
  GstVideoInfo info;
  gst_video_info_from_caps(&info, gst_sample_get_caps(seen->after));
  g_print("\nvideo    %s (%dx%d, %" G_GUINT64_FORMAT " frames)\n", app->video_path, info.width,
          info.height, seen->frames);
  g_print("picture  %s (before and after)\n", app->picture_path);
  g_print("backend  %s, %s\n", gst_structure_get_string(app->stats, "backend"),
          gst_structure_get_string(app->stats, "device"));
  if (seen->timed > 0)
    g_print("speed    %.0f frames/s in the filter, %.0f with everything around it\n",
            per_second(seen->timed, seen->busy),
            per_second(seen->frames - 1, seen->last_out - seen->first_out));
}

static gboolean
save(const App *app, GError **error) {
  return mp4_clear_dates(app->video_path, error) &&
         picture_save_pair(app->seen.before, app->seen.after, app->picture_path, error);
}

static void
clear_app(App *app) {
  if (app->pipeline)
    gst_element_set_state(app->pipeline, GST_STATE_NULL);
  g_clear_pointer(&app->seen.chosen, gst_sample_unref);
  g_clear_pointer(&app->seen.before, gst_sample_unref);
  g_clear_pointer(&app->seen.after, gst_sample_unref);
  g_clear_pointer(&app->stats, gst_structure_free);
  g_clear_object(&app->filter);
  g_clear_object(&app->pipeline);
  g_main_loop_unref(app->loop);
  g_free(app->missing);
  g_free(app->video_path);
  g_free(app->picture_path);
}

int
main(int argc, char **argv) {
  Options options = {0};
  g_autoptr(GError) error = NULL;
  gboolean ok = parse_options(&argc, &argv, &options, &error);
  if (ok) {
    App app = {.options = &options, .loop = g_main_loop_new(NULL, FALSE)};
    find_plugin_in_build();
    ok = build(&app, &error) && run(&app, &error) && save(&app, &error);
    if (ok)
      report(&app);
    clear_app(&app);
  }
  if (!ok)
    g_printerr("cudaconv-demo: %s\n", error->message);
  clear_options(&options);
  return ok ? 0 : 1;
}
