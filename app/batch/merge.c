/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv merge JOB: checks the chunks of a job and joins the chunks of each video. */

#include "app/command.h"
#include "app/convert/atomicfile.h"
#include "app/text.h"
#include "concat.h"

#include <string.h>

#define SUMMARY                                                                                    \
  "Checks the chunks of a job and joins them.\n\n"                                                 \
  "No chunk may be missing or damaged. All chunks have to be made from the same source with\n"     \
  "the same settings, and each has to start at the end of the one before. Videos are joined\n"     \
  "without encoding again; audio and subtitles come from the source. OUT appears when it is\n"     \
  "complete. The chunks stay; you may remove the job's folder afterwards."

typedef struct {
  const Job *job;
  gchar *out; /* value of --out; NULL: the planned file */
  gboolean skip_failed, quiet;
  Progress progress;
  gint signal; /* the signal that ended the run; 0: none */
} Merge;

static void
clear_merge(Merge *self) {
  g_free(self->out);
  progress_clear(&self->progress);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Merge, clear_merge)

static gboolean fail(GError **error, const gchar *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
fail(GError **error, const gchar *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  *error = g_error_new_valist(GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, format, arguments);
  va_end(arguments);
  return FALSE;
}

/* ---- all chunks ---- */

static gboolean
check_there(const Job *job, const RecordState *states, GError **error) {
  g_autoptr(GArray) missing = g_array_new(FALSE, FALSE, sizeof(guint));
  for (guint i = 0; i < job->n_chunks; i++) {
    if (states[i] == RECORD_MISSING)
      g_array_append_val(missing, i);
  }
  g_autofree gchar *indices = job_list_indices(missing);
  return missing->len == 0 ||
         fail(error,
              "%u of %u chunks %s missing: --index %s; `cudaconv run %s` makes all missing ones, "
              "and `cudaconv status %s --missing` lists them",
              missing->len, job->n_chunks, missing->len == 1 ? "is" : "are", indices, job->folder,
              job->folder);
}

static GPtrArray *
read_records(const Job *job, const RecordState *states, GError **error) {
  g_autoptr(GPtrArray) records = g_ptr_array_new_with_free_func((GDestroyNotify)record_free);
  for (guint i = 0; i < job->n_chunks; i++) {
    g_autoptr(GError) why = NULL;
    Record *record = record_read(job, i, states[i] == RECORD_FAILED, &why);
    if (!record) {
      g_autofree gchar *name = job_name_chunk(job, i);
      fail(error, "%s: %s; `cudaconv run %s --index %u --again` makes it again", name,
           why ? why->message : "it is missing", job->folder, i);
      return NULL;
    }
    g_ptr_array_add(records, record);
  }
  return g_steal_pointer(&records);
}

/* Reads the files of all chunks in `records`, so that one message names all damaged chunks. */
static gboolean
check_bytes(const Job *job, const GPtrArray *records, GError **error) {
  g_autoptr(GArray) damaged = g_array_new(FALSE, FALSE, sizeof(guint));
  g_autoptr(GError) first = NULL;
  for (guint i = 0; i < records->len; i++) {
    const Record *record = g_ptr_array_index(records, i);
    g_autoptr(GError) why = NULL;
    if (record_check_files(record, job, TRUE, &why))
      continue;
    g_array_append_val(damaged, record->index);
    if (!first)
      first = g_steal_pointer(&why);
  }
  if (damaged->len == 0)
    return TRUE;
  g_autofree gchar *indices = job_list_indices(damaged);
  if (damaged->len > 1)
    return fail(
        error,
        "%u of %u chunks are damaged: --index %s (the first: %s); `cudaconv run %s --index N "
        "--again` makes each again",
        damaged->len, job->n_chunks, indices, first->message, job->folder);
  g_autofree gchar *name = job_name_chunk(job, g_array_index(damaged, guint, 0));
  return fail(error, "%s: %s; `cudaconv run %s --index %s --again` makes it again", name,
              first->message, job->folder, indices);
}

/* ---- a video ---- */

/* Returns whether a decoder can read packets of both caps as one stream. Colorimetry and frame rate
 * are not compared, because they come from the decoder of the source and may differ between
 * machines. If a decoder needs them, codec_data has them. */
static gboolean
is_same_stream(const gchar *one, const gchar *other) {
  static const gchar *const fields[] = {"codec_data", "streamheader", "stream-format",
                                        "width",      "height",       "interlace-mode"};
  g_autoptr(GstCaps) a = gst_caps_from_string(one), b = gst_caps_from_string(other);
  if (!a || !b || gst_caps_get_size(a) != 1 || gst_caps_get_size(b) != 1)
    return FALSE;
  const GstStructure *first = gst_caps_get_structure(a, 0), *second = gst_caps_get_structure(b, 0);
  gboolean same = g_str_equal(gst_structure_get_name(first), gst_structure_get_name(second));
  for (guint i = 0; same && i < G_N_ELEMENTS(fields); i++) {
    const GValue *x = gst_structure_get_value(first, fields[i]);
    const GValue *y = gst_structure_get_value(second, fields[i]);
    same = x && y ? gst_value_compare(x, y) == GST_VALUE_EQUAL : x == y;
  }
  return same;
}

static const gchar *
name_of(const gchar *text) {
  return text ? text : "?";
}

/* The frame before the second chunk has to be the last frame of the first chunk. The packets of the
 * two chunks have to form one stream. */
static gboolean
check_pair(const Record *one, const Record *other, GError **error) {
  if (other->before.time != one->last.time || g_strcmp0(other->before.hash, one->last.hash) != 0)
    return fail(
        error,
        "chunk %u (made on %s) and chunk %u (on %s) got different frames of the video at their "
        "boundary; if the machines differ, make one of the two on the machine of the other, with "
        "--again; if not, " CHUNK_REMEDY,
        one->index + 1, name_of(one->host), other->index + 1, name_of(other->host));
  if (other->frames == 0 || is_same_stream(one->caps, other->caps))
    return TRUE;
  return fail(
      error,
      "chunk %u (made on %s by %s) and chunk %u (on %s by %s) are encoded differently and cannot "
      "be "
      "one stream; use the same versions on all machines, and make one of the two again with "
      "--again",
      one->index + 1, name_of(one->host), name_of(one->encoder), other->index + 1,
      name_of(other->host), name_of(other->encoder));
}

static gboolean
check_fit(const GPtrArray *records, GError **error) {
  const Record *before = NULL;
  for (guint i = 0; i < records->len; i++) {
    const Record *record = g_ptr_array_index(records, i);
    if (record->frames > 0 && (!record->caps || !record->last.hash))
      return fail(error, "chunk %u: its record is damaged; make it again with --again",
                  record->index + 1);
    if (before && !check_pair(before, record, error))
      return FALSE;
    if (record->frames > 0)
      before = record;
  }
  return before || fail(error, "the chunks have no frame");
}

static void
print_result(const PipelineRun *run, const Output *output, guint chunks) {
  g_autofree gchar *line = g_strdup_printf(
      "%s: %" G_GUINT64_FORMAT " frames of %u chunk%s, %s; %s", output->name, run->frames, chunks,
      chunks == 1 ? "" : "s", run->codec, *run->audio ? run->audio : "no audio");
  g_autofree gchar *text = text_redact(line);
  g_print("%s\n", text);
}

/* `records` are the records of this video. */
static gboolean
merge_video(Merge *self, const JobSource *source, const GPtrArray *records, GError **error) {
  g_auto(PipelineRun) run = {0};
  g_auto(Output) output = {0};
  g_autoptr(GError) cut_off = NULL;
  guint64 frames = 0;
  for (guint i = 0; i < records->len; i++)
    frames += ((const Record *)g_ptr_array_index(records, i))->frames;
  const gchar *out = self->out ? self->out : source->out;
  if (!check_fit(records, error) || !job_check_source(source, TRUE, error))
    return FALSE;
  /* from here on signals are caught, so that temporary files are removed */
  run_init(&run, &self->progress, source->in, out);
  progress_start(&self->progress, "%s", out);
  if (!output_init(&output, out, error) ||
      !atomic_file_begin(&output.file, output.path, NULL, out, error))
    return FALSE;
  run.expected = frames;
  const gboolean ok = concat_chunks(self->job, source, records, &output, &run, error);
  self->signal = run.signal;
  if (!ok)
    return FALSE;
  if (run.frames != frames)
    return fail(error,
                "%s: only %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " frames were written",
                output.name, run.frames, frames);
  if (!atomic_file_commit(&output.file, output.path, out, error))
    return FALSE;
  /* prints a note if the source is truncated */
  if (!run_check_length(&run, &cut_off))
    run_note(&run, "%s", cut_off->message);
  if (!self->quiet)
    print_result(&run, &output, records->len);
  return TRUE;
}

static gboolean
merge_videos(Merge *self, GPtrArray *records, GError **error) {
  for (guint i = 0; i < self->job->sources->len; i++) {
    const JobSource *source = g_ptr_array_index(self->job->sources, i);
    g_autoptr(GPtrArray) of_source = g_ptr_array_new();
    for (guint k = 0; k < source->chunks; k++)
      g_ptr_array_add(of_source, g_ptr_array_index(records, source->first + k));
    g_autoptr(GError) why = NULL;
    if (merge_video(self, source, of_source, &why))
      continue;
    /* if chunks are damaged, the error message names all damaged chunks */
    if (why && check_bytes(self->job, of_source, error))
      g_propagate_error(error, g_steal_pointer(&why));
    return FALSE;
  }
  return TRUE;
}

/* ---- files ---- */

static gboolean
merge_files(const Merge *self, const GPtrArray *records, GError **error) {
  const RecordFailure *first = NULL;
  guint failures = 0, files = 0;
  for (guint i = 0; i < records->len; i++) {
    const Record *record = g_ptr_array_index(records, i);
    files += record->files->len;
    failures += record->failures->len;
    if (!first && record->failures->len > 0)
      first = g_ptr_array_index(record->failures, 0);
  }
  if (failures > 0 && !self->skip_failed)
    return fail(error,
                "%u file%s could not be made, the first: %s; `cudaconv status` lists them, and "
                "merge --skip-failed leaves them out",
                failures, failures == 1 ? "" : "s", first->why);
  if (!check_bytes(self->job, records, error))
    return FALSE;
  if (!self->quiet)
    g_print("%u of %u files are complete\n", files, self->job->sources->len);
  return TRUE;
}

static gboolean
check_out(const Merge *self, GError **error) {
  const JobSource *source = g_ptr_array_index(self->job->sources, 0);
  if (!self->out)
    return TRUE;
  if (self->job->files > 0 || self->job->sources->len != 1)
    return app_refuse(error, "--out %s: it needs a job of one video in chunks", self->out);
  g_autoptr(GHashTable) read = file_set_new();
  file_set_add(read, source->in);
  if (file_set_has(read, self->out))
    return app_refuse(error, "--out %s: this is the input file", self->out);
  const Media *media = media_of_name(source->out);
  return media_of_name(self->out) == media ||
         app_refuse(error, "--out %s: the job was planned for %s", self->out, media->endings[0]);
}

static gboolean
merge(Merge *self, GError **error) {
  const Job *job = self->job;
  g_autofree RecordState *states = record_list(job, error);
  if (!states || !check_out(self, error) || !check_there(job, states, error))
    return FALSE;
  g_autoptr(GPtrArray) records = read_records(job, states, error);
  if (!records ||
      !(job->files > 0 ? merge_files(self, records, error) : merge_videos(self, records, error)))
    return FALSE;
  job_remove_stale_files(job, -1);
  return TRUE;
}

AppStatus
app_merge(int argc, char **argv) {
  g_auto(Merge) self = {0};
  const GOptionEntry entries[] = {
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &self.out,
       "Write the video to another file than planned", "OUT"},
      {"skip-failed", 0, 0, G_OPTION_ARG_NONE, &self.skip_failed,
       "Leave out files that could not be made", NULL},
      {"quiet", 'q', 0, G_OPTION_ARG_NONE, &self.quiet, "Print errors only", NULL},
      {0}};
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = app_option_context_new("merge", SUMMARY, entries, NULL);
  g_auto(GStrv) words = app_parse_arguments(context, argc, argv, 1, 1, &error);
  if (!words)
    return app_fail("merge", APP_WRONG_USAGE, error);
  g_autoptr(Job) job = job_open(words[0], &error);
  self.job = job;
  progress_init(&self.progress, self.quiet);
  if (job && merge(&self, &error))
    return APP_DONE;
  if (error)
    return app_fail("merge", app_status_of(error), error);
  g_printerr("cudaconv merge: interrupted; incomplete files were not replaced\n");
  return app_end_by_signal(self.signal);
}
