/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* `cudaconv apply IN OUT`: reads the options, filters one file or many, and prints a line for each
 * result. */

#include "app/command.h"
#include "app/play/wipe.h"
#include "app/text.h"
#include "convert.h"
#include "errors.h"
#include "sources.h"

#include <string.h>

/* A format string. Its arguments are the file name extensions of videos and those of images. */
#define SUMMARY                                                                                    \
  "Filters IN into OUT.\n\n"                                                                       \
  "IN is a video, an image, a URI, a camera such as /dev/video0, or numbered images\n"             \
  "such as frames/%%04d.png. A camera is recorded until Ctrl-C, or for --seconds.\n"               \
  "The ending of OUT says what it becomes: a video\n"                                              \
  "(%s),\n"                                                                                        \
  "an image (%s),\n"                                                                               \
  "or numbered images (out/%%04d.png). Audio, subtitles, frame rate and color\n"                   \
  "description are kept if OUT can hold them. Videos and images with a rotation tag are\n"         \
  "turned upright. OUT appears when it is complete. Until then an older OUT is kept.\n\n"          \
  "IN may also be several files, or a folder of videos and images. OUT is then a folder,\n"        \
  "in which the files keep their names, or a name with {} for the name of each file:\n"            \
  "thumbs/{}.jpg."

typedef struct {
  ConvertOptions convert;
  gchar *seconds, *at, *start, *end, *framerate, *split; /* texts of the options; NULL: not given */
  Progress progress;
  Device device; /* kept open between files */
  gint signal;   /* the signal that ended the command; 0: none */
} Apply;

static void
clear_apply(Apply *self) {
  gchar *const texts[] = {self->seconds, self->at,        self->start,
                          self->end,     self->framerate, self->split};
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
    g_free(texts[i]);
  convert_options_clear(&self->convert);
  progress_clear(&self->progress);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Apply, clear_apply)

/* ---- options ---- */

static gboolean
read_times(Apply *self, GError **error) {
  if (self->at && (self->start || self->end || self->seconds))
    return app_refuse(
        error,
        "--at \"%s\" makes one image; --start, --end and --seconds are for a video or "
        "numbered images",
        self->at);
  const OptionPart part = {self->start, self->end, self->seconds};
  return option_read_time("--at", self->at, 0, &self->convert.start, error) &&
         option_read_part(&part, &self->convert.start, &self->convert.end, error);
}

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
check_options(const Apply *self, const Input *input, const Media *media, gboolean is_sequence,
              GError **error) {
  const gboolean is_image = media->kind == MEDIA_IMAGE && !is_sequence;
  const gchar *const times[][2] = {
      {"--start", self->start}, {"--end", self->end}, {"--seconds", self->seconds}};
  if (!option_check_rate(self->framerate, input, error))
    return FALSE;
  if (self->at && !is_image)
    return app_refuse(error, "--at \"%s\": only for one image as OUT; use --start for a video",
                      self->at);
  for (guint i = 0; i < G_N_ELEMENTS(times); i++) {
    if (times[i][1] && is_image)
      return app_refuse(error,
                        "%s \"%s\": only for a video or numbered images as OUT; use --at for one "
                        "image",
                        times[i][0], times[i][1]);
  }
  return convert_options_check(&self->convert, media, error);
}

/* ---- the result ---- */

static void
print_result(const PipelineRun *run, const Output *output) {
  g_autoptr(GString) line = g_string_new(output->name);
  g_string_append_printf(line, ": %" G_GUINT64_FORMAT " %s%s of %dx%d", run->frames,
                         run->codec ? "frame" : "image", run->frames == 1 ? "" : "s", run->width,
                         run->height);
  if (run->codec)
    g_string_append_printf(line, ", %s; %s", run->codec, *run->audio ? run->audio : "no audio");
  g_string_append_printf(line, "; filtered on %s", run->backend ? run->backend : "?");
  if (run->device)
    g_string_append_printf(line, " (%s)", run->device);
  if (run->frames > 1 && run->took > 0)
    g_string_append_printf(line, "; %.0f frames a second with decoding and encoding",
                           (gdouble)run->frames * GST_SECOND / (gdouble)run->took);
  g_autofree gchar *text = text_redact(line->str);
  g_print("%s\n", text);
}

/* A blur that is too weak may not hide what it should. */
static void
note_limited_regions(PipelineRun *run, GstElement *filter) {
  g_autoptr(GstStructure) stats = NULL;
  guint64 n = 0;
  g_object_get(filter, "stats", &stats, NULL);
  if (gst_structure_get_uint64(stats, "limited-regions", &n) && n > 0)
    run_note(run,
             "Warning: %" G_GUINT64_FORMAT
             " region%s blurred less than roi-sigma requests, because "
             "no sigma is above 63.5 pixels",
             n, n == 1 ? " was" : "s were");
}

/* Returns FALSE without an error if a signal ended the run. */
static gboolean
apply(Apply *self, const Input *input, Output *output, GError **error) {
  g_autoptr(GstElement) filter = filter_options_make(self->convert.filter, error);
  if (!filter)
    return FALSE;
  if (output->media->kind == MEDIA_IMAGE &&
      filter_options_weighs_alpha(self->convert.filter, filter))
    gst_util_set_object_arg(G_OBJECT(filter), "alpha", "weighted");
  device_use(&self->device, filter);
  if (self->convert.original > 0)
    wipe_attach(filter, self->convert.original);
  g_auto(PipelineRun) run = {0};
  run_init(&run, &self->progress, input->name, output->name);
  const gboolean ok = convert(filter, input, output, &self->convert, &run, error);
  self->signal = run_take_signal(&run);
  if (ok)
    note_limited_regions(&run, filter);
  if (ok && !self->convert.quiet)
    print_result(&run, output);
  return ok;
}

static AppStatus
fail(const GError *error) {
  return app_fail("apply", app_status_of(error), error);
}

static AppStatus
end_by_signal(const Apply *self, const gchar *what) {
  g_autofree gchar *text = text_redact(what);
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
      !check_options(self, &input, output.media, output.sequence != NULL, &error) ||
      !check_other_files(&input, &output, &error))
    return fail(error);
  progress_start(&self->progress, "%s", output.name);
  if (apply(self, &input, &output, &error))
    return APP_DONE;
  if (error)
    return fail(error);
  g_autofree gchar *what = g_strdup_printf(
      output.sequence ? "the images of %s written so far are kept" : "%s is unchanged",
      output.name);
  output_clear(&output);
  return end_by_signal(self, what);
}

/* ---- many files ---- */

static gboolean
check_many(const Apply *self, const GPtrArray *in, const GPtrArray *out, GError **error) {
  for (guint i = 0; i < in->len; i++) {
    g_auto(Input) input = {0};
    if (!input_init(&input, g_ptr_array_index(in, i), error) ||
        !check_options(self, &input, media_of_name(g_ptr_array_index(out, i)), FALSE, error))
      return FALSE;
  }
  return TRUE;
}

/* If a file cannot be filtered, continues with the next file. Stops if the disk is full. */
static AppStatus
apply_to_many(Apply *self, const gchar *const *names, const gchar *to) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) in = sources_find(names, NULL, sources_name_stays(to), &error);
  g_autoptr(GPtrArray) out = in ? sources_name_outputs(in, to, "", &error) : NULL;
  g_autoptr(GstElement) filter = out && check_many(self, in, out, &error)
                                     ? filter_options_make(self->convert.filter, &error)
                                     : NULL;
  if (!filter)
    return fail(error);
  if (!sources_make_folders(out, "", &error))
    return fail(error);
  device_open(&self->device, filter);
  guint failed = 0, done = 0;
  gboolean is_full = FALSE;
  for (guint i = 0; i < in->len && self->signal == 0 && !is_full; i++) {
    g_autoptr(GError) why = NULL;
    g_auto(Input) input = {0};
    g_auto(Output) output = {0};
    progress_start(&self->progress, "file %u of %u, %s", i + 1, in->len,
                   (const gchar *)g_ptr_array_index(out, i));
    if (input_init(&input, g_ptr_array_index(in, i), &why) &&
        output_init(&output, g_ptr_array_index(out, i), &why) &&
        apply(self, &input, &output, &why)) {
      done++;
    } else if (why) {
      app_fail("apply", APP_FAILED, why);
      failed++;
      is_full = error_is_full_disk(why);
    }
  }
  device_close(&self->device);
  g_autofree gchar *what =
      g_strdup_printf("%u of %u files were filtered and are kept", done, in->len);
  if (self->signal != 0)
    return end_by_signal(self, what);
  if (failed > 0)
    g_printerr("cudaconv apply: %u of %u files could not be filtered\n", in->len - done, in->len);
  return failed > 0 ? APP_FAILED : APP_DONE;
}

AppStatus
app_apply(int argc, char **argv) {
  g_auto(Apply) self = {0};
  const GOptionEntry entries[] = {
      {"start", 0, 0, G_OPTION_ARG_STRING, &self.start,
       "Begin at this time of a video: 1.5, 90s, 2m or 0:03", "TIME"},
      {"end", 0, 0, G_OPTION_ARG_STRING, &self.end, "End at this time of a video", "TIME"},
      {"seconds", 0, 0, G_OPTION_ARG_STRING, &self.seconds,
       "Length of the part of the video, or of the recording of a camera", "TIME"},
      {"at", 0, 0, G_OPTION_ARG_STRING, &self.at,
       "Make an image of the frame at this time of a video", "TIME"},
      {"split", 0, 0, G_OPTION_ARG_STRING, &self.split,
       "Leave this share of each frame unfiltered, on the left: 0.5 is half of it", "SHARE"},
      {"framerate", 0, 0, G_OPTION_ARG_STRING, &self.framerate,
       "Frame rate of numbered images as IN, such as 30000/1001; default: 25", "RATE"},
      {0}};
  g_autoptr(GError) error = NULL;
  g_autofree gchar *videos = media_list_endings(media_is_video);
  g_autofree gchar *images = media_list_endings(media_is_image);
  g_autofree gchar *summary = g_strdup_printf(SUMMARY, videos, images);
  g_auto(GStrv) words = convert_options_parse(&self.convert, "apply", summary, entries, argc, argv,
                                              2, G_MAXUINT, &error);
  if (!words || !read_times(&self, &error) ||
      !option_read_share(self.split, &self.convert.original, &error) ||
      !option_read_rate(self.framerate, &self.convert.rate, &error))
    return fail(error);
  progress_init(&self.progress, self.convert.quiet);
  const guint last = g_strv_length(words) - 1;
  if (last == 1 && !g_file_test(words[0], G_FILE_TEST_IS_DIR))
    return apply_to_one(&self, words[0], words[1]);
  /* If IN is several files or a folder, an OUT without a known extension is a folder. The folder
   * OUT may not exist yet. */
  g_autofree gchar *name = g_steal_pointer(&words[last]);
  g_autofree gchar *out = sources_name_stays(name) ? g_strconcat(name, "/", NULL) : g_strdup(name);
  return apply_to_many(&self, (const gchar *const *)words, out);
}
