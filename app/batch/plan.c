/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv plan IN... --out OUT --job FOLDER: looks at the files and writes down what the pieces
 * are.
 */

#include "app/command.h"
#include "app/convert/elements.h"
#include "filehash.h"
#include "app/filteroptions.h"
#include "job.h"
#include "look.h"
#include "app/convert/media.h"
#include "app/redact.h"
#include "app/convert/sources.h"
#include "app/timetext.h"
#include "trial.h"

#include <gst/pbutils/pbutils.h>
#include <string.h>

#define SUMMARY                                                                                    \
  "Plans a long job in pieces, which any number of machines can make.\n\n"                         \
  "IN is a film, which becomes pieces of --piece seconds, or files of any number, which\n"         \
  "are shared out: names, folders, 'patterns/*.png', frames/%04d.png. OUT is the film,\n"          \
  "or a folder, or a name with {} for that of each file: edges/{}.png.\n\n"                        \
  "  cudaconv plan film.mp4 --kernel sobel --out edges.mkv --piece 60s --job job/\n"               \
  "  cudaconv run job/ --index N      on any machine that sees these files: each piece\n"          \
  "  cudaconv merge job/              checks them and puts them together"

#define CHUNK_SECONDS 60
#define CHUNK_FILES 100
#define LONGEST_LOOK (60 * GST_SECOND)

typedef struct {
  gchar *out, *job, *chunk, *files, *list, *encoder;
  gboolean lossless, quiet;
} PlanOptions;

static void
clear_options(PlanOptions *options) {
  g_free(options->out);
  g_free(options->job);
  g_free(options->chunk);
  g_free(options->files);
  g_free(options->list);
  g_free(options->encoder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PlanOptions, clear_options)

/* ---- options ---- */

static gboolean
read_piece(const PlanOptions *options, Job *job, GError **error) {
  job->seconds = CHUNK_SECONDS * GST_SECOND;
  if (!time_read("--piece", options->chunk, GST_SECOND / 10, &job->seconds, error))
    return FALSE;
  return job->seconds <= JOB_MAX_CHUNK_SECONDS ||
         app_refuse(error, "--piece \"%s\": it takes a time of 1000000 seconds or less",
                    options->chunk);
}

static gboolean
read_files(const PlanOptions *options, Job *job, GError **error) {
  guint64 files = CHUNK_FILES;
  if (options->files &&
      !g_ascii_string_to_unsigned(options->files, 10, 1, JOB_MAX_CHUNKS, &files, NULL))
    return app_refuse(error, "--files \"%s\": it takes the number of files in a piece, 1 or more",
                      options->files);
  job->files = (guint)files;
  return TRUE;
}

/* Whether a piece is a range of a film, or files. */
static gboolean
choose_pieces(const PlanOptions *options, const Media *media, Job *job, GError **error) {
  const gboolean is_film = media->kind == MEDIA_VIDEO;
  if (options->chunk && options->files)
    return app_refuse(
        error,
        "--piece \"%s\" and --files \"%s\": a piece is a part of a film or whole files, and "
        "only one of the two says which",
        options->chunk, options->files);
  if (options->chunk && !is_film)
    return app_refuse(
        error,
        "--piece \"%s\": it is for films as OUT; --files says how many pictures are in a piece",
        options->chunk);
  if (!is_film || options->files)
    return read_files(options, job, error);
  return read_piece(options, job, error);
}

static gboolean
check_pieces(const PlanOptions *options, const Media *media, const Job *job, GError **error) {
  if (job->files > 0 || media_can_join(media))
    return TRUE;
  return app_refuse(
      error,
      "--out %s: %s cannot be put together from pieces; .mkv, .mp4, .mov and .webm can, "
      "and with --files 1 each film stays whole",
      options->out, media->endings[0]);
}

static gboolean
check_encoder(const PlanOptions *options, const Media *media, GError **error) {
  if (options->lossless && options->encoder)
    return app_refuse(error,
                      "--lossless and --encoder \"%s\": only one of the two says what encodes",
                      options->encoder);
  if (options->lossless && !media->lossless[0])
    return app_refuse(
        error,
        "--lossless: %s has losses; .mkv, .mp4, .mov, .webm, .png, .tiff and .webp can do without",
        media->endings[0]);
  GstElement *encoder = options->encoder
                            ? elements_parse_encoder(options->encoder, error)
                            : media_new_encoder(options->lossless ? media->lossless : media->video,
                                                media->endings[0], error);
  if (!encoder)
    return FALSE;
  gst_object_unref(gst_object_ref_sink(encoder));
  if (!options->encoder || media->kind != MEDIA_VIDEO)
    return TRUE;
  /* pieces are Matroska, and OUT has to hold the same stream */
  return trial_encode(options->encoder, media_of_name(".mkv"), error) &&
         trial_encode(options->encoder, media, error);
}

/* What --out names may have several endings. */
static gboolean
check_all_media(const PlanOptions *options, const GPtrArray *out, const Job *job, GError **error) {
  g_autoptr(GHashTable) checked = g_hash_table_new(NULL, NULL);
  for (guint i = 0; i < out->len; i++) {
    const Media *media = media_of_name(g_ptr_array_index(out, i));
    if (g_hash_table_add(checked, (gpointer)media) &&
        (!check_pieces(options, media, job, error) || !check_encoder(options, media, error)))
      return FALSE;
  }
  return TRUE;
}

/* ---- films ---- */

static gboolean
add_film(Job *job, GstDiscoverer *discoverer, const gchar *in, const gchar *out, GError **error) {
  GstClockTime length;
  if (!look_at_film(discoverer, in, &length, error) ||
      (length > job->seconds && !look_into_film(in, length, error)))
    return FALSE;
  const guint64 chunks = (length + job->seconds - 1) / job->seconds;
  if (chunks > JOB_MAX_CHUNKS)
    return app_refuse(error,
                      "--piece: %s has %.0f s, of which that makes %" G_GUINT64_FORMAT
                      " pieces, and %u is the most",
                      in, (gdouble)length / GST_SECOND, chunks, JOB_MAX_CHUNKS);
  gchar *sample = filehash_sample(in, error);
  gchar *hash = sample ? filehash_all(in, error) : NULL;
  if (!hash) {
    g_free(sample);
    return FALSE;
  }
  job_add_source(job, g_strdup(in), g_strdup(out), sample, hash, (guint)chunks);
  return TRUE;
}

/* ---- files ---- */

static gboolean
add_file(Job *job, const gchar *in, const gchar *out, GError **error) {
  gchar *sample = filehash_sample(in, error);
  if (!sample)
    return FALSE;
  job_add_source(job, g_strdup(in), g_strdup(out), sample, NULL, 0);
  return TRUE;
}

/* A manifest is UTF-8. */
static gboolean
check_text(const gchar *what, const gchar *text, GError **error) {
  if (g_utf8_validate(text, -1, NULL))
    return TRUE;
  g_autofree gchar *shown = g_utf8_make_valid(text, -1);
  return app_refuse(error, "%s %s: this is not UTF-8, in which a job is written down", what, shown);
}

/* Full paths of names, for machines that have another working folder. */
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
add_sources(Job *job, const GPtrArray *in, const GPtrArray *out, GError **error) {
  g_autoptr(GstDiscoverer) discoverer =
      job->files > 0 ? NULL : gst_discoverer_new(LONGEST_LOOK, error);
  if (job->files == 0 && !discoverer)
    return FALSE;
  for (guint i = 0; i < in->len; i++) {
    const gchar *from = g_ptr_array_index(in, i), *to = g_ptr_array_index(out, i);
    if (!(discoverer ? add_film(job, discoverer, from, to, error) : add_file(job, from, to, error)))
      return FALSE;
  }
  return job_count_pieces(job) ||
         app_refuse(error,
                    "it makes more than %u pieces; --piece and --files say how much is in a piece",
                    JOB_MAX_CHUNKS);
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
take_settings(Job *job, const PlanOptions *options, const FilterOptions *properties,
              GError **error) {
  GstElement *filter = filter_options_make(properties, error);
  if (!filter)
    return FALSE;
  gst_object_ref_sink(filter);
  job->settings = filter_options_to_text(properties);
  job->digest = filter_digest(filter);
  job->encoder = g_strdup(options->encoder);
  job->lossless = options->lossless;
  const gboolean works = trial_run(filter, error);
  gst_object_unref(filter);
  if (!works)
    return FALSE;
  return check_text("the settings", job->settings, error) &&
         take_kernel_file(job, filter_options_kernel_file(properties), error);
}

/* Films and pictures are not mixed in one job, for OUT says what a piece is. */
static gboolean
check_kinds(const GPtrArray *out, GError **error) {
  const Media *first = media_of_name(g_ptr_array_index(out, 0));
  for (guint i = 1; i < out->len; i++) {
    const gchar *name = g_ptr_array_index(out, i);
    if (media_of_name(name)->kind != first->kind)
      return app_refuse(error, "--out: %s and %s: a job makes films or pictures; plan two jobs",
                        (const gchar *)g_ptr_array_index(out, 0), name);
  }
  return TRUE;
}

static void
report(const PlanOptions *options, const Job *job) {
  const guint last = job->n_chunks - 1;
  g_autofree gchar *what =
      job->files > 0
          ? g_strdup_printf("%u file%s in pieces of %u", job->sources->len,
                            job->sources->len == 1 ? "" : "s", job->files)
          : g_strdup_printf("%u film%s in pieces of %g s", job->sources->len,
                            job->sources->len == 1 ? "" : "s", (gdouble)job->seconds / GST_SECOND);
  g_autofree gchar *text = g_strdup_printf("%s: %s: %u piece%s, 0 to %u", options->job, what,
                                           job->n_chunks, job->n_chunks == 1 ? "" : "s", last);
  g_autofree gchar *shown = redact_text(text), *name = redact_text(options->job);
  g_print("%s\n", shown);
  g_print("each: cudaconv run %s --index N; without --index all that are missing\n", name);
  g_print("then: cudaconv merge %s\n", name);
}

static gboolean
plan(const PlanOptions *options, const FilterOptions *properties, gchar **words, GError **error) {
  g_autoptr(GPtrArray) in = sources_find((const gchar *const *)words, options->list,
                                         sources_name_stays(options->out), error);
  g_autoptr(GPtrArray) out = NULL;
  if (!in || !make_absolute(in, "IN", error) ||
      !(out = sources_name_outputs(in, options->out, "--out ", error)) ||
      !make_absolute(out, "--out", error) || !check_kinds(out, error))
    return FALSE;
  const Media *media = media_of_name(g_ptr_array_index(out, 0));
  g_autoptr(Job) job = job_new(options->job);
  if (!choose_pieces(options, media, job, error) || !check_all_media(options, out, job, error) ||
      !take_settings(job, options, properties, error) || !add_sources(job, in, out, error) ||
      !sources_make_folders(out, "--out ", error) || !job_write(job, error))
    return FALSE;
  if (!options->quiet)
    report(options, job);
  return TRUE;
}

AppStatus
app_plan(int argc, char **argv) {
  g_auto(PlanOptions) options = {0};
  const GOptionEntry entries[] = {
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &options.out,
       "The film, or a folder, or a name with {} for that of each file", "OUT"},
      {"job", 'j', 0, G_OPTION_ARG_FILENAME, &options.job,
       "The folder of the job, which all machines see", "FOLDER"},
      {"piece", 0, 0, G_OPTION_ARG_STRING, &options.chunk,
       "Length of a film's pieces: 60s (the default), 5m, 1h", "TIME"},
      {"files", 0, 0, G_OPTION_ARG_STRING, &options.files,
       "Number of whole files in a piece: 100 (the default for pictures); of films, 1 leaves each "
       "whole",
       "N"},
      {"list", 0, 0, G_OPTION_ARG_FILENAME, &options.list,
       "More IN, a name on each line of this file; - is the standard input", "FILE"},
      {"lossless", 0, 0, G_OPTION_ARG_NONE, &options.lossless,
       "Encode without losses: FFV1 in .mkv, H.264 in .mp4 and .mov, VP9 in .webm; .png, .tiff, "
       ".webp",
       NULL},
      {"encoder", 0, 0, G_OPTION_ARG_STRING, &options.encoder,
       "Encode the video with this, as in a gst-launch line: \"x264enc bitrate=4000\"", "ELEMENT"},
      {"quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "Say nothing but errors", NULL},
      {0}};
  g_autoptr(GError) error = NULL;
  g_autoptr(FilterOptions) properties = filter_options_new(&error);
  if (!properties)
    return app_fail("plan", APP_FAILED, error);
  g_autoptr(GOptionContext) context = app_option_context_new("plan", SUMMARY, entries, properties);
  filter_options_add(properties, context);
  g_auto(GStrv) words = app_parse_arguments(context, argc, argv, 0, G_MAXUINT, &error);
  if (words && !options.out)
    app_refuse(&error,
               "--out OUT is missing: the film, or a folder such as edges/, or a name with {} for "
               "that of each file, such as edges/{}.png");
  else if (words && !options.job)
    app_refuse(&error,
               "--job FOLDER is missing: where the job's manifest and pieces are kept, which all "
               "machines see");
  else if (words && plan(&options, properties, words, &error))
    return APP_DONE;
  return app_fail("plan", !words || error->domain == APP_USAGE_ERROR ? APP_WRONG_USAGE : APP_FAILED,
                  error);
}
