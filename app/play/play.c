/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* `cudaconv play`: tries filters in a window, and prints the command that applies the same filter
 * to a file. */

#include "app/command.h"
#include "controls.h"
#include "app/convert/elements.h"
#include "app/convert/errors.h"
#include "app/filteroptions.h"
#include "app/convert/input.h"
#include "app/convert/options.h"
#include "player.h"
#include "app/progress.h"
#include "app/text.h"
#include "terminal.h"

#include <glib-unix.h>
#include <gst/pbutils/pbutils.h>
#include <gst/video/navigation.h>
#include <signal.h>
#include <string.h>

#define NAME "play"
#define CAMERAS 10         /* number of cameras to try: /dev/video0 to /dev/video9 */
#define IMAGES_RATE "25/1" /* frame rate of numbered images */
/* Interval between updates of the text in the window, and minimum time between two restarts of a
 * video. */
#define REFRESH_MS 500
/* Delay of the printed command. During this time the element resets a rejected value. */
#define SETTLE_MS 300
#define NOTE_SECONDS 6 /* duration of a warning in the window */
#define SUMMARY                                                                                    \
  "Filters IN in a window. The original is left of a line, the result right of it.\n"              \
  "IN is a video, an image, a URI, numbered images such as frames/%04d.png, or a\n"                \
  "camera such as /dev/video0. The default is the first camera."

typedef struct {
  gchar *split; /* value of the option --split */
  gdouble share;
  gchar *sink;
  gboolean no_audio;
} Options;

static void
clear_options(Options *self) {
  g_free(self->split);
  g_free(self->sink);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

typedef struct {
  const gchar *input; /* IN, or the first camera */
  GMainLoop *loop;
  GstElement *pipeline, *filter, *text; /* `text` is NULL if textoverlay is not installed */
  Controls *controls;
  GError *error;  /* the error that ended playback */
  gchar *missing; /* description of a decoder that is not installed */

  gchar *backend; /* line of text about the backend */
  gboolean started, paused, repeating, repeat_again;
  gboolean shift, dragging; /* Shift, and the first mouse button, are pressed in the window */
  gboolean shows_help, hides_line;
  gchar *note; /* the last warning */
  gint64 note_end;
  gchar *printed;  /* the options that were printed last */
  guint settling;  /* timer that prints the options */
  guint rewinding; /* timer that restarts the video */
  gint64 began;    /* time of the last restart */
  gchar *figure;   /* the last figure that was measured, as text; NULL before the first frame */
  guint64 frames;  /* number of frames at the last refresh */
  gint64 refreshed;
  gdouble rate;
} Play;

/* ---- the text in the window and the terminal ---- */

/* The remaining time is for normal speed. Cameras and images have no length. */
static gchar *
describe_progress(const Play *self) {
  gint64 position, length;
  ProgressState state = {-1, self->frames, 0, "frames", self->rate, -1};
  if (!player_shows_image(self->pipeline) &&
      gst_element_query_position(self->pipeline, GST_FORMAT_TIME, &position) &&
      gst_element_query_duration(self->pipeline, GST_FORMAT_TIME, &length) && length > 0) {
    state.share = CLAMP((gdouble)position / (gdouble)length, 0, 1);
    state.left = (1 - state.share) * (gdouble)length / GST_SECOND;
  }
  return progress_describe(&state);
}

static gchar *
describe_state(const Play *self) {
  g_autoptr(GstStructure) stats = NULL;
  g_autofree gchar *options = controls_describe(self->controls);
  g_autofree gchar *progress = describe_progress(self);
  guint size = 0;
  g_object_get(self->filter, "stats", &stats, NULL);
  gst_structure_get_uint(stats, "size", &size);
  return g_strdup_printf("%s\nsize %u on %s; %s%s%s%s", options, size,
                         gst_structure_get_string(stats, "backend"), progress,
                         self->figure ? "; " : "", self->figure ? self->figure : "",
                         self->paused ? "; paused" : "");
}

static void
show_text(Play *self) {
  if (!self->text)
    return;
  const gboolean notes = self->note && g_get_monotonic_time() < self->note_end;
  g_autofree gchar *help = self->shows_help ? controls_help() : NULL;
  g_autofree gchar *state = describe_state(self);
  g_autofree gchar *plain = g_strconcat(help ? help : "", notes ? self->note : "",
                                        notes ? "\n" : "", self->hides_line ? "" : state, NULL);
  g_autofree gchar *markup = g_markup_escape_text(g_strchomp(plain), -1);
  g_object_set(self->text, "text", markup, "silent", *markup == '\0', NULL);
}

static gboolean
refresh(gpointer user_data) {
  Play *self = user_data;
  g_autoptr(GstStructure) stats = NULL;
  guint64 frames = 0;
  const gint64 now = g_get_monotonic_time();
  g_object_get(self->filter, "stats", &stats, NULL);
  gst_structure_get_uint64(stats, "frames", &frames);
  self->rate = (gdouble)(frames - MIN(frames, self->frames)) * G_USEC_PER_SEC /
               (gdouble)(now - self->refreshed);
  self->frames = frames;
  self->refreshed = now;
  show_text(self);
  return G_SOURCE_CONTINUE;
}

/* Prints the command for the current filter, unless it is the command that was printed last. */
static gboolean
print_line(gpointer user_data) {
  Play *self = user_data;
  self->settling = 0;
  g_autofree gchar *options = controls_describe(self->controls);
  if (g_strcmp0(options, self->printed) != 0) {
    g_autofree gchar *quoted = text_quote(self->input);
    g_autofree gchar *input = text_redact(quoted);
    g_print("cudaconv apply %s %s%s out.%s%s\n", options, *input == '-' ? "-- " : "", input,
            player_shows_image(self->pipeline) ? "png" : "mp4",
            strstr(input, "***") ? "  # put the password in place of ***" : "");
    g_free(self->printed);
    self->printed = g_steal_pointer(&options);
  }
  show_text(self);
  return G_SOURCE_REMOVE;
}

static void
print_soon(Play *self) {
  if (self->settling)
    g_source_remove(self->settling);
  self->settling = g_timeout_add(SETTLE_MS, print_line, self);
}

/* ---- actions of the user ---- */

/* While paused, filters the current frame again. Otherwise a change would not be visible. */
static void
repeat_frame(Play *self) {
  if (!self->paused)
    return;
  if (self->repeating)
    self->repeat_again = TRUE;
  else
    self->repeating = player_repeat_frame(self->pipeline);
}

static void
toggle_pause(Play *self) {
  self->paused = !self->paused;
  self->repeating = self->repeat_again = FALSE;
  gst_element_set_state(self->pipeline, self->paused ? GST_STATE_PAUSED : GST_STATE_PLAYING);
}

static void
on_key(const gchar *key, gpointer user_data) {
  Play *self = user_data;
  switch (controls_press(self->controls, key)) {
  case CONTROLS_NOTHING:
    return;
  case CONTROLS_CHANGED:
    print_soon(self);
    break;
  case CONTROLS_PAUSE:
    toggle_pause(self);
    break;
  case CONTROLS_HELP:
    self->shows_help = !self->shows_help;
    break;
  case CONTROLS_TEXT:
    self->hides_line = !self->hides_line;
    break;
  case CONTROLS_QUIT:
    g_main_loop_quit(self->loop);
    return;
  }
  show_text(self);
  repeat_frame(self);
}

/* Some sinks report a key without the effect of Shift, and Shift as a separate key. */
static void
on_window_key(Play *self, const gchar *key, gboolean pressed) {
  if (g_str_has_prefix(key, "Shift_")) {
    self->shift = pressed;
    return;
  }
  if (!pressed)
    return;
  const gchar letter[] = {self->shift ? g_ascii_toupper(*key) : *key, '\0'};
  on_key(g_ascii_isalpha(*key) && key[1] == '\0' ? letter : key, self);
}

/* Moves the line to `x`, a column of the frames of `element`, which is the filter or the sink. */
static void
on_drag(Play *self, GstElement *element, gdouble x) {
  g_autoptr(GstPad) pad = gst_element_get_static_pad(
      element, GST_OBJECT_FLAG_IS_SET(element, GST_ELEMENT_FLAG_SINK) ? "sink" : "src");
  g_autoptr(GstCaps) caps = pad ? gst_pad_get_current_caps(pad) : NULL;
  gint width;
  if (!caps || !gst_structure_get_int(gst_caps_get_structure(caps, 0), "width", &width))
    return;
  controls_drag(self->controls, x / width);
  repeat_frame(self);
}

static void
on_navigation(Play *self, GstMessage *message) {
  g_autoptr(GstEvent) event = NULL;
  GstElement *element = GST_ELEMENT(GST_MESSAGE_SRC(message));
  const gchar *key;
  gdouble x;
  gint button;
  if (!gst_navigation_message_parse_event(message, &event))
    return;
  const GstNavigationEventType type = gst_navigation_event_get_type(event);
  switch (type) {
  case GST_NAVIGATION_EVENT_KEY_PRESS:
  case GST_NAVIGATION_EVENT_KEY_RELEASE:
    if (gst_navigation_event_parse_key_event(event, &key) && key)
      on_window_key(self, key, type == GST_NAVIGATION_EVENT_KEY_PRESS);
    break;
  case GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS:
  case GST_NAVIGATION_EVENT_MOUSE_BUTTON_RELEASE:
    if (gst_navigation_event_parse_mouse_button_event(event, &button, &x, NULL) && button == 1) {
      self->dragging = type == GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS;
      if (self->dragging)
        on_drag(self, element, x);
    }
    break;
  case GST_NAVIGATION_EVENT_MOUSE_MOVE:
    if (self->dragging && gst_navigation_event_parse_mouse_move_event(event, &x, NULL))
      on_drag(self, element, x);
    break;
  default:
    break;
  }
}

static gboolean
on_signal(gpointer user_data) {
  Play *self = user_data;
  g_main_loop_quit(self->loop);
  return G_SOURCE_CONTINUE;
}

/* ---- messages ---- */

static void
end_with(Play *self, GError *error) {
  if (self->error)
    g_error_free(error);
  else
    self->error = error;
  g_main_loop_quit(self->loop);
}

static gboolean
comes_from_sink(GstMessage *message) {
  GstObject *source = GST_MESSAGE_SRC(message);
  return GST_IS_ELEMENT(source) && GST_OBJECT_FLAG_IS_SET(source, GST_ELEMENT_FLAG_SINK);
}

static void
on_error(Play *self, GstMessage *message) {
  g_autoptr(GError) error = NULL;
  gst_message_parse_error(message, &error, NULL);
  if (self->started && comes_from_sink(message) &&
      g_error_matches(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND)) {
    g_main_loop_quit(self->loop); /* the window was closed */
    return;
  }
  g_autofree gchar *text =
      error_explain(message, self->filter, self->input, "the window", self->missing);
  end_with(self, g_error_new_literal(error->domain, error->code, text));
}

/* Shows a warning of the filter, such as a rejected value. The filter keeps the previous value.
 * Warnings of other elements, such as audio that cannot be decoded, are ignored. */
static void
on_warning(Play *self, GstMessage *message) {
  if (GST_MESSAGE_SRC(message) != GST_OBJECT(self->filter))
    return;
  g_autoptr(GError) warning = NULL;
  gst_message_parse_warning(message, &warning, NULL);
  g_autofree gchar *text = text_redact(warning->message);
  g_printerr("cudaconv " NAME ": %s\n", text);
  g_free(self->note);
  self->note = g_strdup(warning->message);
  self->note_end = g_get_monotonic_time() + NOTE_SECONDS * G_USEC_PER_SEC;
  show_text(self);
  repeat_frame(self);
}

static gboolean
rewind_video(gpointer user_data) {
  Play *self = user_data;
  self->rewinding = 0;
  self->began = g_get_monotonic_time();
  g_autofree gchar *input = text_redact(self->input);
  if (!player_rewind(self->pipeline))
    g_print("%s has ended.\n", input);
  return G_SOURCE_REMOVE;
}

/* Restarts the video, so that the user can go on trying filters. The delay keeps a very short video
 * from using all of the CPU. */
static void
on_end(Play *self) {
  g_autoptr(GstStructure) stats = NULL;
  guint64 frames = 0;
  g_object_get(self->filter, "stats", &stats, NULL);
  gst_structure_get_uint64(stats, "frames", &frames);
  const gint64 since = (g_get_monotonic_time() - self->began) / 1000;
  if (frames == 0)
    end_with(self, error_no_video(self->input, self->missing));
  else if (!self->rewinding)
    self->rewinding =
        g_timeout_add((guint)CLAMP(REFRESH_MS - since, 0, REFRESH_MS), rewind_video, self);
}

/* Keeps the figure that says how sharp the video is. Canny's edges are black or white, so it is the
 * share of white. Otherwise it is the mean square of the result. The text of a paused frame is
 * drawn before its figure is known, so that frame is drawn again. */
static void
take_figure(Play *self, const GstStructure *measured) {
  gdouble mean_square = 0, density = 0;
  gst_structure_get(measured, "mean-square", G_TYPE_DOUBLE, &mean_square, "edge-density",
                    G_TYPE_DOUBLE, &density, NULL);
  g_autofree gchar *before = g_steal_pointer(&self->figure);
  self->figure = controls_finds_edges(self->controls)
                     ? g_strdup_printf("%.2f %% edges", 100 * density)
                     : g_strdup_printf("mean square %.1f", mean_square);
  if (!self->paused || g_strcmp0(before, self->figure) == 0)
    return;
  show_text(self);
  repeat_frame(self);
}

static void
on_element_message(Play *self, GstMessage *message) {
  if (gst_message_has_name(message, "cudaconv-backend")) {
    const GstStructure *backend = gst_message_get_structure(message);
    g_free(self->backend);
    self->backend = g_strdup_printf(
        "Filtering on %s (%s): %s\n", gst_structure_get_string(backend, "backend"),
        gst_structure_get_string(backend, "device"), gst_structure_get_string(backend, "reason"));
    if (self->started)
      g_print("%s", self->backend);
  } else if (gst_message_has_name(message, "cudaconv-measure")) {
    take_figure(self, gst_message_get_structure(message));
  } else if (gst_is_missing_plugin_message(message) && !self->missing) {
    self->missing = gst_missing_plugin_message_get_description(message);
  } else if (gst_navigation_message_get_type(message) == GST_NAVIGATION_MESSAGE_EVENT) {
    on_navigation(self, message);
  }
}

/* Prints the help when playback begins. If playback fails, only the error is printed. */
static void
on_state(Play *self, GstMessage *message) {
  GstState now;
  gst_message_parse_state_changed(message, NULL, &now, NULL);
  if (self->started || now != GST_STATE_PLAYING ||
      GST_MESSAGE_SRC(message) != GST_OBJECT(self->pipeline))
    return;
  self->started = TRUE;
  g_autofree gchar *keys = controls_help();
  g_print("Keys, in the window and in this terminal:\n%s%s", keys,
          self->backend ? self->backend : "");
  print_soon(self);
}

static gboolean
on_message(GstBus *bus, GstMessage *message, gpointer user_data) {
  Play *self = user_data;
  switch (GST_MESSAGE_TYPE(message)) {
  case GST_MESSAGE_ERROR:
    on_error(self, message);
    break;
  case GST_MESSAGE_WARNING:
    on_warning(self, message);
    break;
  case GST_MESSAGE_EOS:
    on_end(self);
    break;
  case GST_MESSAGE_LATENCY:
    gst_bin_recalculate_latency(GST_BIN(self->pipeline));
    break;
  case GST_MESSAGE_ASYNC_DONE:
    self->repeating = FALSE;
    if (self->repeat_again) {
      self->repeat_again = FALSE;
      repeat_frame(self);
    }
    break;
  case GST_MESSAGE_STATE_CHANGED:
    on_state(self, message);
    break;
  case GST_MESSAGE_APPLICATION:
    if (gst_message_has_name(message, PLAYER_NO_VIDEO))
      end_with(self, error_no_video(self->input, self->missing));
    break;
  case GST_MESSAGE_ELEMENT:
    on_element_message(self, message);
    break;
  default:
    break;
  }
  return G_SOURCE_CONTINUE;
}

/* ---- running ---- */

static GstElement *
parse_sink(const gchar *description, GError **error) {
  GstElement *sink = elements_parse(description, "--sink", "ximagesink", error);
  if (!sink || (sink->numsinkpads == 1 && sink->numsrcpads == 0))
    return sink;
  g_set_error(error, APP_USAGE_ERROR, 0, "--sink \"%s\": this is not a sink", description);
  gst_object_unref(sink);
  return NULL;
}

static gboolean
build(Play *self, const Options *options, const FilterOptions *filter_options, GError **error) {
  self->filter = filter_options_make(filter_options, error);
  if (!self->filter)
    return FALSE;
  g_auto(Input) input = {0};
  if (!input_init(&input, self->input, error))
    return FALSE;
  GstElement *sink = options->sink ? parse_sink(options->sink, error) : player_find_window(error);
  if (!sink)
    return FALSE;
  GstElement *source = input_new_source(&input, IMAGES_RATE, FALSE, error);
  if (!source) {
    gst_object_unref(sink);
    return FALSE;
  }
  const PlayerSetup setup = {source, self->filter, sink, !options->no_audio};
  self->pipeline = player_new(&setup, error);
  if (!self->pipeline)
    return FALSE;
  gst_object_ref_sink(self->pipeline);
  self->text = gst_bin_get_by_name(GST_BIN(self->pipeline), PLAYER_TEXT);
  self->controls = controls_new(self->filter, options->share);
  return TRUE;
}

static void
run(Play *self) {
  g_autoptr(GstBus) bus = gst_element_get_bus(self->pipeline);
  const guint sources[] = {
      g_unix_signal_add(SIGINT, on_signal, self), g_unix_signal_add(SIGTERM, on_signal, self),
      g_unix_signal_add(SIGHUP, on_signal, self), g_timeout_add(REFRESH_MS, refresh, self)};
  signal(SIGPIPE, SIG_IGN); /* the program has to restore the terminal before it ends */
  gst_bus_add_watch(bus, on_message, self);
  self->refreshed = g_get_monotonic_time();
  gst_element_set_state(self->pipeline, GST_STATE_PLAYING); /* a failure also posts a message */
  terminal_open(on_key, self);
  g_main_loop_run(self->loop);
  terminal_close();
  if (self->settling)
    g_source_remove(self->settling);
  if (self->rewinding)
    g_source_remove(self->rewinding);
  for (guint i = 0; i < G_N_ELEMENTS(sources); i++)
    g_source_remove(sources[i]);
  gst_bus_remove_watch(bus);
  gst_element_set_state(self->pipeline, GST_STATE_NULL);
}

static void
clear(Play *self) {
  g_clear_pointer(&self->controls, controls_free);
  gst_clear_object(&self->text);
  gst_clear_object(&self->filter);
  gst_clear_object(&self->pipeline);
  g_main_loop_unref(self->loop);
  g_free(self->missing);
  g_free(self->note);
  g_free(self->figure);
  g_free(self->printed);
  g_free(self->backend);
}

static gchar *
find_camera(GError **error) {
  for (guint i = 0; i < CAMERAS; i++) {
    g_autofree gchar *camera = g_strdup_printf("/dev/video%u", i);
    if (g_file_test(camera, G_FILE_TEST_EXISTS))
      return g_steal_pointer(&camera);
  }
  g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
              "there is no camera such as /dev/video0; name a video or an image as IN");
  return NULL;
}

static AppStatus
play(const gchar *input, const Options *options, const FilterOptions *filter_options) {
  Play self = {.input = input, .loop = g_main_loop_new(NULL, FALSE)};
  if (build(&self, options, filter_options, &self.error))
    run(&self);
  clear(&self);
  g_autoptr(GError) error = self.error;
  if (!error)
    return APP_DONE;
  return app_fail(NAME, app_status_of(error), error);
}

AppStatus
app_play(int argc, char **argv) {
  g_auto(Options) options = {.share = 0.5};
  const GOptionEntry entries[] = {
      {"split", 0, 0, G_OPTION_ARG_STRING, &options.split,
       "Initial position of the line, from 0 (all filtered) to 1 (nothing filtered); default: 0.5",
       "SHARE"},
      {"sink", 0, 0, G_OPTION_ARG_STRING, &options.sink,
       "A video sink as in a gst-launch line, instead of a window", "DESCRIPTION"},
      {"no-sound", 0, 0, G_OPTION_ARG_NONE, &options.no_audio, "Play no audio", NULL},
      {0}};
  g_autoptr(GError) error = NULL;
  g_autoptr(FilterOptions) filter_options = filter_options_new(&error);
  if (!filter_options)
    return app_fail(NAME, APP_FAILED, error);
  g_autoptr(GOptionContext) context =
      app_option_context_new(NAME, SUMMARY, entries, filter_options);
  filter_options_add(filter_options, context);
  g_autofree gchar *keys = controls_help();
  g_autofree gchar *description =
      g_strconcat("Keys, in the window and the terminal:\n", keys, NULL);
  g_option_context_set_description(context, description);

  g_auto(GStrv) words = app_parse_arguments(context, argc, argv, 0, 1, &error);
  if (!words || !option_read_share(options.split, &options.share, &error))
    return app_fail(NAME, APP_WRONG_USAGE, error);
  g_autofree gchar *input = words[0] ? g_strdup(words[0]) : find_camera(&error);
  return input ? play(input, &options, filter_options) : app_fail(NAME, APP_FAILED, error);
}
