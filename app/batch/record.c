/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record.h"
#include "app/convert/elements.h"
#include "hash.h"
#include "json.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define CHECK "check"
#define MAX_SECONDS 1e12

static const JsonField frame_fields[] = {JSON_OPTIONAL("time", JSON_TIME, BoundaryFrame, time),
                                         JSON_OPTIONAL("hash", JSON_TEXT, BoundaryFrame, hash),
                                         {0}};

static const JsonField file_fields[] = {JSON_REQUIRED("name", JSON_TEXT, RecordFile, name),
                                        JSON_REQUIRED("size", JSON_COUNT, RecordFile, size),
                                        JSON_REQUIRED("hash", JSON_TEXT, RecordFile, hash),
                                        {0}};

static const JsonField failure_fields[] = {JSON_REQUIRED("in", JSON_TEXT, RecordFailure, in),
                                           JSON_REQUIRED("why", JSON_TEXT, RecordFailure, why),
                                           {0}};

static const JsonField record_fields[] = {
    JSON_REQUIRED("job", JSON_TEXT, Record, job),
    JSON_REQUIRED("piece", JSON_UINT, Record, index),
    JSON_REQUIRED("frames", JSON_COUNT, Record, frames),
    JSON_OPTIONAL("hash", JSON_TEXT, Record, hash),
    JSON_OPTIONAL("first", JSON_TIME, Record, first),
    JSON_OBJECT_FIELD("before", Record, before, frame_fields),
    JSON_OBJECT_FIELD("last", Record, last, frame_fields),
    JSON_OPTIONAL("caps", JSON_TEXT, Record, caps),
    JSON_OPTIONAL("encoder", JSON_TEXT, Record, encoder),
    JSON_ARRAY_FIELD("files", Record, files, file_fields, RecordFile, TRUE),
    JSON_ARRAY_FIELD("failures", Record, failures, failure_fields, RecordFailure, FALSE),
    JSON_OPTIONAL("backend", JSON_TEXT, Record, backend),
    JSON_OPTIONAL("device", JSON_TEXT, Record, device),
    JSON_OPTIONAL("host", JSON_TEXT, Record, host),
    JSON_OPTIONAL("began", JSON_TEXT, Record, began),
    JSON_OPTIONAL("seconds", JSON_DOUBLE, Record, seconds),
    {0}};

Record *
record_new(const Job *job, guint index) {
  Record *self = g_new0(Record, 1);
  self->job = g_strdup(job->id);
  self->index = index;
  self->files = g_ptr_array_new();
  self->failures = g_ptr_array_new();
  self->first = self->before.time = self->last.time = GST_CLOCK_TIME_NONE;
  return self;
}

void
record_free(Record *self) {
  json_fields_clear(record_fields, self);
  g_free(self);
}

gboolean
record_add_file(Record *self, const gchar *path, const gchar *name, GError **error) {
  struct stat there;
  gchar *hash = hash_file(path, error);
  if (!hash)
    return FALSE;
  RecordFile *file = g_new(RecordFile, 1);
  *file = (RecordFile){g_strdup(name), stat(path, &there) == 0 ? (guint64)there.st_size : 0, hash};
  g_ptr_array_add(self->files, file);
  return TRUE;
}

void
record_add_failure(Record *self, const gchar *in, const gchar *why) {
  RecordFailure *failure = g_new(RecordFailure, 1);
  *failure = (RecordFailure){g_strdup(in), g_strdup(why)};
  g_ptr_array_add(self->failures, failure);
}

static gchar *
record_name(guint index, gboolean failed) {
  return g_strdup_printf("%06u%s.json", index, failed ? ".failed" : "");
}

static gchar *
record_path(const Job *job, guint index, gboolean failed) {
  g_autofree gchar *name = record_name(index, failed);
  return g_build_filename(job->folder, JOB_CHUNKS, name, NULL);
}

gboolean
record_write(const Record *self, const Job *job, GError **error) {
  const gboolean failed = self->failures->len > 0;
  g_autoptr(JsonObject) object = json_fields_write(record_fields, self);
  g_autofree gchar *path = record_path(job, self->index, failed);
  g_autofree gchar *other = record_path(job, self->index, !failed);
  g_autofree gchar *pattern = job_temporary_pattern(job, self->index);
  g_free(json_seal(object, CHECK));
  if (!json_file_write(path, pattern, object, error))
    return FALSE;
  g_unlink(other);
  return TRUE;
}

/* ---- reading ---- */

/* The record of a time range may name only the chunk's files in pieces/. Other records may name
 * only the outputs of the chunk's sources. All other files are never read. */
static gboolean
is_own_file(const Record *self, const Job *job, const gchar *name) {
  g_autofree gchar *prefix = g_strdup_printf(JOB_CHUNKS "/%06u-", self->index);
  if (job->files == 0)
    return g_str_has_prefix(name, prefix) && !strchr(name + strlen(prefix), '/');
  const guint first = self->index * job->files;
  g_autofree gchar *path = job_full_path(job, name);
  for (guint i = first; i < job->sources->len && i - first < job->files; i++) {
    const JobSource *source = g_ptr_array_index(job->sources, i);
    if (g_str_equal(path, source->out))
      return TRUE;
  }
  return FALSE;
}

/* Returns whether each structure in the text begins with a letter, as media types do. Without this
 * check, GStreamer's parser of caps would print critical warnings. */
static gboolean
has_media_types(const gchar *text) {
  gboolean is_quoted = FALSE, is_next = TRUE;
  for (; *text; text++) {
    if (is_next && !g_ascii_isspace(*text)) {
      if (!g_ascii_isalpha(*text))
        return FALSE;
      is_next = FALSE;
    }
    if (*text == '\\' && text[1])
      text++;
    else if (*text == '"')
      is_quoted = !is_quoted;
    else if (*text == ';' && !is_quoted)
      is_next = TRUE;
  }
  return TRUE;
}

/* Checks that the caps are fixed, because the caps of a stream are always fixed. */
static gboolean
check_caps(const gchar *text, const gchar *path, GError **error) {
  g_autoptr(GstCaps) caps = text && has_media_types(text) && !elements_is_nested(text)
                                ? gst_caps_from_string(text)
                                : NULL;
  if (!text || (caps && gst_caps_is_fixed(caps)))
    return TRUE;
  g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (\"caps\" is not a stream)", path);
  return FALSE;
}

/* Checks the number of files. A time range has two files, or none if it has no frames. A chunk of
 * whole files has one file or one failure for each source. */
static gboolean
check_number(const Record *self, const Job *job, const gchar *path, GError **error) {
  const guint files = self->files->len + self->failures->len;
  const guint first = self->index * job->files, of_video = self->frames > 0 ? 2 : 0;
  if (files == (job->files > 0 ? MIN(job->files, job->sources->len - first) : of_video))
    return TRUE;
  g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (its files do not add up)", path);
  return FALSE;
}

static gboolean
check_record(Record *self, const Job *job, guint index, const gchar *path, GError **error) {
  if (!g_str_equal(self->job, job->id) || self->index != index) {
    g_set_error(error, JSON_FILE_ERROR, 0,
                "%s: it belongs to another job or chunk (other files or settings)", path);
    return FALSE;
  }
  for (guint i = 0; i < self->files->len; i++) {
    const RecordFile *file = g_ptr_array_index(self->files, i);
    if (is_own_file(self, job, file->name))
      continue;
    g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (\"%s\" is not a file of this chunk)",
                path, file->name);
    return FALSE;
  }
  if (!(self->seconds >= 0 && self->seconds < MAX_SECONDS))
    self->seconds = 0;
  return check_number(self, job, path, error) && check_caps(self->caps, path, error);
}

Record *
record_read(const Job *job, guint index, gboolean failed, GError **error) {
  g_autofree gchar *path = record_path(job, index, failed), *hash = NULL;
  if (!g_file_test(path, G_FILE_TEST_EXISTS))
    return NULL;
  g_autoptr(JsonObject) object = json_file_read(path, error);
  if (!object || !json_check_seal(object, CHECK, path, &hash, error))
    return NULL;
  if (!hash) {
    g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (its hash does not match)", path);
    return NULL;
  }
  g_autoptr(Record) self = g_new0(Record, 1);
  if (!json_fields_read(record_fields, object, self, path, error) ||
      !check_record(self, job, index, path, error))
    return NULL;
  return g_steal_pointer(&self);
}

gboolean
record_check_files(const Record *self, const Job *job, gboolean all, GError **error) {
  for (guint i = 0; i < self->files->len; i++) {
    const RecordFile *file = g_ptr_array_index(self->files, i);
    g_autofree gchar *path = job_full_path(job, file->name);
    struct stat there;
    if (stat(path, &there) != 0) {
      const gint code = errno;
      g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code), "%s: %s", path,
                  code == ENOENT ? "it is missing" : g_strerror(code));
      return FALSE;
    }
    g_autofree gchar *hash = all ? hash_file(path, error) : g_strdup(file->hash);
    if (!hash)
      return FALSE;
    if ((guint64)there.st_size != file->size || !g_str_equal(hash, file->hash)) {
      g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: it is damaged", path);
      return FALSE;
    }
  }
  return TRUE;
}

static RecordState
state_of_name(const gchar *name, guint index) {
  g_autofree gchar *done = record_name(index, FALSE), *failed = record_name(index, TRUE);
  if (g_str_equal(name, done))
    return RECORD_DONE;
  return g_str_equal(name, failed) ? RECORD_FAILED : RECORD_MISSING;
}

RecordState *
record_list(const Job *job, GError **error) {
  g_autofree gchar *folder = job_full_path(job, JOB_CHUNKS);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, error);
  if (!dir)
    return NULL;
  RecordState *states = g_new0(RecordState, job->n_chunks);
  for (const gchar *name; (name = g_dir_read_name(dir));) {
    const guint64 index = g_ascii_strtoull(name, NULL, 10);
    if (index < job->n_chunks)
      states[index] = MAX(states[index], state_of_name(name, (guint)index));
  }
  return states;
}

GstClockTime
record_last_time(const GPtrArray *records) {
  GstClockTime last = 0;
  for (guint i = 0; i < records->len; i++) {
    const Record *record = g_ptr_array_index(records, i);
    if (record->frames > 0)
      last = record->last.time;
  }
  return last;
}
