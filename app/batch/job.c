/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "job.h"
#include "app/command.h"
#include "app/convert/atomicfile.h"
#include "app/convert/media.h"
#include "app/filteroptions.h"
#include "hash.h"
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
#define PART_SUFFIX ".part"
/* The format of the manifest. Increase it if chunks of the new program cannot be joined with chunks
 * of the old program. */
#define FORMAT 1
/* The latest time in a job. The limit exists because times of seeks are signed. */
#define MAX_TIME ((GstClockTime)G_MAXINT64 / 2)

static const JsonField source_fields[] = {JSON_REQUIRED("in", JSON_TEXT, JobSource, in),
                                          JSON_REQUIRED("out", JSON_TEXT, JobSource, out),
                                          JSON_REQUIRED("sample", JSON_TEXT, JobSource, sample),
                                          JSON_OPTIONAL("hash", JSON_TEXT, JobSource, hash),
                                          JSON_OPTIONAL("pieces", JSON_UINT, JobSource, chunks),
                                          {0}};

#define FORMAT_FIELD JSON_REQUIRED("format", JSON_UINT, Job, format)

static const JsonField format_fields[] = {FORMAT_FIELD, {0}};

static const JsonField manifest_fields[] = {
    FORMAT_FIELD,
    JSON_OPTIONAL("cudaconv", JSON_TEXT, Job, version),
    JSON_REQUIRED("settings", JSON_TEXT, Job, settings),
    JSON_REQUIRED("settings-hash", JSON_TEXT, Job, digest),
    JSON_OPTIONAL("kernel-file-hash", JSON_TEXT, Job, kernel_hash),
    JSON_OPTIONAL("encoder", JSON_TEXT, Job, encoder),
    JSON_OPTIONAL("lossless", JSON_FLAG, Job, lossless),
    JSON_REQUIRED("nanoseconds", JSON_COUNT, Job, chunk_length),
    JSON_REQUIRED("files", JSON_UINT, Job, files),
    JSON_REQUIRED("pieces", JSON_UINT, Job, n_chunks),
    JSON_ARRAY_FIELD("sources", Job, sources, source_fields, JobSource, TRUE),
    {0}};

Job *
job_new(const gchar *folder) {
  Job *self = g_new0(Job, 1);
  g_autofree gchar *real = realpath(folder, NULL);
  self->folder = g_canonicalize_filename(real ? real : folder, NULL);
  self->format = FORMAT;
  self->version = g_strdup(VERSION);
  self->sources = g_ptr_array_new();
  return self;
}

void
job_free(Job *self) {
  json_fields_clear(manifest_fields, self);
  g_clear_pointer(&self->kernel_file, g_bytes_unref);
  g_free(self->folder);
  g_free(self->id);
  g_free(self);
}

void
job_add_source(Job *self, const gchar *in, const gchar *out, gchar *sample, gchar *hash,
               guint chunks) {
  JobSource *source = g_new(JobSource, 1);
  *source =
      (JobSource){job_shorten_path(self, in), job_shorten_path(self, out), sample, hash, 0, chunks};
  g_ptr_array_add(self->sources, source);
}

gboolean
job_count_chunks(Job *self) {
  guint64 chunks = 0;
  if (self->files > 0)
    chunks = ((guint64)self->sources->len + self->files - 1) / self->files;
  for (guint i = 0; self->files == 0 && i < self->sources->len; i++) {
    JobSource *source = g_ptr_array_index(self->sources, i);
    source->first = (guint)chunks;
    chunks += source->chunks;
    if (chunks > JOB_MAX_CHUNKS ||
        (source->chunks > 0 && self->chunk_length > MAX_TIME / source->chunks))
      return FALSE;
  }
  self->n_chunks = (guint)chunks;
  return chunks <= JOB_MAX_CHUNKS;
}

const JobSource *
job_find_source(const Job *self, guint chunk) {
  const JobSource *source = NULL;
  for (guint i = self->sources->len; !source || source->first > chunk;)
    source = g_ptr_array_index(self->sources, --i);
  return source;
}

gchar *
job_name_chunk(const Job *self, guint chunk) {
  return g_strdup_printf("chunk %u of %u", chunk + 1, self->n_chunks);
}

gchar *
job_list_indices(const GArray *chunks) {
  GString *list = g_string_new(NULL);
  for (guint i = 0; i < chunks->len;) {
    const guint first = g_array_index(chunks, guint, i);
    guint last = first;
    while (++i < chunks->len && g_array_index(chunks, guint, i) == last + 1)
      last++;
    g_string_append_printf(list, last > first ? "%s%u-%u" : "%s%u", list->len ? "," : "", first,
                           last);
  }
  return g_string_free(list, FALSE);
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

gchar *
job_temporary_pattern(const Job *self, guint chunk) {
  return g_strdup_printf("%s/" JOB_TEMPORARY "/%06u-XXXXXX" PART_SUFFIX, self->folder, chunk);
}

void
job_remove_stale_files(const Job *self, gint chunk) {
  g_autofree gchar *folder = job_full_path(self, JOB_TEMPORARY);
  g_autofree gchar *prefix = chunk < 0 ? g_strdup("") : g_strdup_printf("%06d-", chunk);
  atomic_file_remove_stale(folder, prefix, PART_SUFFIX);
}

/* ---- writing ---- */

static gboolean
make_folder(const gchar *path, GError **error) {
  if (g_mkdir_with_parents(path, 0777) == 0)
    return TRUE;
  const gint code = errno;
  g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code),
              "--job: the folder %s cannot be created: %s", path, g_strerror(code));
  return FALSE;
}

/* Writes kernel.ini with the bytes from which `kernel_hash` was computed, even if the user's kernel
 * file has changed since. */
static gboolean
copy_kernel_file(const Job *self, const gchar *pattern, GError **error) {
  g_autofree gchar *path = g_build_filename(self->folder, KERNEL_FILE, NULL);
  gsize size = 0;
  if (!self->kernel_file)
    return TRUE;
  const gchar *data = g_bytes_get_data(self->kernel_file, &size);
  return atomic_file_write(path, pattern, data, size, TRUE, error);
}

/* Locks the folder until the returned descriptor is closed. Meanwhile another `cudaconv plan` for
 * this folder waits, unless the file system has no locks for folders. */
static int
lock_folder(const gchar *path) {
  const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR)
    ;
  return fd;
}

/* The caller has locked the folder. If the folder already has a job, that job has to be the same,
 * but another version of the program may have planned it. */
static gboolean
write_files(Job *self, GError **error) {
  g_autofree gchar *path = g_build_filename(self->folder, MANIFEST, NULL);
  g_autofree gchar *pattern = job_full_path(self, JOB_TEMPORARY "/plan-XXXXXX" PART_SUFFIX);
  g_autoptr(Job) there = NULL;
  if (g_file_test(path, G_FILE_TEST_EXISTS)) {
    there = job_open(self->folder, error);
    if (!there)
      return FALSE;
    g_free(self->version);
    self->version = g_strdup(there->version);
  }
  g_autoptr(JsonObject) manifest = json_fields_write(manifest_fields, self);
  g_free(self->id);
  self->id = json_seal(manifest, "id");
  if (!there)
    return copy_kernel_file(self, pattern, error) &&
           json_file_write(path, pattern, manifest, error);
  return g_str_equal(there->id, self->id) ||
         app_refuse(error,
                    "--job %s: this folder has another job (other files or settings); name another "
                    "folder, or remove this one",
                    self->folder);
}

gboolean
job_write(Job *self, GError **error) {
  g_autofree gchar *chunks = job_full_path(self, JOB_CHUNKS);
  g_autofree gchar *parts = job_full_path(self, JOB_TEMPORARY);
  if (!make_folder(chunks, error) || !make_folder(parts, error))
    return FALSE;
  const int lock = lock_folder(self->folder);
  const gboolean ok = write_files(self, error);
  if (lock >= 0)
    close(lock);
  return ok;
}

/* ---- reading ---- */

/* Checks the format before other members are read, because their meaning depends on it. The version
 * of the program does not matter. */
static gboolean
check_format(Job *self, JsonObject *manifest, const gchar *path, GError **error) {
  if (!json_fields_read(format_fields, manifest, self, path, error))
    return FALSE;
  if (self->format == FORMAT)
    return TRUE;
  const JsonField version_fields[] = {{.name = "cudaconv", .type = JSON_TEXT}, {0}};
  g_autofree gchar *version = NULL;
  json_fields_read(version_fields, manifest, &version, path, NULL);
  g_set_error(error, JSON_FILE_ERROR, 0,
              "%s: this job has format %u, and cudaconv %s reads format %d: use cudaconv %s, which "
              "planned it, on all machines, or plan the job again into another folder",
              path, self->format, VERSION, FORMAT, version ? version : "of the version");
  return FALSE;
}

static gboolean
check_outputs(const Job *self, const gchar *path, GError **error) {
  for (guint i = 0; i < self->sources->len; i++) {
    const JobSource *source = g_ptr_array_index(self->sources, i);
    const Media *media = media_of_name(source->out);
    if (media && (self->files > 0 || media->can_join))
      continue;
    g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (%s cannot be made in such chunks)",
                path, source->out);
    return FALSE;
  }
  return TRUE;
}

static gboolean
read_manifest(Job *self, JsonObject *manifest, const gchar *path, GError **error) {
  if (!check_format(self, manifest, path, error) ||
      !json_check_seal(manifest, "id", path, &self->id, error))
    return FALSE;
  if (!self->id) {
    g_set_error(
        error, JSON_FILE_ERROR, 0,
        "%s: it was changed after `cudaconv plan` wrote it; plan the job again into another "
        "folder",
        path);
    return FALSE;
  }
  if (!json_fields_read(manifest_fields, manifest, self, path, error))
    return FALSE;
  for (guint i = 0; i < self->sources->len; i++) {
    JobSource *source = g_ptr_array_index(self->sources, i);
    g_autofree gchar *in = source->in, *out = source->out;
    source->in = job_full_path(self, in);
    source->out = job_full_path(self, out);
  }
  const guint n_chunks = self->n_chunks;
  if (job_count_chunks(self) && self->n_chunks == n_chunks && n_chunks > 0 &&
      (self->chunk_length == 0) != (self->files == 0) && self->chunk_length <= JOB_MAX_CHUNK_LENGTH)
    return check_outputs(self, path, error);
  g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (its chunks do not add up)", path);
  return FALSE;
}

static void
refuse_folder(const gchar *folder, GError **error) {
  const gchar *why = "there is no job in this folder (no " MANIFEST ")";
  if (!g_file_test(folder, G_FILE_TEST_EXISTS))
    why = "there is no such folder";
  else if (!g_file_test(folder, G_FILE_TEST_IS_DIR))
    why = "this is not a folder";
  else if (g_access(folder, R_OK | X_OK) != 0)
    why = "this user may not read it";
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
  g_autofree gchar *hash = hash_file(path, error);
  if (!hash)
    return FALSE;
  if (g_str_equal(hash, self->kernel_hash))
    return TRUE;
  g_set_error(error, JSON_FILE_ERROR, 0,
              "%s: it was changed after `cudaconv plan` copied it; plan the job again into another "
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
  g_autoptr(GError) why = NULL;
  g_autoptr(GstElement) filter = filter_make_from_text(self->settings, kernel, &why);
  if (!filter) { /* the error is not a usage error of this command, so it gets another domain */
    g_set_error_literal(error, JSON_FILE_ERROR, 0, why->message);
    return NULL;
  }
  g_autofree gchar *digest = filter_digest(filter);
  if (g_str_equal(digest, self->digest))
    return g_steal_pointer(&filter);
  g_set_error(error, JSON_FILE_ERROR, 0,
              "the settings (%s) give other values here than on the machine that planned the job; "
              "presets have to be the same on all machines",
              self->settings);
  return NULL;
}

gboolean
job_check_source(const JobSource *source, gboolean all, GError **error) {
  const gchar *wanted = all && source->hash ? source->hash : source->sample;
  g_autofree gchar *hash =
      wanted == source->hash ? hash_file(source->in, error) : hash_file_sample(source->in, error);
  if (!hash)
    return FALSE;
  if (g_str_equal(hash, wanted))
    return TRUE;
  g_set_error(
      error, JSON_FILE_ERROR, 0,
      "%s: it is not the file for which the job was planned; restore that file, or plan the job "
      "again into another folder",
      source->in);
  return FALSE;
}
