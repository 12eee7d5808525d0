/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv plan IN... --out OUT --job FOLDER: examines the files and writes a job's manifest. */

#include "app/command.h"
#include "app/convert/options.h"
#include "app/convert/sources.h"
#include "app/progress.h"
#include "app/text.h"
#include "hash.h"
#include "job.h"
#include "probe.h"

#include <string.h>

#define SUMMARY                                                                                    \
  "Splits a long job into chunks, which any number of machines can make.\n\n"                      \
  "IN is a video, which is split into chunks of --piece seconds, or any number of files:\n"        \
  "names, folders, 'patterns/*.png', frames/%04d.png. OUT is a video, a folder, or a name\n"       \
  "in which {} stands for the name of each file: edges/{}.png.\n\n"                                \
  "  cudaconv plan video.mp4 --kernel sobel --out edges.mkv --piece 60s --job job/\n"              \
  "  cudaconv run job/ --index N      makes one chunk, on any machine that sees these files\n"     \
  "  cudaconv merge job/              checks the chunks and joins them"

#define DEFAULT_LENGTH (60 * GST_SECOND)
#define DEFAULT_FILES 100

typedef struct {
  ConvertOptions convert;
  gchar *out, *job, *piece, *files, *list;
} Plan;

static void
clear_plan(Plan *self) {
  gchar *const texts[] = {self->out, self->job, self->piece, self->files, self->list};
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
    g_free(texts[i]);
  convert_options_clear(&self->convert);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Plan, clear_plan)

/* ---- options ---- */

static gboolean
choose_chunks(const Plan *self, const Media *media, Job *job, GError **error) {
  const gboolean is_video = media->kind == MEDIA_VIDEO;
  if (self->piece && self->files)
    return app_refuse(
        error,
        "--piece \"%s\" and --files \"%s\": use only one of the two; a chunk is a part of a video "
        "or a number of whole files",
        self->piece, self->files);
  if (self->piece && !is_video)
    return app_refuse(error,
                      "--piece \"%s\": it is for videos as OUT; for images use --files, the number "
                      "of images in a "
                      "chunk",
                      self->piece);
  if (!is_video || self->files) {
    guint64 files = DEFAULT_FILES;
    if (self->files &&
        !g_ascii_string_to_unsigned(self->files, 10, 1, JOB_MAX_CHUNKS, &files, NULL))
      return app_refuse(error, "--files \"%s\": expected the number of files in a chunk, 1 or more",
                        self->files);
    job->files = (guint)files;
    return TRUE;
  }
  job->chunk_length = DEFAULT_LENGTH;
  if (!option_read_time("--piece", self->piece, GST_SECOND / 10, &job->chunk_length, error))
    return FALSE;
  return job->chunk_length <= JOB_MAX_CHUNK_LENGTH ||
         app_refuse(error, "--piece \"%s\": expected a time of 1000000 seconds or less",
                    self->piece);
}

/* The names in `out` may have several extensions if OUT is a folder or contains `{}`. */
static gboolean
check_media(const Plan *self, const GPtrArray *out, const Job *job, GError **error) {
  const gchar *encoder = self->convert.encoder;
  g_autoptr(GHashTable) checked = g_hash_table_new(NULL, NULL);
  for (guint i = 0; i < out->len; i++) {
    const Media *media = media_of_name(g_ptr_array_index(out, i));
    if (!g_hash_table_add(checked, (gpointer)media))
      continue;
    if (job->files == 0 && !media->can_join) {
      g_autofree gchar *endings = media_list_endings(media_is_joinable);
      return app_refuse(error,
                        "--out %s: %s cannot be joined from chunks; these can: %s; with --files 1 "
                        "each video stays whole",
                        self->out, media->endings[0], endings);
    }
    if (!convert_options_check(&self->convert, media, error))
      return FALSE;
    GstElement *made =
        convert_options_make_encoder(&self->convert, media, 8, media->endings[0], error);
    if (!made)
      return FALSE;
    gst_object_unref(made);
    /* chunks are Matroska files, and OUT has to accept the same stream */
    if (encoder && media->kind == MEDIA_VIDEO &&
        (!probe_encoder(encoder, media_of_name(".mkv"), error) ||
         !probe_encoder(encoder, media, error)))
      return FALSE;
  }
  return TRUE;
}

/* ---- sources ---- */

static gboolean
check_text(const gchar *what, const gchar *text, GError **error) {
  if (g_utf8_validate(text, -1, NULL))
    return TRUE;
  g_autofree gchar *valid = g_utf8_make_valid(text, -1);
  return app_refuse(error, "%s %s: this is not UTF-8, which the files of a job need", what, valid);
}

/* Makes paths absolute, because other machines may have another working folder. */
static gboolean
make_absolute(GPtrArray *names, const gchar *what, GError **error) {
  for (guint i = 0; i < names->len; i++) {
    g_autofree gchar *name = g_ptr_array_index(names, i);
    g_ptr_array_index(names, i) = g_canonicalize_filename(name, NULL);
    if (!check_text(what, g_ptr_array_index(names, i), error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
add_source(Job *job, const gchar *in, const gchar *out, GError **error) {
  const gboolean is_split = job->files == 0;
  guint64 chunks = 0;
  if (is_split && !probe_video(in, job->chunk_length, &chunks, error))
    return FALSE;
  if (chunks > JOB_MAX_CHUNKS)
    return app_refuse(error,
                      "--piece: %s has %" G_GUINT64_FORMAT " chunks of this length, and %u is the "
                      "maximum",
                      in, chunks, JOB_MAX_CHUNKS);
  g_autofree gchar *sample = hash_file_sample(in, error);
  g_autofree gchar *hash = sample && is_split ? hash_file(in, error) : NULL;
  if (!sample || (is_split && !hash))
    return FALSE;
  job_add_source(job, in, out, g_steal_pointer(&sample), g_steal_pointer(&hash), (guint)chunks);
  return TRUE;
}

/* ---- the plan ---- */

static gboolean
take_kernel_file(Job *job, const gchar *path, GError **error) {
  gchar *data;
  gsize size;
  if (!path)
    return TRUE;
  if (!g_file_get_contents(path, &data, &size, error))
    return FALSE;
  job->kernel_file = g_bytes_new_take(data, size);
  job->kernel_hash = g_compute_checksum_for_bytes(G_CHECKSUM_MD5, job->kernel_file);
  return TRUE;
}

static gboolean
take_settings(Job *job, const ConvertOptions *options, MediaKind kind, GError **error) {
  g_autoptr(GstElement) filter = filter_options_make(options->filter, error);
  if (!filter)
    return FALSE;
  job->settings = filter_options_to_text(options->filter);
  if (kind == MEDIA_IMAGE && filter_options_weighs_alpha(options->filter, filter)) {
    g_autofree gchar *text = g_steal_pointer(&job->settings);
    job->settings = g_strconcat(text, *text ? " " : "", "--alpha=weighted", NULL);
    gst_util_set_object_arg(G_OBJECT(filter), "alpha", "weighted");
  }
  job->digest = filter_digest(filter);
  job->encoder = g_strdup(options->encoder);
  job->lossless = options->lossless;
  return probe_filter(filter, error) && check_text("the settings", job->settings, error) &&
         take_kernel_file(job, filter_options_kernel_file(options->filter), error);
}

/* Refuses videos and images in one job, because by default chunks of videos are time ranges and
 * chunks of images are files. */
static gboolean
check_kinds(const GPtrArray *out, GError **error) {
  const Media *first = media_of_name(g_ptr_array_index(out, 0));
  for (guint i = 1; i < out->len; i++) {
    const gchar *name = g_ptr_array_index(out, i);
    if (media_of_name(name)->kind != first->kind)
      return app_refuse(error, "--out: %s and %s: a job makes videos or images; plan two jobs",
                        (const gchar *)g_ptr_array_index(out, 0), name);
  }
  return TRUE;
}

static void
print_plan(const Plan *self, const Job *job) {
  const guint n = job->sources->len, last = job->n_chunks - 1;
  g_autofree gchar *size = job->files > 0
                               ? g_strdup_printf("%u", job->files)
                               : g_strdup_printf("%g s", (gdouble)job->chunk_length / GST_SECOND);
  g_autofree gchar *indices = last > 0 ? g_strdup_printf("s, --index 0 to %u", last) : NULL;
  g_autofree gchar *text = g_strdup_printf("%s: %u %s%s in chunks of %s: %u chunk%s", self->job, n,
                                           job->files > 0 ? "file" : "video", n == 1 ? "" : "s",
                                           size, job->n_chunks, indices ? indices : ", --index 0");
  g_autofree gchar *redacted = text_redact(text), *name = text_redact(self->job);
  g_print("%s\n", redacted);
  g_print("each: cudaconv run %s --index N; without --index, all missing ones\n", name);
  g_print("then: cudaconv merge %s\n", name);
}

static gboolean
plan(const Plan *self, gchar **words, GError **error) {
  g_autoptr(GPtrArray) in =
      sources_find((const gchar *const *)words, self->list, sources_name_stays(self->out), error);
  g_autoptr(GPtrArray) out = NULL;
  if (!in || !make_absolute(in, "IN", error) ||
      !(out = sources_name_outputs(in, self->out, "--out ", error)) ||
      !make_absolute(out, "--out", error) || !check_kinds(out, error))
    return FALSE;
  g_autoptr(Job) job = job_new(self->job);
  const Media *media = media_of_name(g_ptr_array_index(out, 0));
  if (!choose_chunks(self, media, job, error) || !check_media(self, out, job, error) ||
      !take_settings(job, &self->convert, media->kind, error))
    return FALSE;
  g_auto(Progress) progress = {0};
  progress_init(&progress, self->convert.quiet);
  progress_start(&progress, "%s", self->job);
  for (guint i = 0; i < in->len; i++) {
    if (!add_source(job, g_ptr_array_index(in, i), g_ptr_array_index(out, i), error))
      return FALSE;
    progress_show(&progress, -1, i + 1, in->len, "files");
  }
  progress_hide(&progress);
  if (!job_count_chunks(job))
    return app_refuse(error,
                      "the job has more than %u chunks; make them larger with --piece or --files",
                      JOB_MAX_CHUNKS);
  if (!sources_make_folders(out, "--out ", error) || !job_write(job, error))
    return FALSE;
  if (!self->convert.quiet)
    print_plan(self, job);
  return TRUE;
}

AppStatus
app_plan(int argc, char **argv) {
  g_auto(Plan) self = {0};
  const GOptionEntry entries[] = {
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &self.out,
       "A video, a folder, or a name with {} for the name of each file", "OUT"},
      {"job", 'j', 0, G_OPTION_ARG_FILENAME, &self.job,
       "The folder of the job, which all machines see", "FOLDER"},
      {"piece", 0, 0, G_OPTION_ARG_STRING, &self.piece,
       "Length of the chunks of a video: 60s (the default), 5m, 1h", "TIME"},
      {"files", 0, 0, G_OPTION_ARG_STRING, &self.files,
       "Number of whole files in a chunk: 100 (the default for images); 1 leaves each video whole",
       "N"},
      {"list", 0, 0, G_OPTION_ARG_FILENAME, &self.list,
       "Read more IN from this file, one name per line; - is the standard input", "FILE"},
      {0}};
  g_autoptr(GError) error = NULL;
  g_auto(GStrv) words = convert_options_parse(&self.convert, "plan", SUMMARY, entries, argc, argv,
                                              0, G_MAXUINT, &error);
  if (words && !self.out)
    app_refuse(&error,
               "--out OUT is missing: a video, a folder such as edges/, or a name with {} for the "
               "name of each file, such as edges/{}.png");
  else if (words && !self.job)
    app_refuse(&error,
               "--job FOLDER is missing: a folder for the job's files, which all machines see");
  else if (words && plan(&self, words, &error))
    return APP_DONE;
  return app_fail("plan", app_status_of(error), error);
}
