/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* `cudaconv measure IN`: filters the frames of an input and prints the figures that the element
 * attaches to each of them. */

#include "app/command.h"
#include "app/convert/atomicfile.h"
#include "app/convert/cut.h"
#include "app/convert/elements.h"
#include "app/convert/input.h"
#include "app/convert/options.h"
#include "app/convert/output.h"
#include "app/convert/pipelinerun.h"
#include "rows.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define NAME "measure"
#define STDOUT "standard output"
#define SUMMARY                                                                                    \
  "Filters IN and prints the figures of each frame: how sharp it is, how many edges it has.\n\n"   \
  "IN is a video, an image, a URI, a camera such as /dev/video0, or numbered images\n"             \
  "such as frames/%04d.png. A camera is measured until Ctrl-C, or for --seconds.\n"                \
  "Strong edges clip at white. --scale 0.2 avoids it.\n"                                           \
  "The output is CSV, with the names of the columns in the first line. With --roi, the line\n"     \
  "\"all\" of a frame is followed by a line for each region. docs/measuring.md explains the\n"     \
  "figures."

typedef struct {
  gchar *start, *end, *seconds, *framerate; /* texts of the options; NULL: not given */
  gchar *output;                            /* NULL: standard output */
  gboolean json, histogram, quiet;
  GstClockTime from, to; /* part of the input */
  gchar *rate;
} MeasureOptions;

static void
clear_options(MeasureOptions *self) {
  gchar *const texts[] = {self->start,     self->end,    self->seconds,
                          self->framerate, self->output, self->rate};
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
    g_free(texts[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MeasureOptions, clear_options)

/* on_frame runs in the streaming thread. */
typedef struct {
  GstElement *pipeline, *into; /* `into` is the first element after the queue of the source */
  PipelineRun *run;
  Cut cut;
  gboolean has_video;
  Rows rows;
  const gchar *to;   /* name of the output, for messages */
  gboolean is_ended; /* TRUE: nothing more is written */
} Measurement;

/* ---- the pipeline ---- */

/* A closed pipe ends the run without an error: its reader has all that it wants. */
static GstPadProbeReturn
on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  Measurement *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstCustomMeta *meta = gst_buffer_get_custom_meta(buffer, "cudaconv-measure");
  if (self->is_ended || !meta)
    return GST_PAD_PROBE_OK;
  const GstClockTime time = elements_stream_time(pad, buffer);
  if (rows_write(&self->rows, time, gst_custom_meta_get_structure(meta)))
    return GST_PAD_PROBE_OK;
  self->is_ended = TRUE;
  if (errno == EPIPE)
    run_finish(self->run);
  else
    run_fail(self->run, g_error_new(G_FILE_ERROR, g_file_error_from_errno(errno),
                                    "%s: cannot be written: %s", self->to, g_strerror(errno)));
  return GST_PAD_PROBE_OK;
}

static void
on_pad_added(GstElement *source, GstPad *pad, gpointer user_data) {
  Measurement *self = user_data;
  g_autoptr(GstCaps) caps = elements_get_caps(pad);
  const gboolean is_frames = gst_caps_is_fixed(caps) && elements_is_frames(caps);
  if (self->has_video || !is_frames) {
    elements_discard(self->pipeline, pad);
    return;
  }
  self->has_video = TRUE;
  run_watch_stream(self->run, pad, TRUE);
  cut_attach(&self->cut, source, pad, TRUE);
  GstElement *queue = elements_add_queue(self->pipeline, 4);
  gst_element_link(queue, self->into);
  g_autoptr(GstPad) sink = gst_element_get_static_pad(queue, "sink");
  elements_keep_upright(self->pipeline, pad);
  gst_pad_link(pad, sink);
}

static void
on_no_more_pads(GstElement *source, gpointer user_data) {
  Measurement *self = user_data;
  cut_begin(&self->cut);
  if (!self->has_video)
    run_fail_without_video(self->run);
}

static gboolean
play(Measurement *self, GstElement *filter, const Input *input, const MeasureOptions *options,
     GError **error) {
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  self->pipeline = pipeline;
  elements_add(pipeline, filter);
  GstElement *source = input_new_source(input, options->rate, TRUE, error);
  GstElement *converter = source ? elements_new("videoconvert", NULL, error) : NULL;
  if (!converter) {
    g_clear_pointer(&source, gst_object_unref);
    return FALSE;
  }
  elements_add(pipeline, source);
  self->into = elements_add(pipeline, converter);
  GstElement *sink = elements_add(pipeline, gst_element_factory_make("fakesink", NULL));
  gst_element_link_many(self->into, filter, sink, NULL);
  g_autoptr(GstPad) src = gst_element_get_static_pad(filter, "src");
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, on_frame, self, NULL);
  g_signal_connect(source, "pad-added", G_CALLBACK(on_pad_added), self);
  g_signal_connect(source, "no-more-pads", G_CALLBACK(on_no_more_pads), self);
  return run_play(self->run, pipeline, filter, error);
}

/* Returns FALSE without an error if a signal ended the run. */
static gboolean
measure(Measurement *self, GstElement *filter, const Input *input, const MeasureOptions *options,
        GError **error) {
  PipelineRun *run = self->run;
  run->video_only = TRUE;
  run_set_part(run, input, options->from, options->to);
  return play(self, filter, input, options, error) &&
         (self->is_ended || (run_check_frames(run, error) && run_check_length(run, error) &&
                             input_check_unchanged(input, error)));
}

/* ---- the output ---- */

static GstElement *
make_filter(const FilterOptions *properties, const MeasureOptions *options, GError **error) {
  GstElement *filter = filter_options_make(properties, error);
  gint kind = 0;
  if (!filter)
    return NULL;
  g_object_get(filter, "measure", &kind, NULL);
  if (options->histogram || kind == 0)
    gst_util_set_object_arg(G_OBJECT(filter), "measure", options->histogram ? "histogram" : "sums");
  return filter;
}

static gboolean
has_regions(GstElement *filter) {
  g_auto(GValue) regions = G_VALUE_INIT;
  g_object_get_property(G_OBJECT(filter), "roi", &regions);
  return gst_value_array_get_size(&regions) > 0;
}

static AppStatus
fail(const GError *error) {
  return app_fail(NAME, app_status_of(error), error);
}

/* Measures the input into the file, and commits it to `path`, which is NULL for standard output.
 * `number` is set to the signal that ended the run, or to 0. */
static gboolean
measure_into(FILE *file, AtomicFile *atomic, const gchar *path, GstElement *filter,
             const Input *input, const MeasureOptions *options, gint *number, GError **error) {
  const gchar *to = options->output ? options->output : STDOUT;
  g_auto(Progress) progress = {0};
  g_auto(PipelineRun) run = {0};
  /* on a terminal, the lines show the progress */
  progress_init(&progress, options->quiet || (!options->output && isatty(STDOUT_FILENO)));
  progress_start(&progress, "%s", input->name);
  run_init(&run, &progress, input->name, to);
  run.quiet = options->quiet;
  Measurement self = {.run = &run, .cut = {.start = options->from, .end = options->to}, .to = to};
  rows_init(&self.rows, file, options->json, has_regions(filter));
  const gboolean ok = measure(&self, filter, input, options, error) &&
                      (!path || atomic_file_commit(atomic, path, options->output, error));
  rows_clear(&self.rows);
  *number = run_take_signal(&run);
  return ok;
}

static AppStatus
measure_input(const FilterOptions *properties, const MeasureOptions *options, const gchar *name) {
  g_autoptr(GError) error = NULL;
  g_auto(Input) input = {0};
  g_auto(AtomicFile) atomic = {0};
  if (!input_init(&input, name, &error) || !option_check_rate(options->framerate, &input, &error))
    return fail(error);
  if (options->output && input_has_file(&input, options->output)) {
    app_refuse(&error, "%s: IN and the output are the same file", options->output);
    return fail(error);
  }
  g_autofree gchar *path = options->output ? output_find_path(options->output, &error) : NULL;
  if (options->output && !path)
    return fail(error);
  g_autoptr(GstElement) filter = make_filter(properties, options, &error);
  if (!filter || (path && !atomic_file_begin(&atomic, path, NULL, options->output, &error)))
    return fail(error);
  const int fd = options->output ? dup(atomic.fd) : -1;
  FILE *file = !options->output ? stdout : fd >= 0 ? fdopen(fd, "w") : NULL;
  if (!file) {
    g_set_error(&error, G_FILE_ERROR, g_file_error_from_errno(errno), "%s: cannot be written: %s",
                options->output, g_strerror(errno));
    if (fd >= 0)
      close(fd);
    return fail(error);
  }
  gint number = 0;
  const gboolean ok = measure_into(file, &atomic, path, filter, &input, options, &number, &error);
  if (options->output)
    fclose(file);
  if (ok)
    return APP_DONE;
  if (error)
    return fail(error);
  atomic_file_clear(&atomic);
  g_printerr("cudaconv " NAME ": interrupted\n");
  return app_end_by_signal(number);
}

AppStatus
app_measure(int argc, char **argv) {
  g_auto(MeasureOptions) options = {.to = GST_CLOCK_TIME_NONE};
  g_autoptr(GError) error = NULL;
  g_autoptr(FilterOptions) properties = filter_options_new(&error);
  const GOptionEntry entries[] = {
      {"json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print a JSON object for each frame", NULL},
      {"histogram", 0, 0, G_OPTION_ARG_NONE, &options.histogram,
       "Also print 256 bins of the upper 8 bits of the samples", NULL},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
       "Write this file instead of standard output; it appears when it is complete", "FILE"},
      {"start", 0, 0, G_OPTION_ARG_STRING, &options.start,
       "Begin at this time of a video: 1.5, 90s, 2m or 0:03", "TIME"},
      {"end", 0, 0, G_OPTION_ARG_STRING, &options.end, "End at this time of a video", "TIME"},
      {"seconds", 0, 0, G_OPTION_ARG_STRING, &options.seconds,
       "Length of the part of the video, or of the measurement of a camera", "TIME"},
      {"framerate", 0, 0, G_OPTION_ARG_STRING, &options.framerate,
       "Frame rate of numbered images as IN, such as 30000/1001; default: 25", "RATE"},
      {"quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "Print figures and errors only", NULL},
      {0}};
  if (!properties)
    return app_fail(NAME, APP_FAILED, error);
  g_autoptr(GOptionContext) context = app_option_context_new(NAME, SUMMARY, entries, properties);
  filter_options_add(properties, context);
  g_auto(GStrv) words = app_parse_arguments(context, argc, argv, 1, 1, &error);
  const OptionPart part = {options.start, options.end, options.seconds};
  if (!words || !option_read_part(&part, &options.from, &options.to, &error) ||
      !option_read_rate(options.framerate, &options.rate, &error))
    return fail(error);
  return measure_input(properties, &options, words[0]);
}
