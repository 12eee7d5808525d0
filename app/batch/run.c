/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv run JOB: makes one piece of a job, or several. */

#include "app/command.h"
#include "app/convert/convert.h"
#include "app/convert/device.h"
#include "app/convert/errors.h"
#include "app/filteroptions.h"
#include "job.h"
#include "part.h"
#include "chunk.h"
#include "record.h"
#include "app/redact.h"
#include "app/convert/atomicfile.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define SUMMARY                                                                                    \
  "Makes a piece of a job that `cudaconv plan` planned.\n\n"                                       \
  "Which one --index says, or SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX (Kubernetes) or\n"         \
  "AWS_BATCH_JOB_ARRAY_INDEX; without any of them, all that are missing are made, one\n"           \
  "after the other. A piece that is there is not made again, so to start a job again\n"            \
  "is to go on with it. A piece may be made twice at the same time, by any machines."

typedef struct {
  gchar *index, *of;
  gboolean again, quiet;
  guint first, step; /* pieces first, first + step, ... */
  gboolean one;      /* first alone */
} RunOptions;

static void
clear_options(RunOptions *options) {
  g_free(options->index);
  g_free(options->of);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RunOptions, clear_options)

/* A run over pieces of a job. */
typedef struct {
  const Job *job;
  const FilterOptions *where;
  const RunOptions *options;
  Device device; /* kept open between files */
  gboolean full; /* the disk is */
  gint signal;   /* that ended it; 0: none */
} Run;

/* ---- which pieces ---- */

static const gchar *const index_variables[] = {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX",
                                               "AWS_BATCH_JOB_ARRAY_INDEX"};

static gboolean
refuse_index(const gchar *name, const gchar *text, guint most, const gchar *of, GError **error) {
  g_autofree gchar *why =
      of ? g_strdup_printf("--of is %s", of) : g_strdup_printf("the job has %u pieces", most + 1);
  g_set_error(error, APP_USAGE_ERROR, 0, "%s \"%s\": it takes a whole number from 0 to %u, for %s",
              name, text, most, why);
  return FALSE;
}

static gboolean
read_of(RunOptions *options, const gchar *index, GError **error) {
  guint64 number;
  if (!g_ascii_string_to_unsigned(options->of, 10, 1, G_MAXINT, &number, NULL)) {
    g_set_error(error, APP_USAGE_ERROR, 0, "--of \"%s\": it takes a whole number, 1 or more",
                options->of);
    return FALSE;
  }
  if (!index) {
    g_set_error(error, APP_USAGE_ERROR, 0,
                "--of \"%s\": it goes with --index, or with what a scheduler sets: the pieces are "
                "shared out among so many, and this is one of them",
                options->of);
    return FALSE;
  }
  options->step = (guint)number;
  return TRUE;
}

static gboolean
choose_pieces(RunOptions *options, const Job *job, GError **error) {
  const gchar *name = "--index", *text = options->index;
  guint64 number;
  for (guint i = 0; !text && i < G_N_ELEMENTS(index_variables); i++) {
    name = index_variables[i];
    text = g_getenv(name);
  }
  options->step = 1;
  options->one = text && !options->of;
  if (options->of && !read_of(options, text, error))
    return FALSE;
  if (!text)
    return TRUE;
  const guint most = options->of ? options->step - 1 : job->n_chunks - 1;
  if (!g_ascii_string_to_unsigned(text, 10, 0, most, &number, NULL))
    return refuse_index(name, text, most, options->of, error);
  options->first = (guint)number;
  return TRUE;
}

/* ---- what every piece has ---- */

static GstElement *
new_filter(const Run *self, GError **error) {
  GstElement *filter = job_make_filter(self->job, error);
  if (filter && filter_options_apply(self->where, filter, error)) {
    device_use(&self->device, filter);
    return filter;
  }
  if (filter)
    gst_object_unref(gst_object_ref_sink(filter));
  return NULL;
}

static Record *
begin_record(guint index) {
  Record *record = record_new(index);
  g_autoptr(GDateTime) now = g_date_time_new_now_utc();
  record->began = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");
  record->host = g_strdup(g_get_host_name());
  return record;
}

static void
take_work(Record *record, const PipelineRun *run) {
  g_free(record->backend);
  g_free(record->device);
  record->backend = g_strdup(run->backend);
  record->device = g_strdup(run->device);
}

static void
report(const Run *self, const Record *record) {
  g_autoptr(GString) line = g_string_new(NULL);
  if (self->options->quiet)
    return;
  g_string_append_printf(line, "piece %u of %u: %" G_GUINT64_FORMAT " frame%s", record->index,
                         self->job->n_chunks, record->frames, record->frames == 1 ? "" : "s");
  if (record->seconds > 0)
    g_string_append_printf(line, ", %.0f a second", (gdouble)record->frames / record->seconds);
  if (record->backend)
    g_string_append_printf(line, "; filtered on %s", record->backend);
  if (record->device)
    g_string_append_printf(line, " (%s)", record->device);
  g_autofree gchar *text = redact_text(line->str);
  g_print("%s\n", text);
}

/* ---- a range of a film ---- */

/* The times of the packets, one on each line. */
static gboolean
write_times(const Chunk *chunk, const gchar *path, GError **error) {
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < chunk->packets->len; i++) {
    const ChunkPacket *packet = &g_array_index(chunk->packets, ChunkPacket, i);
    const gint64 times[] = {packet->pts, packet->dts, packet->duration};
    for (guint k = 0; k < G_N_ELEMENTS(times); k++) {
      if (times[k] != CHUNK_NO_TIME)
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT, k ? " " : "", times[k]);
      else
        g_string_append_printf(text, "%s-", k ? " " : "");
    }
    g_string_append_c(text, '\n');
  }
  return atomic_file_write(path, text->str, text->len, TRUE, error);
}

/* Files are named by their hash, so that two machines that make the same piece do not get into each
 * other's way, whether theirs are equal or not. */
static gboolean
keep_files(const Run *self, const Chunk *chunk, Part *part, Record *record, GError **error) {
  if (chunk->frames == 0)
    return TRUE;
  if (!record_add_file(record, part->path, "", error))
    return FALSE;
  RecordFile *film = g_ptr_array_index(record->files, 0);
  g_autofree gchar *times =
      g_strdup_printf(JOB_CHUNKS "/%06u-%.12s.times", record->index, film->hash);
  g_free(film->name);
  film->name = g_strdup_printf(JOB_CHUNKS "/%06u-%.12s.mkv", record->index, film->hash);
  g_autofree gchar *video_path = record_file_path(self->job, film);
  g_autofree gchar *times_path = job_full_path(self->job, times);
  return part_commit(part, video_path, error) && write_times(chunk, times_path, error) &&
         record_add_file(record, times_path, times, error);
}

static void
take_piece(Record *record, Chunk *chunk) {
  record->frames = chunk->frames;
  record->hash = g_strdup(chunk->hash);
  record->caps = g_strdup(chunk->caps);
  record->first = chunk->first;
  record->before = chunk->before;
  record->last = chunk->last;
  record->encoder = g_strdup(chunk->encoder);
  chunk->before = chunk->last = (BoundaryFrame){GST_CLOCK_TIME_NONE, NULL};
}

static gboolean
make_range(Run *self, guint index, Record *record, GError **error) {
  const Job *job = self->job;
  const JobSource *source = job_find_source(job, index);
  const guint number = index - source->first;
  g_auto(PipelineRun) run = {0};
  g_auto(Input) input = {0};
  g_auto(Part) part = {0};
  g_auto(Chunk) chunk = {0};
  GstElement *filter = new_filter(self, error);
  if (!filter)
    return FALSE;
  g_autoptr(GstElement) owned = gst_object_ref_sink(filter);
  /* from here on signals are kept, so that no part is left */
  run_init(&run, self->options->quiet, source->in, job->folder);
  if (!job_check_source(source, FALSE, error) || !input_init(&input, source->in, error) ||
      !part_begin(&part, job, index, error)) {
    self->signal = run_take_signal(&run);
    return FALSE;
  }
  run.output = part.path;
  const VideoOptions options = {media_of_name(source->out), source->out, job->encoder,
                                job->lossless, TRUE};
  /* what a film says of its length may be wrong: the last piece is all that is left */
  const GstClockTime end =
      number + 1 < source->chunks ? (number + 1) * job->seconds : GST_CLOCK_TIME_NONE;
  const gboolean ok = chunk_make(&chunk, filter, &input, number * job->seconds, end, &options,
                                 part.path, &run, error) &&
                      input_check_unchanged(&input, error);
  take_work(record, &run);
  record->seconds = (gdouble)run.took / GST_SECOND;
  take_piece(record, &chunk);
  const gboolean kept =
      ok && keep_files(self, &chunk, &part, record, error) && record_write(record, job, error);
  self->signal = run_take_signal(&run);
  return kept;
}

/* ---- whole files ---- */

static gboolean
make_file(Run *self, const JobSource *source, Record *record, GError **error) {
  const ConvertOptions options = {self->job->encoder, self->job->lossless, 0, GST_CLOCK_TIME_NONE,
                                  NULL};
  g_auto(Input) input = {0};
  g_auto(Output) output = {0};
  g_auto(ConvertReport) film = {0};
  g_auto(PipelineRun) run = {0};
  GstElement *filter = new_filter(self, error);
  if (!filter)
    return FALSE;
  g_autoptr(GstElement) owned = gst_object_ref_sink(filter);
  if (!job_check_source(source, FALSE, error) || !input_init(&input, source->in, error) ||
      !output_init(&output, source->out, error))
    return FALSE;
  run_init(&run, TRUE, source->in, source->out);
  const gboolean ok = convert(filter, &input, &output, &options, &run, &film, error);
  take_work(record, &run);
  g_autofree gchar *name = job_shorten_path(self->job, source->out);
  const gboolean kept = ok && record_add_file(record, source->out, name, error);
  if (kept)
    record->frames += run.frames;
  self->signal = run_take_signal(&run);
  return kept;
}

/* A file that cannot be made does not keep the others from being made. */
static gboolean
make_files(Run *self, guint index, Record *record, GError **error) {
  const Job *job = self->job;
  const guint first = index * job->files, end = MIN(first + job->files, job->sources->len);
  const gint64 started = g_get_monotonic_time();
  for (guint i = first; i < end && self->signal == 0; i++) {
    const JobSource *source = g_ptr_array_index(job->sources, i);
    g_autoptr(GError) why = NULL;
    if (make_file(self, source, record, &why) || self->signal != 0)
      continue;
    if (error_is_full_disk(why)) {
      g_propagate_error(error, g_steal_pointer(&why));
      return FALSE;
    }
    app_fail("run", APP_FAILED, why);
    record_add_failure(record, source->in, why->message);
  }
  record->seconds = (gdouble)(g_get_monotonic_time() - started) / G_USEC_PER_SEC;
  if (self->signal != 0 || !record_write(record, job, error))
    return FALSE;
  if (record->failures->len == 0)
    return TRUE;
  g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
              "piece %u: %u of its %u files could not be made", index, record->failures->len,
              end - first);
  return FALSE;
}

/* ---- pieces ---- */

static gboolean
is_made(const Job *job, guint index) {
  g_autoptr(GError) why = NULL;
  g_autoptr(Record) record = record_read(job, index, FALSE, &why);
  return record && record_check_files(record, job, FALSE, &why);
}

/* TRUE when the piece is there afterwards. */
static gboolean
make_piece(Run *self, guint index, guint *made) {
  g_autoptr(GError) error = NULL;
  if (!self->options->again && is_made(self->job, index)) {
    if (!self->options->quiet && self->options->one)
      g_print("piece %u of %u is made already\n", index, self->job->n_chunks);
    return TRUE;
  }
  g_autoptr(Record) record = begin_record(index);
  const gboolean ok = self->job->files > 0 ? make_files(self, index, record, &error)
                                           : make_range(self, index, record, &error);
  *made += ok;
  if (ok)
    report(self, record);
  else if (error)
    app_fail("run", APP_FAILED, error);
  self->full = error && error_is_full_disk(error);
  return ok;
}

static AppStatus
run(Run *self) {
  g_autoptr(GError) error = NULL;
  guint failed = 0, made = 0;
  if (self->job->files > 0) {
    GstElement *filter = new_filter(self, &error);
    if (!filter)
      return app_fail("run", APP_FAILED, error);
    g_autoptr(GstElement) owned = gst_object_ref_sink(filter);
    device_open(&self->device, filter);
  }
  for (guint i = self->options->first; i < self->job->n_chunks && self->signal == 0 && !self->full;
       i += self->options->step) {
    if (!make_piece(self, i, &made))
      failed++;
    if (self->options->one)
      break;
  }
  device_close(&self->device);
  if (self->signal != 0) {
    g_printerr("cudaconv run: interrupted; pieces that are made stay\n");
    return app_end_by_signal(self->signal);
  }
  if (failed == 0 && made == 0 && !self->options->one && !self->options->quiet)
    g_print("all of these pieces are made already\n");
  return failed ? APP_FAILED : APP_DONE;
}

AppStatus
app_run(int argc, char **argv) {
  g_auto(RunOptions) options = {0};
  const GOptionEntry entries[] = {
      {"index", 0, 0, G_OPTION_ARG_STRING, &options.index, "The piece, from 0 on", "N"},
      {"of", 0, 0, G_OPTION_ARG_STRING, &options.of,
       "Share the pieces out among so many, of which this is number --index: pieces --index, "
       "--index + N, ...",
       "N"},
      {"again", 0, 0, G_OPTION_ARG_NONE, &options.again, "Make it even if it is made already",
       NULL},
      {"quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "Say nothing but errors", NULL},
      {0}};
  g_autoptr(GError) error = NULL;
  g_autoptr(FilterOptions) where = filter_options_new(&error);
  if (!where)
    return app_fail("run", APP_FAILED, error);
  g_autoptr(GOptionContext) context = app_option_context_new("run", SUMMARY, entries, where);
  filter_options_add_where(where, context);
  g_auto(GStrv) words = app_parse_arguments(context, argc, argv, 1, 1, &error);
  if (!words)
    return app_fail("run", APP_WRONG_USAGE, error);
  g_autoptr(Job) job = job_open(words[0], &error);
  if (!job)
    return app_fail("run", APP_FAILED, error);
  if (!choose_pieces(&options, job, &error))
    return app_fail("run", APP_WRONG_USAGE, error);
  Run self = {.job = job, .where = where, .options = &options};
  return run(&self);
}
