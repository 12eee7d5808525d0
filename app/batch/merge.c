/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv merge JOB: checks that all pieces are there and fit, and puts films together. */

#include "app/command.h"
#include "job.h"
#include "concat.h"
#include "app/convert/output.h"
#include "part.h"
#include "record.h"
#include "app/redact.h"
#include "app/convert/pipelinerun.h"

#include <string.h>
#include <sys/stat.h>

#define SUMMARY                                                                                    \
  "Checks the pieces of a job and puts them together.\n\n"                                         \
  "All pieces have to be there, undamaged, made of the same source with the same settings,\n"      \
  "and each has to begin where the one before it ends. Films are put together without\n"           \
  "encoding again; sound and subtitles come from the source. OUT appears when it is\n"             \
  "complete. The pieces stay: the job's folder can be removed afterwards."

#define MOST_NAMED 8 /* pieces or files in a message */

typedef struct {
  gchar *out; /* in place of the film's name; NULL: as planned */
  gboolean skip_failed, quiet;
} MergeOptions;

static void
clear_options(MergeOptions *options) {
  g_free(options->out);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MergeOptions, clear_options)

static gboolean fail(GError **error, const gchar *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
fail(GError **error, const gchar *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  *error = g_error_new_valist(GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, format, arguments);
  va_end(arguments);
  return FALSE;
}

/* ---- all pieces ---- */

static gboolean
check_there(const Job *job, const RecordState *states, GError **error) {
  g_autoptr(GString) names = g_string_new(NULL);
  guint missing = 0;
  for (guint i = 0; i < job->n_chunks; i++) {
    if (states[i] != RECORD_MISSING)
      continue;
    if (missing++ < MOST_NAMED)
      g_string_append_printf(names, "%s%u", names->len ? ", " : "", i);
  }
  if (missing == 0)
    return TRUE;
  return fail(error,
              "%u of %u pieces %s missing: %s%s; `cudaconv run %s` makes what is missing, and "
              "`cudaconv status %s --missing` lists it",
              missing, job->n_chunks, missing == 1 ? "is" : "are", names->str,
              missing > MOST_NAMED ? ", ..." : "", job->folder, job->folder);
}

static Record *
read_piece(const Job *job, guint index, gboolean failed, GError **error) {
  g_autoptr(GError) why = NULL;
  Record *record = record_read(job, index, failed, &why);
  if (!record)
    fail(error, "piece %u: %s; `cudaconv run %s --index %u --again` makes it anew", index,
         why ? why->message : "it is missing", job->folder, index);
  return record;
}

static GPtrArray *
read_records(const Job *job, const RecordState *states, GError **error) {
  g_autoptr(GPtrArray) records = g_ptr_array_new_with_free_func((GDestroyNotify)record_free);
  for (guint i = 0; i < job->n_chunks; i++) {
    Record *record = read_piece(job, i, states[i] == RECORD_FAILED, error);
    if (!record)
      return NULL;
    g_ptr_array_add(records, record);
  }
  return g_steal_pointer(&records);
}

/* Reads the files of all pieces, so that one message names all that are damaged. */
static gboolean
check_bytes(const Job *job, const GPtrArray *records, GError **error) {
  g_autoptr(GString) names = g_string_new(NULL);
  g_autoptr(GError) first = NULL;
  guint damaged = 0;
  for (guint i = 0; i < records->len; i++) {
    g_autoptr(GError) why = NULL;
    if (record_check_files(g_ptr_array_index(records, i), job, TRUE, &why))
      continue;
    if (damaged++ < MOST_NAMED)
      g_string_append_printf(names, "%s%u", names->len ? ", " : "", i);
    if (!first)
      first = g_steal_pointer(&why);
  }
  if (damaged == 0)
    return TRUE;
  return fail(error, "piece%s %s%s: %s; `cudaconv run %s --index %s --again` makes %s anew",
              damaged == 1 ? "" : "s", names->str, damaged > MOST_NAMED ? ", ..." : "",
              first->message, job->folder, damaged == 1 ? names->str : "N",
              damaged == 1 ? "it" : "each");
}

/* ---- a film ---- */

/* Whether one decoder can read both as one stream. What decoders say of colours and rates may
 * differ between machines, and is in the codec data where it counts. */
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

static gboolean
check_stream(const Record *one, const Record *other, GError **error) {
  if (is_same_stream(one->caps, other->caps))
    return TRUE;
  return fail(
      error,
      "piece %u (made on %s by %s) and piece %u (on %s by %s) are encoded in different ways, "
      "and cannot be one stream; use the same versions on all machines, and make one of them "
      "anew with --again",
      one->index, name_of(one->host), name_of(one->encoder), other->index, name_of(other->host),
      name_of(other->encoder));
}

/* The frame in front of a piece has to be the last one of the piece before. */
static gboolean
check_boundary(const Record *one, const Record *other, GError **error) {
  if (other->before.time == one->last.time && g_strcmp0(other->before.hash, one->last.hash) == 0)
    return TRUE;
  return fail(
      error,
      "between piece %u (made on %s) and piece %u (on %s) the film's frames are not the same "
      "from both sides: where the machines are not the same, make one of them anew on the "
      "other one with --again; else " CHUNK_REMEDY,
      one->index, name_of(one->host), other->index, name_of(other->host));
}

static gboolean
check_fit(const GPtrArray *records, GError **error) {
  const Record *before = NULL;
  for (guint i = 0; i < records->len; i++) {
    const Record *record = g_ptr_array_index(records, i);
    const gboolean whole = record->frames == 0 || (record->caps && record->last.hash);
    if (!whole)
      return fail(error, "piece %u: its record is damaged; make it anew with --again",
                  record->index);
    if (before && (!check_boundary(before, record, error) ||
                   (record->frames > 0 && !check_stream(before, record, error))))
      return FALSE;
    if (record->frames > 0)
      before = record;
  }
  return before || fail(error, "no piece has a frame");
}

static void
report(const PipelineRun *run, const Output *output, const ConvertReport *film, guint chunks) {
  g_autofree gchar *line =
      g_strdup_printf("%s: %" G_GUINT64_FORMAT " frames of %u pieces, %s; %s", output->name,
                      run->frames, chunks, film->codec, *film->audio ? film->audio : "no sound");
  g_autofree gchar *text = redact_text(line);
  g_print("%s\n", text);
}

/* A film that is much shorter than it says has a broken or cut file behind it. */
static void
check_length(const Job *job, const JobSource *source, const GPtrArray *records, PipelineRun *run) {
  const GstClockTime least = (source->chunks - 1) * job->seconds;
  const GstClockTime last = record_last_time(records);
  if (last + MAX(2 * GST_SECOND, least / 20) < least)
    run_note(run, "%s: it says that it lasts more than %.1f s, and its frames end after %.1f s",
             source->in, (gdouble)least / GST_SECOND, (gdouble)last / GST_SECOND);
}

/* `records` are those of the film. */
static gboolean
merge_film(const Job *job, const JobSource *source, const GPtrArray *records,
           const MergeOptions *options, gint *signal_number, GError **error) {
  g_auto(PipelineRun) run = {0};
  g_auto(Output) output = {0};
  g_auto(ConvertReport) film = {0};
  guint64 frames = 0;
  for (guint i = 0; i < records->len; i++)
    frames += ((const Record *)g_ptr_array_index(records, i))->frames;
  const gchar *out = options->out ? options->out : source->out;
  if (!check_fit(records, error) || !job_check_source(source, TRUE, error))
    return FALSE;
  /* from here on signals are kept, so that no part is left */
  run_init(&run, options->quiet, source->in, out);
  if (!output_init(&output, out, error) || !output_begin(&output, error))
    return FALSE;
  run.expected = frames;
  const gboolean joined = concat_make(job, source, records, &output, &run, &film, error);
  *signal_number = run.signal;
  if (!joined)
    return FALSE;
  if (run.frames != frames)
    return fail(error, "%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " frames came out",
                output.name, run.frames, frames);
  if (!output_commit(&output, error))
    return FALSE;
  check_length(job, source, records, &run);
  if (!options->quiet)
    report(&run, &output, &film, records->len);
  return TRUE;
}

static gboolean
merge_films(const Job *job, GPtrArray *records, const MergeOptions *options, gint *signal_number,
            GError **error) {
  for (guint i = 0; i < job->sources->len; i++) {
    const JobSource *source = g_ptr_array_index(job->sources, i);
    g_autoptr(GPtrArray) own = g_ptr_array_new();
    for (guint k = 0; k < source->chunks; k++)
      g_ptr_array_add(own, g_ptr_array_index(records, source->first + k));
    g_autoptr(GError) why = NULL;
    if (merge_film(job, source, own, options, signal_number, &why))
      continue;
    /* of damaged pieces all are named */
    if (why && check_bytes(job, own, error))
      g_propagate_error(error, g_steal_pointer(&why));
    return FALSE;
  }
  return TRUE;
}

/* ---- files ---- */

static gboolean
check_failures(const GPtrArray *records, GError **error) {
  const RecordFailure *first = NULL;
  guint failures = 0;
  for (guint i = 0; i < records->len; i++) {
    const Record *record = g_ptr_array_index(records, i);
    failures += record->failures->len;
    if (!first && record->failures->len > 0)
      first = g_ptr_array_index(record->failures, 0);
  }
  if (failures == 0)
    return TRUE;
  return fail(error,
              "%u file%s could not be made, the first: %s; `cudaconv status` lists them, and merge "
              "--skip-failed leaves them out",
              failures, failures == 1 ? "" : "s", first->why);
}

static gboolean
merge_files(const Job *job, const GPtrArray *records, const MergeOptions *options, GError **error) {
  guint files = 0;
  if ((!options->skip_failed && !check_failures(records, error)) ||
      !check_bytes(job, records, error))
    return FALSE;
  for (guint i = 0; i < records->len; i++)
    files += ((const Record *)g_ptr_array_index(records, i))->files->len;
  if (!options->quiet)
    g_print("%u of %u files are complete\n", files, job->sources->len);
  return TRUE;
}

/* A film may go to another place than was planned, as the same kind of film. */
static gboolean
check_out(const Job *job, const MergeOptions *options, GError **error) {
  const JobSource *source = g_ptr_array_index(job->sources, 0);
  if (!options->out)
    return TRUE;
  if (job->files > 0 || job->sources->len != 1)
    return fail(error, "--out %s: it is for a job of one film in pieces", options->out);
  struct stat in, out;
  if (stat(source->in, &in) == 0 && stat(options->out, &out) == 0 && in.st_dev == out.st_dev &&
      in.st_ino == out.st_ino)
    return fail(error, "--out %s: this is the file that is read", options->out);
  const Media *media = media_of_name(source->out);
  return media_of_name(options->out) == media ||
         fail(error, "--out %s: the job was planned for %s", options->out, media->endings[0]);
}

static gboolean
merge(const Job *job, const MergeOptions *options, gint *signal_number, GError **error) {
  g_autofree RecordState *states = record_list(job, error);
  if (!states || !check_out(job, options, error) || !check_there(job, states, error))
    return FALSE;
  g_autoptr(GPtrArray) records = read_records(job, states, error);
  if (!records)
    return FALSE;
  const gboolean ok = job->files > 0 ? merge_files(job, records, options, error)
                                     : merge_films(job, records, options, signal_number, error);
  if (ok)
    part_remove_left(job);
  return ok;
}

AppStatus
app_merge(int argc, char **argv) {
  g_auto(MergeOptions) options = {0};
  const GOptionEntry entries[] = {
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &options.out,
       "Write the film to another place than was planned", "OUT"},
      {"skip-failed", 0, 0, G_OPTION_ARG_NONE, &options.skip_failed,
       "Leave out files that could not be made", NULL},
      {"quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "Say nothing but errors", NULL},
      {0}};
  g_autoptr(GError) error = NULL;
  gint number = 0;
  g_autoptr(GOptionContext) context = app_option_context_new("merge", SUMMARY, entries, NULL);
  g_auto(GStrv) words = app_parse_arguments(context, argc, argv, 1, 1, &error);
  if (!words)
    return app_fail("merge", APP_WRONG_USAGE, error);
  g_autoptr(Job) job = job_open(words[0], &error);
  if (job && merge(job, &options, &number, &error))
    return APP_DONE;
  if (error)
    return app_fail("merge", APP_FAILED, error);
  g_printerr("cudaconv merge: interrupted; what was there before is as it was\n");
  return app_end_by_signal(number);
}
