/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv apply IN OUT: reads the options, and says in the end what was made. */

#include "command.h"
#include "convert.h"
#include "elements.h"
#include "filter.h"
#include "input.h"
#include "work.h"
#include "output.h"
#include "shown.h"
#include "split.h"

#include <math.h>
#include <string.h>

#define SUMMARY                                                                                    \
  "Filters IN into OUT.\n\n"                                                                       \
  "IN is a film, a picture, a URI, a camera such as /dev/video0 (until Ctrl-C, or\n"               \
  "--seconds), or numbered pictures such as frames/%04d.png. The ending of OUT says\n"             \
  "what it becomes: a film (.mp4 .m4v .mov .mkv .webm .avi .ogv), a picture (.png\n"               \
  ".jpg .tiff .webp), or numbered pictures (out/%04d.png). Sound, subtitles, frame\n"              \
  "rate and colour description stay as they are, where OUT can hold them. A film or\n"             \
  "picture that carries a mark of rotation is turned upright.\n"                                   \
  "OUT appears when it is complete; what had its name stays until then."

typedef struct {
  gchar *encoder, *seconds, *at, *framerate, *split; /* as they were given */
  gboolean lossless, quiet;

  gdouble seconds_value, at_value, split_value;
  gchar *rate;
} ApplyOptions;

static void
clear_options(ApplyOptions *options) {
  g_free(options->encoder);
  g_free(options->seconds);
  g_free(options->at);
  g_free(options->framerate);
  g_free(options->split);
  g_free(options->rate);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ApplyOptions, clear_options)

/* ---- checks ---- */

static gboolean
read_seconds(const gchar *option, const gchar *text, gdouble least, gdouble *seconds,
             GError **error) {
  gchar *end;
  if (!text)
    return TRUE;
  *seconds = g_ascii_strtod(text, &end);
  if (end != text && *end == '\0' && *seconds >= least && *seconds < 1e9)
    return TRUE;
  return app_refuse(error, "%s \"%s\": it takes a number of seconds, such as 2.5", option, text);
}

static gboolean
read_share(ApplyOptions *options, GError **error) {
  gchar *end;
  if (!options->split)
    return TRUE;
  options->split_value = g_ascii_strtod(options->split, &end);
  if (end != options->split && *end == '\0' && options->split_value >= 0 &&
      options->split_value <= 1)
    return TRUE;
  return app_refuse(error, "--split \"%s\": it takes a share of the width from 0 to 1, such as 0.5",
                    options->split);
}

/* "25" and "30000/1001" are rates. */
static gboolean
read_rate(ApplyOptions *options, GError **error) {
  const gchar *text = options->framerate ? options->framerate : "25";
  g_auto(GStrv) parts = g_strsplit(text, "/", 2);
  guint64 n = 0, d = 1;
  if (!parts[0] || !g_ascii_string_to_unsigned(parts[0], 10, 1, G_MAXINT, &n, NULL) ||
      (parts[1] && !g_ascii_string_to_unsigned(parts[1], 10, 1, G_MAXINT, &d, NULL)))
    return app_refuse(
        error, "--framerate \"%s\": it takes pictures a second, such as 25 or 30000/1001", text);
  options->rate = g_strdup_printf("%u/%u", (guint)n, (guint)d);
  return TRUE;
}

/* Nothing that is read is written. */
static gboolean
check_other_files(Input *input, const Output *output, GError **error) {
  const guint first = input->pictures ? input->first : 1;
  const guint last = input->pictures && output->pictures ? input->last : first;
  for (guint i = first; i <= last; i++) {
    g_autofree gchar *name = output->pictures ? numbered_name(output->pictures, i) : NULL;
    if (input_has_file(input, name ? name : output->path))
      return app_refuse(error, "%s: IN and OUT are the same file", name ? name : output->name);
  }
  return TRUE;
}

/* GStreamer 1.22 gives the frames of a GIF and then never says that it has ended. */
static gboolean
is_endless(const Input *input) {
  g_autofree gchar *lower = g_ascii_strdown(input->path ? input->path : "", -1);
  return g_str_has_suffix(lower, ".gif");
}

static gboolean
check_options(ApplyOptions *options, Input *input, const Output *output, GError **error) {
  const Media *media = output->media;
  if (is_endless(input) && (media->kind == MEDIA_FILM || output->pictures))
    return app_refuse(
        error,
        "%s: GStreamer does not find the end of a GIF; one picture of it can be OUT, and "
        "`ffmpeg -i IN.gif OUT.mkv` makes a film of it",
        input->name);
  if (options->framerate && !input->pictures)
    return app_refuse(
        error, "--framerate \"%s\": it is for numbered pictures as IN, such as frames/%%04d.png",
        options->framerate);
  if (options->at && (media->kind == MEDIA_FILM || output->pictures))
    return app_refuse(error, "--at \"%s\": it is for one picture as OUT", options->at);
  if (options->seconds && media->kind == MEDIA_PICTURE && !output->pictures)
    return app_refuse(
        error, "--seconds \"%s\": it is for a film as OUT; --at says which frame becomes a picture",
        options->seconds);
  if (options->lossless && options->encoder)
    return app_refuse(error,
                      "--lossless and --encoder \"%s\": only one of the two says what encodes",
                      options->encoder);
  if (options->lossless && !media->lossless[0])
    return app_refuse(
        error,
        "--lossless: %s has losses; .mkv, .mp4, .mov, .webm, .png, .tiff and .webp can do without",
        media->endings[0]);
  if (!check_other_files(input, output, error))
    return FALSE;
  if (!options->encoder)
    return TRUE;
  GstElement *encoder = elements_parse_encoder(options->encoder, error);
  if (encoder)
    gst_object_unref(gst_object_ref_sink(encoder));
  return encoder != NULL;
}

/* ---- the result ---- */

static void
report(const Work *work, const Output *output, const FilmReport *film) {
  g_autoptr(GString) line = g_string_new(output->name);
  g_string_append_printf(line, ": %" G_GUINT64_FORMAT " %s%s of %dx%d", work->frames,
                         film->codec ? "frame" : "picture", work->frames == 1 ? "" : "s",
                         work->width, work->height);
  if (film->codec) {
    g_string_append_printf(line, ", %s", film->codec);
    g_string_append_printf(line, "; %s", *film->sound ? film->sound : "no sound");
  }
  g_string_append_printf(line, "; filtered on %s", work->backend ? work->backend : "?");
  if (work->device)
    g_string_append_printf(line, " (%s)", work->device);
  if (work->frames > 1 && work->took > 0)
    g_string_append_printf(line, ", %.0f frames a second",
                           (gdouble)work->frames * GST_SECOND / (gdouble)work->took);
  g_autofree gchar *text = shown_text(line->str);
  g_print("%s\n", text);
}

/* A film that is much shorter than it says has a broken or cut file behind it. One picture of it
 * says nothing. */
static void
check_length(Work *work, const Output *output, const ApplyOptions *options) {
  GstClockTime told = work->length;
  if (output->media->kind == MEDIA_PICTURE && !output->pictures)
    return;
  if (!GST_CLOCK_TIME_IS_VALID(told) || !GST_CLOCK_TIME_IS_VALID(work->last) || options->seconds)
    return;
  if (work->last + MAX(2 * GST_SECOND, told / 20) < told)
    work_note(work, "%s: it says that it lasts %.1f s, and ended after %.1f s", work->input,
              (gdouble)told / GST_SECOND, (gdouble)work->last / GST_SECOND);
}

/* Does the work. FALSE without an error when a signal ended it. */
static gboolean
apply(const ApplyOptions *options, const FilterOptions *properties, const Input *input,
      Output *output, gint *signal_number, GError **error) {
  GstElement *filter = filter_options_make(properties, error);
  if (!filter)
    return FALSE;
  g_autoptr(GstElement) owned = gst_object_ref_sink(filter);
  if (options->split)
    split_attach(filter, options->split_value);
  g_auto(Work) work = {0};
  work_init(&work, options->quiet, input->name, output->name);
  g_auto(FilmReport) film = {0};
  const ConvertOptions wanted = {options->encoder, options->lossless, options->seconds_value,
                                 options->at_value, options->rate};
  gboolean ok = convert(filter, input, output, &wanted, &work, &film, error);
  *signal_number = work.signal;
  if (ok) {
    check_length(&work, output, options);
    if (!options->quiet)
      report(&work, output, &film);
  }
  return ok;
}

AppStatus
app_apply(int argc, char **argv) {
  g_auto(ApplyOptions) options = {0};
  const GOptionEntry entries[] = {
      {"lossless", 0, 0, G_OPTION_ARG_NONE, &options.lossless, "Encode without losses", NULL},
      {"encoder", 0, 0, G_OPTION_ARG_STRING, &options.encoder,
       "Encode the video with this, as in a gst-launch line: \"x264enc bitrate=4000\"", "ELEMENT"},
      {"seconds", 0, 0, G_OPTION_ARG_STRING, &options.seconds,
       "Stop after so many seconds of video", "SECONDS"},
      {"at", 0, 0, G_OPTION_ARG_STRING, &options.at,
       "Make a picture of the frame at this time of a film", "SECONDS"},
      {"split", 0, 0, G_OPTION_ARG_STRING, &options.split,
       "Leave this share of each frame as it was, on the left: 0.5 is half of it", "SHARE"},
      {"framerate", 0, 0, G_OPTION_ARG_STRING, &options.framerate,
       "Rate of numbered pictures as IN: 25 (the default) or 30000/1001", "RATE"},
      {"quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "Say nothing but errors", NULL},
      {0}};
  g_autoptr(GError) error = NULL;
  g_autoptr(FilterOptions) properties = filter_options_new(&error);
  if (!properties)
    return app_fail("apply", APP_FAILED, error);
  g_autoptr(GOptionContext) context = app_option_context_new("apply", SUMMARY, entries, properties);
  filter_options_add(properties, context);
  g_auto(GStrv) words = app_parse_arguments(context, argc, argv, 2, 2, &error);
  if (!words ||
      !read_seconds("--seconds", options.seconds, 0.001, &options.seconds_value, &error) ||
      !read_seconds("--at", options.at, 0, &options.at_value, &error) ||
      !read_share(&options, &error) || !read_rate(&options, &error))
    return app_fail("apply", APP_WRONG_USAGE, error);

  g_auto(Input) input = {0};
  g_auto(Output) output = {0};
  gint number = 0;
  if (input_init(&input, words[0], &error) && output_init(&output, words[1], &error) &&
      check_options(&options, &input, &output, &error) &&
      apply(&options, properties, &input, &output, &number, &error))
    return APP_DONE;
  if (error)
    return app_fail("apply", error->domain == APP_USAGE_ERROR ? APP_WRONG_USAGE : APP_FAILED,
                    error);
  g_autofree gchar *name = shown_text(output.name);
  g_printerr(output.pictures ? "cudaconv apply: interrupted; what was written of %s stays\n"
                             : "cudaconv apply: interrupted; %s is as it was\n",
             name);
  output_clear(&output);
  return app_end_by_signal(number);
}
