/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv run JOB: makes chunks of a job. */

#include "app/command.h"
#include "app/convert/convert.h"
#include "app/convert/errors.h"
#include "app/text.h"
#include "chunk.h"

#define SUMMARY                                                                                    \
  "Makes one chunk of a job of `cudaconv plan`, or all missing chunks.\n\n"                        \
  "The number of the chunk comes from --index, or from SLURM_ARRAY_TASK_ID,\n"                     \
  "JOB_COMPLETION_INDEX (Kubernetes) or AWS_BATCH_JOB_ARRAY_INDEX. Without any of them all\n"      \
  "missing chunks are made, one after the other. A chunk that exists is not made again, so\n"      \
  "start an interrupted job again to continue it. Two machines may make the same chunk at\n"       \
  "the same time."

typedef struct {
  const Job *job;
  gchar *index, *of;
  gboolean again, quiet;
  guint first, step;            /* makes the chunks first, first + step, ... */
  gboolean one;                 /* makes only the chunk `first` */
  const FilterOptions *backend; /* the options that choose where a frame is filtered */
  ConvertOptions convert;       /* conversion options from the job */
  Progress progress;
  Device device;    /* keeps the CUDA device open between files */
  gboolean is_full; /* the disk is full */
  gint signal;      /* the signal that ended the run; 0: none */
} Worker;

static void
clear_worker(Worker *self) {
  g_free(self->index);
  g_free(self->of);
  convert_options_clear(&self->convert);
  progress_clear(&self->progress);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Worker, clear_worker)

/* ---- the chunks of this worker ---- */

static const gchar *const index_variables[] = {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX",
                                               "AWS_BATCH_JOB_ARRAY_INDEX"};

static gboolean
refuse_index(const Worker *self, const gchar *name, const gchar *text, guint max, GError **error) {
  g_autofree gchar *why = self->of ? g_strdup_printf("--of is %s", self->of)
                                   : g_strdup_printf("the job has %u chunks", max + 1);
  return app_refuse(error, "%s \"%s\": expected a whole number from 0 to %u, because %s", name,
                    text, max, why);
}

static gboolean
choose_chunks(Worker *self, GError **error) {
  const gchar *name = "--index", *text = self->index;
  guint64 number = 1;
  for (guint i = 0; !text && i < G_N_ELEMENTS(index_variables); i++) {
    name = index_variables[i];
    text = g_getenv(name);
  }
  self->one = text && !self->of;
  if (self->of && !g_ascii_string_to_unsigned(self->of, 10, 1, G_MAXINT, &number, NULL))
    return app_refuse(error, "--of \"%s\": expected a whole number, 1 or more", self->of);
  if (self->of && !text)
    return app_refuse(
        error, "--of \"%s\": it needs --index or a scheduler's variable, the number of this run",
        self->of);
  self->step = (guint)number;
  if (!text)
    return TRUE;
  const guint max = self->of ? self->step - 1 : self->job->n_chunks - 1;
  if (!g_ascii_string_to_unsigned(text, 10, 0, max, &number, NULL))
    return refuse_index(self, name, text, max, error);
  self->first = (guint)number;
  return TRUE;
}

/* ---- for all chunks ---- */

static GstElement *
new_filter(const Worker *self, GError **error) {
  g_autoptr(GstElement) filter = job_make_filter(self->job, error);
  if (!filter || !filter_options_apply(self->backend, filter, error))
    return NULL;
  device_use(&self->device, filter);
  return g_steal_pointer(&filter);
}

static Record *
begin_record(const Job *job, guint index) {
  Record *record = record_new(job, index);
  g_autoptr(GDateTime) now = g_date_time_new_now_utc();
  record->began = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");
  record->host = g_strdup(g_get_host_name());
  return record;
}

static void
record_backend(Record *record, const PipelineRun *run) {
  g_free(record->backend);
  g_free(record->device);
  record->backend = g_strdup(run->backend);
  record->device = g_strdup(run->device);
}

static void
print_chunk(const Worker *self, const Record *record) {
  if (self->quiet)
    return;
  g_autofree gchar *name = job_name_chunk(self->job, record->index);
  const ProgressState state = {-1,
                               record->frames,
                               0,
                               record->frames == 1 ? "frame" : "frames",
                               record->seconds > 0 ? (gdouble)record->frames / record->seconds : 0,
                               -1};
  g_autofree gchar *frames = progress_describe(&state);
  g_autoptr(GString) line = g_string_new(NULL);
  g_string_append_printf(line, "%s: %s", name, frames);
  if (record->backend)
    g_string_append_printf(line, "; filtered on %s", record->backend);
  if (record->device)
    g_string_append_printf(line, " (%s)", record->device);
  g_autofree gchar *text = text_redact(line->str);
  g_print("%s\n", text);
}

/* ---- a range of a video ---- */

/* The names of the chunk's files contain the hash of its Matroska file. If two machines make the
 * same chunk with different bytes, they do not overwrite each other's files. */
static gboolean
keep_files(const Worker *self, const GArray *packets, AtomicFile *file, Record *record,
           GError **error) {
  if (record->frames == 0)
    return TRUE;
  if (!record_add_file(record, file->path, "", error))
    return FALSE;
  RecordFile *video = g_ptr_array_index(record->files, 0);
  g_autofree gchar *times =
      g_strdup_printf(JOB_CHUNKS "/%06u-%.12s.times", record->index, video->hash);
  g_free(video->name);
  video->name = g_strdup_printf(JOB_CHUNKS "/%06u-%.12s.mkv", record->index, video->hash);
  g_autofree gchar *video_path = job_full_path(self->job, video->name);
  g_autofree gchar *times_path = job_full_path(self->job, times);
  g_autofree gchar *pattern = job_temporary_pattern(self->job, record->index);
  return atomic_file_commit(file, video_path, video_path, error) &&
         chunk_write_times(packets, times_path, pattern, error) &&
         record_add_file(record, times_path, times, error);
}

static gboolean
make_range(Worker *self, guint index, Record *record, GError **error) {
  const Job *job = self->job;
  const JobSource *source = job_find_source(job, index);
  const guint number = index - source->first;
  g_auto(PipelineRun) run = {0};
  g_auto(Input) input = {0};
  g_auto(AtomicFile) file = {0};
  g_autoptr(GArray) packets = g_array_new(FALSE, FALSE, sizeof(ChunkPacket));
  g_autofree gchar *pattern = job_temporary_pattern(job, index);
  g_autofree gchar *folder = job_full_path(job, JOB_TEMPORARY);
  g_autoptr(GstElement) filter = new_filter(self, error);
  if (!filter)
    return FALSE;
  /* from here on signals are caught, so that temporary files are removed */
  run_init(&run, &self->progress, source->in, job->folder);
  if (!job_check_source(source, FALSE, error) || !input_init(&input, source->in, error) ||
      !atomic_file_begin(&file, NULL, pattern, folder, error)) {
    self->signal = run_take_signal(&run);
    return FALSE;
  }
  run.output = file.path;
  /* the last chunk goes to the end of the video, because the stated length may be wrong */
  const gboolean is_last = number + 1 == source->chunks;
  const ChunkRange range = {number * job->chunk_length,
                            is_last ? GST_CLOCK_TIME_NONE : (number + 1) * job->chunk_length,
                            &self->convert, source->out};
  const gboolean ok =
      chunk_encode(record, packets, filter, &input, &range, file.path, &run, error) &&
      input_check_unchanged(&input, error);
  record_backend(record, &run);
  record->seconds = (gdouble)run.took / GST_SECOND;
  const gboolean kept =
      ok && keep_files(self, packets, &file, record, error) && record_write(record, job, error);
  self->signal = run_take_signal(&run);
  return kept;
}

/* ---- whole files ---- */

static gboolean
make_file(Worker *self, const JobSource *source, Record *record, GError **error) {
  g_auto(Input) input = {0};
  g_auto(Output) output = {0};
  g_auto(PipelineRun) run = {0};
  g_autoptr(GstElement) filter = new_filter(self, error);
  if (!filter)
    return FALSE;
  if (!job_check_source(source, FALSE, error) || !input_init(&input, source->in, error) ||
      !output_init(&output, source->out, error))
    return FALSE;
  /* for images, the progress counts files */
  const gboolean is_video = output.media->kind == MEDIA_VIDEO;
  run_init(&run, is_video ? &self->progress : NULL, source->in, source->out);
  run.quiet = TRUE;
  const gboolean ok = convert(filter, &input, &output, &self->convert, &run, error);
  record_backend(record, &run);
  g_autofree gchar *name = job_shorten_path(self->job, source->out);
  const gboolean kept = ok && record_add_file(record, source->out, name, error);
  if (kept)
    record->frames += run.frames;
  self->signal = run_take_signal(&run);
  return kept;
}

/* If a file fails, the other files are still made, unless the disk is full. */
static gboolean
make_files(Worker *self, guint index, Record *record, GError **error) {
  const Job *job = self->job;
  const guint first = index * job->files, n = MIN(job->files, job->sources->len - first);
  const gint64 started = g_get_monotonic_time();
  g_autofree gchar *chunk = job_name_chunk(job, index);
  for (guint i = 0; i < n && self->signal == 0; i++) {
    const JobSource *source = g_ptr_array_index(job->sources, first + i);
    g_autoptr(GError) why = NULL;
    const gboolean is_video = media_of_name(source->out)->kind == MEDIA_VIDEO;
    if (is_video)
      progress_start(&self->progress, "%s, file %u of %u", chunk, i + 1, n);
    if (make_file(self, source, record, &why) || self->signal != 0) {
      if (!is_video)
        progress_show(&self->progress, -1, i + 1, n, "files");
      continue;
    }
    progress_hide(&self->progress);
    if (error_is_full_disk(why)) {
      g_propagate_error(error, g_steal_pointer(&why));
      return FALSE;
    }
    app_fail("run", APP_FAILED, why);
    record_add_failure(record, source->in, why->message);
  }
  progress_hide(&self->progress);
  record->seconds = (gdouble)(g_get_monotonic_time() - started) / G_USEC_PER_SEC;
  if (self->signal != 0 || !record_write(record, job, error))
    return FALSE;
  if (record->failures->len == 0)
    return TRUE;
  g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
              "%s (--index %u): %u of its %u files could not be made", chunk, index,
              record->failures->len, n);
  return FALSE;
}

/* ---- chunks ---- */

static gboolean
is_made(const Job *job, guint index) {
  g_autoptr(GError) why = NULL;
  g_autoptr(Record) record = record_read(job, index, FALSE, &why);
  return record && record_check_files(record, job, FALSE, &why);
}

/* Returns TRUE if the chunk was made, or existed before and need not be made again. */
static gboolean
make_chunk(Worker *self, guint index, guint *made) {
  g_autoptr(GError) error = NULL;
  g_autofree gchar *name = job_name_chunk(self->job, index);
  if (!self->again && is_made(self->job, index)) {
    if (!self->quiet && self->one)
      g_print("%s is made already\n", name);
    return TRUE;
  }
  g_autoptr(Record) record = begin_record(self->job, index);
  progress_start(&self->progress, "%s", name);
  job_remove_stale_files(self->job, (gint)index);
  const gboolean ok = self->job->files > 0 ? make_files(self, index, record, &error)
                                           : make_range(self, index, record, &error);
  *made += ok;
  if (ok)
    print_chunk(self, record);
  else if (error)
    app_fail("run", APP_FAILED, error);
  self->is_full = error && error_is_full_disk(error);
  return ok;
}

static AppStatus
make_chunks(Worker *self) {
  g_autoptr(GError) error = NULL;
  guint failed = 0, made = 0;
  /* reports wrong settings once instead of for each chunk */
  g_autoptr(GstElement) filter = new_filter(self, &error);
  if (!filter)
    return app_fail("run", app_status_of(error), error);
  if (self->job->files > 0)
    device_open(&self->device, filter);
  for (guint i = self->first; i < self->job->n_chunks && self->signal == 0 && !self->is_full;
       i += self->step) {
    if (!make_chunk(self, i, &made))
      failed++;
    if (self->one)
      break;
  }
  device_close(&self->device);
  if (self->signal != 0) {
    g_printerr("cudaconv run: interrupted; complete chunks stay\n");
    return app_end_by_signal(self->signal);
  }
  if (failed == 0 && made == 0 && !self->one && !self->quiet)
    g_print("all of these chunks are made already\n");
  return failed ? APP_FAILED : APP_DONE;
}

AppStatus
app_run(int argc, char **argv) {
  g_auto(Worker) self = {0};
  const GOptionEntry entries[] = {
      {"index", 0, 0, G_OPTION_ARG_STRING, &self.index, "Number of the chunk, from 0", "N"},
      {"of", 0, 0, G_OPTION_ARG_STRING, &self.of,
       "Share the chunks among N runs; this run makes --index, --index + N, --index + 2 N, ...",
       "N"},
      {"again", 0, 0, G_OPTION_ARG_NONE, &self.again, "Make chunks again that exist already", NULL},
      {"quiet", 'q', 0, G_OPTION_ARG_NONE, &self.quiet, "Print errors only", NULL},
      {0}};
  g_autoptr(GError) error = NULL;
  g_autoptr(FilterOptions) backend = filter_options_new(&error);
  if (!backend)
    return app_fail("run", APP_FAILED, error);
  g_autoptr(GOptionContext) context = app_option_context_new("run", SUMMARY, entries, backend);
  filter_options_add_where(backend, context);
  g_auto(GStrv) words = app_parse_arguments(context, argc, argv, 1, 1, &error);
  if (!words)
    return app_fail("run", APP_WRONG_USAGE, error);
  g_autoptr(Job) job = job_open(words[0], &error);
  if (!job)
    return app_fail("run", APP_FAILED, error);
  self.job = job;
  self.backend = backend;
  self.convert = (ConvertOptions){
      .encoder = g_strdup(job->encoder), .lossless = job->lossless, .end = GST_CLOCK_TIME_NONE};
  progress_init(&self.progress, self.quiet);
  if (!choose_chunks(&self, &error))
    return app_fail("run", APP_WRONG_USAGE, error);
  return make_chunks(&self);
}
