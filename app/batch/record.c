/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record.h"
#include "app/convert/elements.h"
#include "filehash.h"
#include "json.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define CHECK "check" /* the hash of all other members */
#define MOST_SECONDS 1e12

static void
file_free(gpointer data) {
  RecordFile *self = data;
  g_free(self->name);
  g_free(self->hash);
  g_free(self);
}

static void
failure_free(gpointer data) {
  RecordFailure *self = data;
  g_free(self->in);
  g_free(self->why);
  g_free(self);
}

Record *
record_new(guint index) {
  Record *self = g_new0(Record, 1);
  self->index = index;
  self->files = g_ptr_array_new_with_free_func(file_free);
  self->failures = g_ptr_array_new_with_free_func(failure_free);
  self->first = self->before.time = self->last.time = GST_CLOCK_TIME_NONE;
  return self;
}

void
record_free(Record *self) {
  g_ptr_array_unref(self->files);
  g_ptr_array_unref(self->failures);
  g_free(self->hash);
  g_free(self->caps);
  g_free(self->encoder);
  boundary_frame_clear(&self->before);
  boundary_frame_clear(&self->last);
  g_free(self->backend);
  g_free(self->device);
  g_free(self->host);
  g_free(self->began);
  g_free(self);
}

static void
take_file(Record *self, gchar *name, guint64 size, gchar *hash) {
  RecordFile *file = g_new(RecordFile, 1);
  *file = (RecordFile){name, size, hash};
  g_ptr_array_add(self->files, file);
}

gboolean
record_add_file(Record *self, const gchar *path, const gchar *name, GError **error) {
  struct stat there;
  gchar *hash = filehash_all(path, error);
  if (!hash)
    return FALSE;
  take_file(self, g_strdup(name), stat(path, &there) == 0 ? (guint64)there.st_size : 0, hash);
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

gchar *
record_file_path(const Job *job, const RecordFile *file) {
  return job_full_path(job, file->name);
}

/* ---- writing ---- */

static void
set_frame(JsonObject *object, const gchar *member, const BoundaryFrame *frame) {
  if (!frame->hash)
    return;
  JsonObject *written = json_object_new();
  json_file_set_optional(written, "time", frame->time);
  json_file_set_text(written, "hash", frame->hash);
  json_object_set_object_member(object, member, written);
}

static JsonArray *
write_files(const Record *self) {
  JsonArray *files = json_array_new();
  for (guint i = 0; i < self->files->len; i++) {
    const RecordFile *file = g_ptr_array_index(self->files, i);
    JsonObject *object = json_object_new();
    json_file_set_text(object, "name", file->name);
    json_object_set_int_member(object, "size", (gint64)file->size);
    json_file_set_text(object, "hash", file->hash);
    json_array_add_object_element(files, object);
  }
  return files;
}

static JsonArray *
write_failures(const Record *self) {
  JsonArray *failures = json_array_new();
  for (guint i = 0; i < self->failures->len; i++) {
    const RecordFailure *failure = g_ptr_array_index(self->failures, i);
    JsonObject *object = json_object_new();
    json_file_set_text(object, "in", failure->in);
    json_file_set_text(object, "why", failure->why);
    json_array_add_object_element(failures, object);
  }
  return failures;
}

gboolean
record_write(const Record *self, const Job *job, GError **error) {
  const gboolean failed = self->failures->len > 0;
  JsonObject *object = json_object_new();
  json_file_set_text(object, "job", job->id);
  json_object_set_int_member(object, "piece", self->index);
  json_object_set_int_member(object, "frames", (gint64)self->frames);
  json_file_set_text(object, "hash", self->hash);
  if (GST_CLOCK_TIME_IS_VALID(self->first))
    json_object_set_int_member(object, "first", (gint64)self->first);
  set_frame(object, "before", &self->before);
  set_frame(object, "last", &self->last);
  json_file_set_text(object, "caps", self->caps);
  json_file_set_text(object, "encoder", self->encoder);
  json_object_set_array_member(object, "files", write_files(self));
  if (failed)
    json_object_set_array_member(object, "failures", write_failures(self));
  json_file_set_text(object, "backend", self->backend);
  json_file_set_text(object, "device", self->device);
  json_file_set_text(object, "host", self->host);
  json_file_set_text(object, "began", self->began);
  json_object_set_double_member(object, "seconds", self->seconds);
  g_autofree gchar *path = record_path(job, self->index, failed);
  g_autofree gchar *other = record_path(job, self->index, !failed);
  g_autofree gchar *check = json_file_hash(object);
  json_file_set_text(object, CHECK, check);
  if (!json_file_write(path, object, error))
    return FALSE;
  g_unlink(other);
  return TRUE;
}

/* ---- reading ---- */

static void
read_frame(JsonObject *object, const gchar *member, BoundaryFrame *frame) {
  JsonNode *node = json_object_get_member(object, member);
  if (!node || !JSON_NODE_HOLDS_OBJECT(node))
    return;
  frame->time = json_file_get_optional(json_node_get_object(node), "time");
  frame->hash = json_file_get_optional_text(json_node_get_object(node), "hash");
}

/* A film's piece has files of its own, and others are what becomes of a source: nothing else is
 * read because a record names it. */
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

static gboolean
read_file(Record *self, const Job *job, JsonObject *object, const gchar *path, GError **error) {
  const gchar *name, *hash;
  guint64 size;
  if (!json_file_get_text(object, "name", path, &name, error) ||
      !json_file_get_text(object, "hash", path, &hash, error) ||
      !json_file_get_number(object, "size", path, &size, error))
    return FALSE;
  if (!is_own_file(self, job, name)) {
    g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (\"%s\" is no file of this piece)",
                path, name);
    return FALSE;
  }
  take_file(self, g_strdup(name), size, g_strdup(hash));
  return TRUE;
}

static gboolean
read_files(Record *self, const Job *job, JsonObject *object, const gchar *path, GError **error) {
  JsonArray *files;
  if (!json_file_get_array(object, "files", path, &files, error))
    return FALSE;
  for (guint i = 0; i < json_array_get_length(files); i++) {
    JsonNode *node = json_array_get_element(files, i);
    if (!JSON_NODE_HOLDS_OBJECT(node)) {
      g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (file %u is no object)", path, i);
      return FALSE;
    }
    if (!read_file(self, job, json_node_get_object(node), path, error))
      return FALSE;
  }
  return TRUE;
}

static void
read_failures(Record *self, JsonObject *object) {
  JsonNode *node = json_object_get_member(object, "failures");
  JsonArray *failures = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
  for (guint i = 0; failures && i < json_array_get_length(failures); i++) {
    JsonNode *element = json_array_get_element(failures, i);
    if (!JSON_NODE_HOLDS_OBJECT(element))
      continue;
    g_autofree gchar *in = json_file_get_optional_text(json_node_get_object(element), "in");
    g_autofree gchar *why = json_file_get_optional_text(json_node_get_object(element), "why");
    record_add_failure(self, in ? in : "?", why ? why : "?");
  }
}

/* Whether a media type stands where one has to: GStreamer's parser complains aloud of others. */
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

/* Whether it is one stream, with a value for each field. */
static gboolean
check_caps(const gchar *text, const gchar *path, GError **error) {
  g_autoptr(GstCaps) caps = text && has_media_types(text) && !elements_is_nested(text)
                                ? gst_caps_from_string(text)
                                : NULL;
  if (!text || (caps && gst_caps_is_fixed(caps)))
    return TRUE;
  g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (\"caps\" is no stream)", path);
  return FALSE;
}

static gboolean
check_hash(JsonObject *object, const gchar *path, GError **error) {
  g_autofree gchar *hash = NULL;
  if (!json_file_unseal(object, CHECK, path, &hash, error))
    return FALSE;
  if (hash)
    return TRUE;
  g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (its hash is another one)", path);
  return FALSE;
}

static gboolean
check_belongs(const Record *self, const Job *job, JsonObject *object, const gchar *path,
              GError **error) {
  const gchar *id;
  guint64 index;
  if (!json_file_get_text(object, "job", path, &id, error) ||
      !json_file_get_number(object, "piece", path, &index, error))
    return FALSE;
  if (g_str_equal(id, job->id) && index == self->index)
    return TRUE;
  g_set_error(error, JSON_FILE_ERROR, 0,
              "%s: it belongs to another job or piece, of other files or settings", path);
  return FALSE;
}

/* Of a film's frames there are two files, and of others what became of each. */
static gboolean
check_number(const Record *self, const Job *job, const gchar *path, GError **error) {
  const guint files = self->files->len + self->failures->len;
  const guint first = self->index * job->files, of_film = self->frames > 0 ? 2 : 0;
  if (files == (job->files > 0 ? MIN(job->files, job->sources->len - first) : of_film))
    return TRUE;
  g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (its files do not add up)", path);
  return FALSE;
}

static gboolean
read_record(Record *self, const Job *job, JsonObject *object, const gchar *path, GError **error) {
  if (!check_hash(object, path, error) || !check_belongs(self, job, object, path, error) ||
      !json_file_get_number(object, "frames", path, &self->frames, error) ||
      !read_files(self, job, object, path, error))
    return FALSE;
  read_failures(self, object);
  self->hash = json_file_get_optional_text(object, "hash");
  self->first = json_file_get_optional(object, "first");
  read_frame(object, "before", &self->before);
  read_frame(object, "last", &self->last);
  self->caps = json_file_get_optional_text(object, "caps");
  self->encoder = json_file_get_optional_text(object, "encoder");
  self->backend = json_file_get_optional_text(object, "backend");
  self->device = json_file_get_optional_text(object, "device");
  self->host = json_file_get_optional_text(object, "host");
  self->began = json_file_get_optional_text(object, "began");
  self->seconds = json_file_get_optional_double(object, "seconds");
  if (!(self->seconds >= 0 && self->seconds < MOST_SECONDS))
    self->seconds = 0;
  return check_number(self, job, path, error) && check_caps(self->caps, path, error);
}

Record *
record_read(const Job *job, guint index, gboolean failed, GError **error) {
  g_autofree gchar *path = record_path(job, index, failed);
  if (!g_file_test(path, G_FILE_TEST_EXISTS))
    return NULL;
  JsonObject *object = json_file_read(path, error);
  if (!object)
    return NULL;
  g_autoptr(Record) self = record_new(index);
  const gboolean ok = read_record(self, job, object, path, error);
  json_object_unref(object);
  return ok ? g_steal_pointer(&self) : NULL;
}

gboolean
record_check_files(const Record *self, const Job *job, gboolean all, GError **error) {
  for (guint i = 0; i < self->files->len; i++) {
    const RecordFile *file = g_ptr_array_index(self->files, i);
    g_autofree gchar *path = record_file_path(job, file);
    struct stat there;
    if (stat(path, &there) != 0) {
      const gint code = errno;
      g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code), "%s: %s", path,
                  code == ENOENT ? "it is missing" : g_strerror(code));
      return FALSE;
    }
    g_autofree gchar *hash = all ? filehash_all(path, error) : g_strdup(file->hash);
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
