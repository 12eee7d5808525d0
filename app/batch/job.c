/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "job.h"
#include "app/command.h"
#include "app/convert/media.h"
#include "filehash.h"
#include "json.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define MANIFEST "manifest.json"
#define KERNEL_FILE "kernel.ini"
#define FORMAT 1
/* GStreamer's times have a sign in seeks. */
#define MOST_TIME ((GstClockTime)G_MAXINT64 / 2)

static void
source_free(gpointer data) {
  JobSource *self = data;
  g_free(self->in);
  g_free(self->out);
  g_free(self->sample);
  g_free(self->hash);
  g_free(self);
}

Job *
job_new(const gchar *folder) {
  Job *self = g_new0(Job, 1);
  g_autofree gchar *real = realpath(folder, NULL);
  self->folder = g_canonicalize_filename(real ? real : folder, NULL);
  self->sources = g_ptr_array_new_with_free_func(source_free);
  return self;
}

void
job_free(Job *self) {
  g_free(self->folder);
  g_free(self->id);
  g_ptr_array_unref(self->sources);
  g_free(self->settings);
  g_free(self->kernel_hash);
  g_clear_pointer(&self->kernel_file, g_bytes_unref);
  g_free(self->digest);
  g_free(self->encoder);
  g_free(self);
}

JobSource *
job_add_source(Job *self, gchar *in, gchar *out, gchar *sample, gchar *hash, guint chunks) {
  JobSource *source = g_new(JobSource, 1);
  *source = (JobSource){in, out, sample, hash, 0, chunks};
  g_ptr_array_add(self->sources, source);
  return source;
}

gboolean
job_count_pieces(Job *self) {
  guint64 chunks = 0;
  if (self->files > 0)
    chunks = ((guint64)self->sources->len + self->files - 1) / self->files;
  for (guint i = 0; self->files == 0 && i < self->sources->len; i++) {
    JobSource *source = g_ptr_array_index(self->sources, i);
    source->first = (guint)chunks;
    chunks += source->chunks;
    if (chunks > JOB_MAX_CHUNKS ||
        (source->chunks > 0 && self->seconds > MOST_TIME / source->chunks))
      return FALSE;
  }
  self->n_chunks = (guint)chunks;
  return chunks <= JOB_MAX_CHUNKS;
}

const JobSource *
job_find_source(const Job *self, guint chunk) {
  guint low = 0, high = self->sources->len;
  while (high - low > 1) {
    const guint middle = low + (high - low) / 2;
    const JobSource *source = g_ptr_array_index(self->sources, middle);
    if (source->first <= chunk)
      low = middle;
    else
      high = middle;
  }
  return g_ptr_array_index(self->sources, low);
}

/* ---- paths ---- */

gchar *
job_shorten_path(const Job *self, const gchar *path) {
  g_autofree gchar *parent = g_path_get_dirname(self->folder);
  const gsize length = strlen(parent);
  if (length > 1 && strncmp(path, parent, length) == 0 && path[length] == '/')
    return g_strconcat("..", path + length, NULL);
  return g_strdup(path);
}

gchar *
job_full_path(const Job *self, const gchar *path) {
  return g_canonicalize_filename(path, self->folder);
}

/* ---- the manifest ---- */

static JsonObject *
write_source(const Job *self, const JobSource *source) {
  JsonObject *object = json_object_new();
  g_autofree gchar *in = job_shorten_path(self, source->in),
                   *out = job_shorten_path(self, source->out);
  json_file_set_text(object, "in", in);
  json_file_set_text(object, "out", out);
  json_file_set_text(object, "sample", source->sample);
  json_file_set_text(object, "hash", source->hash);
  if (source->chunks)
    json_object_set_int_member(object, "pieces", source->chunks);
  return object;
}

static JsonObject *
write_manifest(const Job *self) {
  JsonObject *manifest = json_object_new();
  JsonArray *sources = json_array_new();
  json_object_set_int_member(manifest, "format", FORMAT);
  json_file_set_text(manifest, "cudaconv", VERSION);
  json_file_set_text(manifest, "settings", self->settings);
  json_file_set_text(manifest, "settings-hash", self->digest);
  json_file_set_text(manifest, "kernel-file-hash", self->kernel_hash);
  json_file_set_text(manifest, "encoder", self->encoder);
  json_object_set_boolean_member(manifest, "lossless", self->lossless);
  json_object_set_int_member(manifest, "nanoseconds", (gint64)self->seconds);
  json_object_set_int_member(manifest, "files", self->files);
  json_object_set_int_member(manifest, "pieces", self->n_chunks);
  for (guint i = 0; i < self->sources->len; i++)
    json_array_add_object_element(sources, write_source(self, g_ptr_array_index(self->sources, i)));
  json_object_set_array_member(manifest, "sources", sources);
  return manifest;
}

static gboolean
make_folder(const gchar *path, GError **error) {
  if (g_mkdir_with_parents(path, 0777) == 0)
    return TRUE;
  const gint code = errno;
  g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code),
              "--job: the folder %s cannot be made: %s", path, g_strerror(code));
  return FALSE;
}

/* Whether the folder has a job already, which has to be the same one. */
static gboolean
has_job(const Job *self, const gchar *path, GError **error) {
  g_autoptr(GError) why = NULL;
  if (!g_file_test(path, G_FILE_TEST_EXISTS))
    return FALSE;
  g_autoptr(Job) there = job_open(self->folder, &why);
  if (!there)
    g_propagate_error(error, g_steal_pointer(&why));
  else if (!g_str_equal(there->id, self->id))
    g_set_error(error, APP_USAGE_ERROR, 0,
                "--job %s: it holds another job, of other files or settings; name another folder, "
                "or remove this one",
                self->folder);
  return TRUE;
}

/* A copy of the bytes that were read for the hash. */
static gboolean
copy_kernel_file(const Job *self, GError **error) {
  g_autofree gchar *path = g_build_filename(self->folder, KERNEL_FILE, NULL);
  gsize size = 0;
  if (!self->kernel_file)
    return TRUE;
  const gchar *data = g_bytes_get_data(self->kernel_file, &size);
  return g_file_set_contents(path, data, (gssize)size, error);
}

/* Until it is closed, another `cudaconv plan` of this folder waits. Where the file system has no
 * locks for folders, nobody waits. */
static int
lock_folder(const gchar *path) {
  const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR)
    ;
  return fd;
}

static gboolean
write_files(const Job *self, JsonObject *manifest, GError **error) {
  g_autoptr(GError) why = NULL;
  g_autofree gchar *path = g_build_filename(self->folder, MANIFEST, NULL);
  if (!has_job(self, path, &why) && copy_kernel_file(self, &why))
    json_file_write(path, json_object_ref(manifest), &why);
  if (!why)
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&why));
  return FALSE;
}

gboolean
job_write(Job *self, GError **error) {
  g_autofree gchar *chunks = job_full_path(self, JOB_CHUNKS);
  g_autofree gchar *parts = job_full_path(self, JOB_PARTS);
  g_autoptr(JsonObject) manifest = write_manifest(self);
  g_free(self->id);
  self->id = json_file_hash(manifest);
  json_file_set_text(manifest, "id", self->id);
  if (!make_folder(chunks, error) || !make_folder(parts, error))
    return FALSE;
  const int lock = lock_folder(self->folder);
  const gboolean ok = write_files(self, manifest, error);
  if (lock >= 0)
    close(lock);
  return ok;
}

static gboolean
read_source(Job *self, JsonObject *object, const gchar *path, GError **error) {
  const gchar *in, *out, *sample;
  if (!json_file_get_text(object, "in", path, &in, error) ||
      !json_file_get_text(object, "out", path, &out, error) ||
      !json_file_get_text(object, "sample", path, &sample, error))
    return FALSE;
  const guint64 chunks = json_file_get_optional(object, "pieces");
  job_add_source(self, job_full_path(self, in), job_full_path(self, out), g_strdup(sample),
                 json_file_get_optional_text(object, "hash"),
                 chunks <= JOB_MAX_CHUNKS ? (guint)chunks : 0);
  return TRUE;
}

static gboolean
read_sources(Job *self, JsonObject *manifest, const gchar *path, GError **error) {
  JsonArray *sources;
  if (!json_file_get_array(manifest, "sources", path, &sources, error))
    return FALSE;
  for (guint i = 0; i < json_array_get_length(sources); i++) {
    JsonNode *node = json_array_get_element(sources, i);
    if (!JSON_NODE_HOLDS_OBJECT(node)) {
      g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (source %u is no object)", path, i);
      return FALSE;
    }
    if (!read_source(self, json_node_get_object(node), path, error))
      return FALSE;
  }
  return TRUE;
}

/* Whether each OUT is something that its pieces can become. */
static gboolean
check_outputs(const Job *self, const gchar *path, GError **error) {
  for (guint i = 0; i < self->sources->len; i++) {
    const JobSource *source = g_ptr_array_index(self->sources, i);
    const Media *media = media_of_name(source->out);
    if (media && (self->files > 0 || media_can_join(media)))
      continue;
    g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (%s cannot be made in such pieces)",
                path, source->out);
    return FALSE;
  }
  return TRUE;
}

/* Before anything else is read, which may have another meaning there. */
static gboolean
check_version(JsonObject *manifest, const gchar *path, GError **error) {
  guint64 format;
  const gchar *version;
  if (!json_file_get_number(manifest, "format", path, &format, error) ||
      !json_file_get_text(manifest, "cudaconv", path, &version, error))
    return FALSE;
  if (format == FORMAT && g_str_equal(version, VERSION))
    return TRUE;
  g_set_error(
      error, JSON_FILE_ERROR, 0,
      "%s: cudaconv %s planned this job (format %" G_GUINT64_FORMAT
      "), and this is cudaconv %s (format %d), whose pieces may differ: use that version on "
      "all machines, or plan the job anew into another folder",
      path, version, format, VERSION, FORMAT);
  return FALSE;
}

/* The id is that of all the rest. */
static gboolean
check_id(JsonObject *manifest, const gchar *path, gchar **id, GError **error) {
  if (!json_file_unseal(manifest, "id", path, id, error))
    return FALSE;
  if (*id)
    return TRUE;
  g_set_error(error, JSON_FILE_ERROR, 0,
              "%s: it was changed since `cudaconv plan` wrote it; plan the job anew into another "
              "folder",
              path);
  return FALSE;
}

static gboolean
read_manifest(Job *self, JsonObject *manifest, const gchar *path, GError **error) {
  guint64 seconds, files, chunks;
  const gchar *settings, *digest;
  if (!check_version(manifest, path, error) || !check_id(manifest, path, &self->id, error) ||
      !json_file_get_text(manifest, "settings", path, &settings, error) ||
      !json_file_get_text(manifest, "settings-hash", path, &digest, error) ||
      !json_file_get_number(manifest, "nanoseconds", path, &seconds, error) ||
      !json_file_get_number(manifest, "files", path, &files, error) ||
      !json_file_get_number(manifest, "pieces", path, &chunks, error) ||
      !read_sources(self, manifest, path, error))
    return FALSE;
  self->settings = g_strdup(settings);
  self->digest = g_strdup(digest);
  self->kernel_hash = json_file_get_optional_text(manifest, "kernel-file-hash");
  self->encoder = json_file_get_optional_text(manifest, "encoder");
  self->lossless = json_object_get_boolean_member_with_default(manifest, "lossless", FALSE);
  self->seconds = seconds;
  self->files = (guint)MIN(files, G_MAXINT);
  if (job_count_pieces(self) && self->n_chunks == chunks && chunks > 0 &&
      (seconds == 0) != (files == 0) && seconds <= JOB_MAX_CHUNK_SECONDS)
    return check_outputs(self, path, error);
  g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (its pieces do not add up)", path);
  return FALSE;
}

static void
refuse_folder(const gchar *folder, GError **error) {
  const gchar *why = "there is no job in this folder (no " MANIFEST ")";
  if (!g_file_test(folder, G_FILE_TEST_EXISTS))
    why = "there is no such folder";
  else if (!g_file_test(folder, G_FILE_TEST_IS_DIR))
    why = "this is no folder";
  else if (g_access(folder, R_OK | X_OK) != 0)
    why = "this user may not look into it";
  g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
              "%s: %s; JOB is the folder that `cudaconv plan --job FOLDER` made", folder, why);
}

Job *
job_open(const gchar *folder, GError **error) {
  g_autofree gchar *path = g_build_filename(folder, MANIFEST, NULL);
  if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
    refuse_folder(folder, error);
    return NULL;
  }
  JsonObject *manifest = json_file_read(path, error);
  if (!manifest)
    return NULL;
  g_autoptr(Job) self = job_new(folder);
  const gboolean ok = read_manifest(self, manifest, path, error);
  json_object_unref(manifest);
  return ok ? g_steal_pointer(&self) : NULL;
}

/* ---- checks ---- */

static gboolean
check_kernel_file(const Job *self, const gchar *path, GError **error) {
  g_autofree gchar *hash = filehash_all(path, error);
  if (!hash)
    return FALSE;
  if (g_str_equal(hash, self->kernel_hash))
    return TRUE;
  g_set_error(error, JSON_FILE_ERROR, 0,
              "%s: it was changed since `cudaconv plan` copied it; plan the job anew into another "
              "folder",
              path);
  return FALSE;
}

GstElement *
job_make_filter(const Job *self, GError **error) {
  g_autofree gchar *kernel =
      self->kernel_hash ? g_build_filename(self->folder, KERNEL_FILE, NULL) : NULL;
  if (kernel && !check_kernel_file(self, kernel, error))
    return NULL;
  GstElement *filter = filter_make_from_text(self->settings, kernel, error);
  if (!filter)
    return NULL;
  g_autofree gchar *digest = filter_digest(filter);
  if (g_str_equal(digest, self->digest))
    return filter;
  gst_object_unref(gst_object_ref_sink(filter));
  g_set_error(error, JSON_FILE_ERROR, 0,
              "the settings (%s) give other values here than where the job was planned; a preset "
              "has to be the same on all machines",
              self->settings);
  return NULL;
}

gboolean
job_check_source(const JobSource *source, gboolean all, GError **error) {
  const gchar *wanted = all && source->hash ? source->hash : source->sample;
  g_autofree gchar *hash =
      wanted == source->hash ? filehash_all(source->in, error) : filehash_sample(source->in, error);
  if (!hash)
    return FALSE;
  if (g_str_equal(hash, wanted))
    return TRUE;
  g_set_error(
      error, JSON_FILE_ERROR, 0,
      "%s: it is another file than when the job was planned; put that one back, or plan the "
      "job anew into another folder",
      source->in);
  return FALSE;
}
