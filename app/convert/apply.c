/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv apply IN OUT: reads the options, and says in the end what was made. */

#include "app/command.h"
#include "convert.h"
#include "device.h"
#include "elements.h"
#include "engine/number.h"
#include "errors.h"
#include "app/filteroptions.h"
#include "input.h"
#include "pipelinerun.h"
#include "output.h"
#include "app/redact.h"
#include "sources.h"
#include "app/play/wipe.h"
#include "app/timetext.h"

#include <string.h>

#define SUMMARY                                                                                    \
  "Filters IN into OUT.\n\n"                                                                       \
  "IN is a video, an image, a URI, a camera such as /dev/video0 (until Ctrl-C, or\n"               \
  "--seconds), or numbered images such as frames/%04d.png. The ending of OUT says what\n"          \
  "it becomes: a video (.mp4 .m4v .mov .mkv .ts .webm .avi .ogv), an image (.png .jpg\n"           \
  ".tiff .bmp .webp), or numbered images (out/%04d.png). Audio, subtitles, frame rate\n"           \
  "and colour description stay as they are, where OUT can hold them. A video or image\n"           \
  "that carries a mark of rotation is turned upright.\n"                                           \
  "OUT appears when it is complete; what had its name stays until then.\n\n"                       \
  "Several files, or the videos and images in a folder, are filtered into a folder, where\n"       \
  "their names stay, or into names with {} for that of each file: thumbs/{}.jpg."

typedef struct {
  gchar *encoder, *seconds, *at, *start, *end, *framerate, *split; /* as they were given */
  gboolean lossless, quiet;

  GstClockTime at_value, start_value, end_value;
  gdouble wipe_share;
  gchar *rate;
} ApplyOptions;

static void
clear_options(ApplyOptions *options) {
  g_free(options->encoder);
  g_free(options->seconds);
  g_free(options->at);
  g_free(options->start);
  g_free(options->end);
  g_free(options->framerate);
  g_free(options->split);
  g_free(options->rate);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ApplyOptions, clear_options)

/* ---- options ---- */

/* The part of the input that is wanted. */
static gboolean
read_times(ApplyOptions *options, GError **error) {
  if (options->end && options->seconds)
    return app_refuse(error, "--end \"%s\" and --seconds \"%s\": only one of the two says the end",
                      options->end, options->seconds);
  if (options->at && (options->start || options->end || options->seconds))
    return app_refuse(error,
                      "--at \"%s\": it is for one image, and --start, --end and --seconds are for "
                      "a video or numbered images",
                      options->at);
  GstClockTime seconds = 0;
  options->end_value = GST_CLOCK_TIME_NONE;
  if (!time_read("--at", options->at, 0, &options->at_value, error) ||
      !time_read("--start", options->start, 0, &options->start_value, error) ||
      !time_read("--end", options->end, GST_MSECOND, &options->end_value, error) ||
      !time_read("--seconds", options->seconds, GST_MSECOND, &seconds, error))
    return FALSE;
  if (options->end && options->end_value <= options->start_value)
    return app_refuse(error, "--end \"%s\": it takes a time after --start, which is %g seconds",
                      options->end, (gdouble)options->start_value / GST_SECOND);
  if (options->seconds)
    options->end_value = options->start_value + seconds;
  return TRUE;
}

static gboolean
read_share(ApplyOptions *options, GError **error) {
  if (!options->split)
    return TRUE;
  if (cc_number_parse(options->split, NULL, &options->wipe_share) && options->wipe_share >= 0 &&
      options->wipe_share <= 1)
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
  const guint first = input->sequence ? input->first : 1;
  const guint last = input->sequence && output->sequence ? input->last : first;
  for (guint i = first; i <= last; i++) {
    g_autofree gchar *name = output->sequence ? sequence_name(output->sequence, i) : NULL;
    if (input_has_file(input, name ? name : output->path))
      return app_refuse(error, "%s: IN and OUT are the same file", name ? name : output->name);
  }
  return TRUE;
}

static gboolean
check_options(const ApplyOptions *options, const Input *input, const Media *media,
              gboolean is_numbered, GError **error) {
  const gboolean is_image = media->kind == MEDIA_IMAGE && !is_numbered;
  const gchar *const times[][2] = {
      {"--start", options->start}, {"--end", options->end}, {"--seconds", options->seconds}};
  if (options->framerate && !input->sequence)
    return app_refuse(
        error, "--framerate \"%s\": it is for numbered pictures as IN, such as frames/%%04d.png",
        options->framerate);
  if (options->at && !is_image)
    return app_refuse(error, "--at \"%s\": it is for one image as OUT; --start is for a video",
                      options->at);
  for (guint i = 0; i < G_N_ELEMENTS(times); i++) {
    if (times[i][1] && is_image)
      return app_refuse(error,
                        "%s \"%s\": it is for a video or numbered images as OUT; --at says which "
                        "frame becomes an image",
                        times[i][0], times[i][1]);
  }
  if (options->lossless && options->encoder)
    return app_refuse(error,
                      "--lossless and --encoder \"%s\": only one of the two says what encodes",
                      options->encoder);
  if (options->lossless && !media->lossless[0])
    return app_refuse(
        error,
        "--lossless: %s has losses; .mkv, .mp4, .mov, .webm, .png, .tiff and .webp can do without",
        media->endings[0]);
  if (!options->encoder)
    return TRUE;
  GstElement *encoder = elements_parse_encoder(options->encoder, error);
  if (encoder)
    gst_object_unref(gst_object_ref_sink(encoder));
  return encoder != NULL;
}

/* ---- the result ---- */

static void
report(const PipelineRun *run, const Output *output, const ConvertReport *film) {
  g_autoptr(GString) line = g_string_new(output->name);
  g_string_append_printf(line, ": %" G_GUINT64_FORMAT " %s%s of %dx%d", run->frames,
                         film->codec ? "frame" : "picture", run->frames == 1 ? "" : "s", run->width,
                         run->height);
  if (film->codec) {
    g_string_append_printf(line, ", %s", film->codec);
    g_string_append_printf(line, "; %s", *film->audio ? film->audio : "no sound");
  }
  g_string_append_printf(line, "; filtered on %s", run->backend ? run->backend : "?");
  if (run->device)
    g_string_append_printf(line, " (%s)", run->device);
  if (run->frames > 1 && run->took > 0)
    g_string_append_printf(line, "; %.0f frames a second with decoding and encoding",
                           (gdouble)run->frames * GST_SECOND / (gdouble)run->took);
  g_autofree gchar *text = redact_text(line->str);
  g_print("%s\n", text);
}

/* What is filtered with the same options. */
typedef struct {
  const ApplyOptions *options;
  const FilterOptions *properties;
  Device device; /* kept open between files */
  gint signal;   /* that ended it; 0: none */
} Apply;

/* Filters one file. FALSE without an error when a signal ended it. */
static gboolean
apply(Apply *self, const Input *input, Output *output, GError **error) {
  const ApplyOptions *options = self->options;
  GstElement *filter = filter_options_make(self->properties, error);
  if (!filter)
    return FALSE;
  g_autoptr(GstElement) owned = gst_object_ref_sink(filter);
  device_use(&self->device, filter);
  if (options->split)
    wipe_attach(filter, options->wipe_share);
  g_auto(PipelineRun) run = {0};
  run_init(&run, options->quiet, input->name, output->name);
  g_auto(ConvertReport) film = {0};
  const ConvertOptions wanted = {options->encoder, options->lossless,
                                 options->at ? options->at_value : options->start_value,
                                 options->end_value, options->rate};
  const gboolean ok = convert(filter, input, output, &wanted, &run, &film, error);
  self->signal = run_take_signal(&run);
  if (ok && !options->quiet)
    report(&run, output, &film);
  return ok;
}

static AppStatus
fail(const GError *error) {
  const gboolean is_usage = error->domain == APP_USAGE_ERROR;
  return app_fail("apply", is_usage ? APP_WRONG_USAGE : APP_FAILED, error);
}

static AppStatus
end_by_signal(const Apply *self, const gchar *what) {
  g_autofree gchar *text = redact_text(what);
  g_printerr("cudaconv apply: interrupted; %s\n", text);
  return app_end_by_signal(self->signal);
}

/* ---- one file ---- */

static AppStatus
apply_to_one(Apply *self, const gchar *in, const gchar *out) {
  g_autoptr(GError) error = NULL;
  g_auto(Input) input = {0};
  g_auto(Output) output = {0};
  if (!input_init(&input, in, &error))
    return fail(error);
  const gboolean is_file = input.path || input.sequence;
  const gboolean is_many = !media_of_name(out) || strstr(out, "{}");
  g_autofree gchar *named = is_file && is_many ? sources_name_output(in, out) : NULL;
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  g_ptr_array_add(names, (gpointer)(named ? named : out));
  const gboolean makes_folder = named || sequence_is_pattern(out);
  if ((makes_folder && !sources_make_folders(names, "", &error)) ||
      !output_init(&output, g_ptr_array_index(names, 0), &error) ||
      !check_options(self->options, &input, output.media, output.sequence != NULL, &error) ||
      !check_other_files(&input, &output, &error))
    return fail(error);
  if (apply(self, &input, &output, &error))
    return APP_DONE;
  if (error)
    return fail(error);
  g_autofree gchar *what = g_strdup_printf(
      output.sequence ? "what was written of %s stays" : "%s is as it was", output.name);
  output_clear(&output);
  return end_by_signal(self, what);
}

/* ---- many files ---- */

static gboolean
check_many(const Apply *self, const GPtrArray *in, const GPtrArray *out, GError **error) {
  for (guint i = 0; i < in->len; i++) {
    g_auto(Input) input = {0};
    if (!input_init(&input, g_ptr_array_index(in, i), error) ||
        !check_options(self->options, &input, media_of_name(g_ptr_array_index(out, i)), FALSE,
                       error))
      return FALSE;
  }
  return TRUE;
}

/* A file that cannot be filtered does not keep the others from being filtered, unless the disk is
 * full. */
static AppStatus
apply_to_many(Apply *self, const gchar *const *names, const gchar *to) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) in = sources_find(names, NULL, sources_name_stays(to), &error);
  g_autoptr(GPtrArray) out = in ? sources_name_outputs(in, to, "", &error) : NULL;
  GstElement *filter = out && check_many(self, in, out, &error)
                           ? filter_options_make(self->properties, &error)
                           : NULL;
  if (!filter)
    return fail(error);
  g_autoptr(GstElement) owned = gst_object_ref_sink(filter);
  if (!sources_make_folders(out, "", &error))
    return fail(error);
  device_open(&self->device, filter);
  guint failed = 0, made = 0;
  gboolean is_full = FALSE;
  for (guint i = 0; i < in->len && self->signal == 0 && !is_full; i++) {
    g_autoptr(GError) why = NULL;
    g_auto(Input) input = {0};
    g_auto(Output) output = {0};
    if (input_init(&input, g_ptr_array_index(in, i), &why) &&
        output_init(&output, g_ptr_array_index(out, i), &why) &&
        apply(self, &input, &output, &why)) {
      made++;
    } else if (why) {
      app_fail("apply", APP_FAILED, why);
      failed++;
      is_full = error_is_full_disk(why);
    }
  }
  device_close(&self->device);
  g_autofree gchar *what = g_strdup_printf("%u of %u files are filtered, and stay", made, in->len);
  if (self->signal != 0)
    return end_by_signal(self, what);
  if (failed > 0)
    g_printerr("cudaconv apply: %u of %u files could not be filtered\n", in->len - made, in->len);
  return failed > 0 ? APP_FAILED : APP_DONE;
}

AppStatus
app_apply(int argc, char **argv) {
  g_auto(ApplyOptions) options = {0};
  const GOptionEntry entries[] = {
      {"lossless", 0, 0, G_OPTION_ARG_NONE, &options.lossless, "Encode without losses", NULL},
      {"encoder", 0, 0, G_OPTION_ARG_STRING, &options.encoder,
       "Encode the video with this, as in a gst-launch line: \"x264enc bitrate=4000\"", "ELEMENT"},
      {"start", 0, 0, G_OPTION_ARG_STRING, &options.start,
       "Begin at this time of a video: 1.5, 90s, 2m or 0:03", "TIME"},
      {"end", 0, 0, G_OPTION_ARG_STRING, &options.end, "End at this time of a video", "TIME"},
      {"seconds", 0, 0, G_OPTION_ARG_STRING, &options.seconds,
       "End after this much of the video or camera", "TIME"},
      {"at", 0, 0, G_OPTION_ARG_STRING, &options.at,
       "Make an image of the frame at this time of a video", "TIME"},
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
  g_auto(GStrv) words = app_parse_arguments(context, argc, argv, 2, G_MAXUINT, &error);
  if (!words || !read_times(&options, &error) || !read_share(&options, &error) ||
      !read_rate(&options, &error))
    return app_fail("apply", APP_WRONG_USAGE, error);

  Apply self = {.options = &options, .properties = properties};
  const guint last = g_strv_length(words) - 1;
  if (last == 1 && !g_file_test(words[0], G_FILE_TEST_IS_DIR))
    return apply_to_one(&self, words[0], words[1]);
  /* of several files a name without an ending is a folder, which may be a new one */
  g_autofree gchar *name = g_steal_pointer(&words[last]);
  g_autofree gchar *out = sources_name_stays(name) ? g_strconcat(name, "/", NULL) : g_strdup(name);
  return apply_to_many(&self, (const gchar *const *)words, out);
}
