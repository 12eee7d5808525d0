/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv status JOB: prints which chunks of a job are made. */

#include "app/command.h"
#include "record.h"
#include "app/text.h"

#include <json-glib/json-glib.h>
#include <stdio.h>

#define SUMMARY                                                                                    \
  "Shows which chunks of a job are made.\n\n"                                                      \
  "  cudaconv status job/ --missing    prints the numbers of the missing chunks\n"                 \
  "  cudaconv status job/ --check      compares all files with their hashes"

typedef struct {
  gboolean missing, check, json;
} StatusOptions;

typedef struct {
  guint done;
  guint64 frames;
  gdouble seconds;
  GHashTable *hosts; /* key: "HOST (BACKEND)"; value: number of chunks */
  GArray *missing;   /* guint: index of each missing chunk */
  GPtrArray *notes;  /* gchar *: description of each problem */
} Status;

static void
status_clear(Status *self) {
  g_clear_pointer(&self->hosts, g_hash_table_unref);
  g_clear_pointer(&self->missing, g_array_unref);
  g_clear_pointer(&self->notes, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Status, status_clear)

static void
add_note(Status *self, const Job *job, guint index, const gchar *why) {
  g_autofree gchar *name = job_name_chunk(job, index);
  g_ptr_array_add(self->notes, g_strdup_printf("%s (--index %u): %s", name, index, why));
}

static void
add_record(Status *self, const Job *job, const Record *record) {
  g_autofree gchar *where = g_strdup_printf("%s (%s)", record->host ? record->host : "?",
                                            record->backend ? record->backend : "no frame");
  const guint before = GPOINTER_TO_UINT(g_hash_table_lookup(self->hosts, where));
  g_hash_table_insert(self->hosts, g_steal_pointer(&where), GUINT_TO_POINTER(before + 1));
  self->frames += record->frames;
  self->seconds += record->seconds;
  for (guint i = 0; i < record->failures->len; i++) {
    const RecordFailure *failure = g_ptr_array_index(record->failures, i);
    add_note(self, job, record->index, failure->why);
  }
}

/* Returns whether the chunk is made. With `check`, reads all files of the chunk. */
static gboolean
check_chunk(Status *self, const Job *job, guint index, RecordState state, gboolean check) {
  g_autoptr(GError) error = NULL;
  g_autoptr(Record) record = record_read(job, index, state == RECORD_FAILED, &error);
  if (record && record_check_files(record, job, check, &error)) {
    add_record(self, job, record);
    return state == RECORD_DONE;
  }
  if (error)
    add_note(self, job, index, error->message);
  return FALSE;
}

/* With `names_only`, does not read the records. */
static gboolean
collect(Status *self, const Job *job, gboolean names_only, gboolean check, GError **error) {
  g_autofree RecordState *states = record_list(job, error);
  if (!states)
    return FALSE;
  self->hosts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  self->missing = g_array_new(FALSE, FALSE, sizeof(guint));
  self->notes = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < job->n_chunks; i++) {
    gboolean done = states[i] == RECORD_DONE;
    if (states[i] != RECORD_MISSING && !names_only)
      done = check_chunk(self, job, i, states[i], check);
    if (done)
      self->done++;
    else
      g_array_append_val(self->missing, i);
  }
  return TRUE;
}

static void
print_missing(const Status *self) {
  for (guint i = 0; i < self->missing->len; i++)
    g_print("%u\n", g_array_index(self->missing, guint, i));
}

static void
print_status(const Status *self, const Job *job) {
  g_print("%u of %u chunks are made", self->done, job->n_chunks);
  if (self->seconds > 0)
    g_print(": %" G_GUINT64_FORMAT " frames in %.0f s of filtering", self->frames, self->seconds);
  g_print("\n");
  GHashTableIter iter;
  gpointer where, count;
  g_hash_table_iter_init(&iter, self->hosts);
  while (g_hash_table_iter_next(&iter, &where, &count)) {
    g_autofree gchar *text = text_redact(where);
    g_print("  %u on %s\n", GPOINTER_TO_UINT(count), text);
  }
  if (self->missing->len > 0) {
    g_autofree gchar *list = job_list_indices(self->missing);
    g_print("not made: --index %s\n", list);
  }
  for (guint i = 0; i < self->notes->len; i++) {
    g_autofree gchar *text = text_redact(g_ptr_array_index(self->notes, i));
    g_print("%s\n", text);
  }
}

static void
print_json(const Status *self, const Job *job) {
  g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
  JsonObject *object = json_object_new();
  JsonArray *missing = json_array_new(), *notes = json_array_new();
  for (guint i = 0; i < self->missing->len; i++)
    json_array_add_int_element(missing, g_array_index(self->missing, guint, i));
  for (guint i = 0; i < self->notes->len; i++) {
    g_autofree gchar *note = g_utf8_make_valid(g_ptr_array_index(self->notes, i), -1);
    json_array_add_string_element(notes, note);
  }
  json_node_take_object(root, object);
  json_object_set_int_member(object, "pieces", job->n_chunks);
  json_object_set_int_member(object, "made", self->done);
  json_object_set_int_member(object, "frames", (gint64)self->frames);
  json_object_set_double_member(object, "seconds", self->seconds);
  json_object_set_array_member(object, "missing", missing);
  json_object_set_array_member(object, "notes", notes);
  g_autofree gchar *text = json_to_string(root, FALSE);
  puts(text); /* g_print would convert it to the encoding of the locale */
}

AppStatus
app_status(int argc, char **argv) {
  StatusOptions options = {0};
  const GOptionEntry entries[] = {
      {"missing", 0, 0, G_OPTION_ARG_NONE, &options.missing,
       "Print only the numbers of the missing chunks, one on each line", NULL},
      {"check", 0, 0, G_OPTION_ARG_NONE, &options.check,
       "Compare all files with their hashes; a damaged chunk counts as missing", NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print the status as one JSON object", NULL},
      {0}};
  g_autoptr(GError) error = NULL;
  g_auto(Status) status = {0};
  g_autoptr(GOptionContext) context = app_option_context_new("status", SUMMARY, entries, NULL);
  g_auto(GStrv) words = app_parse_arguments(context, argc, argv, 1, 1, &error);
  if (!words)
    return app_fail("status", APP_WRONG_USAGE, error);
  g_autoptr(Job) job = job_open(words[0], &error);
  if (!job || !collect(&status, job, options.missing && !options.check, options.check, &error))
    return app_fail("status", APP_FAILED, error);
  if (options.missing)
    print_missing(&status);
  else if (options.json)
    print_json(&status, job);
  else
    print_status(&status, job);
  /* fails if the output is incomplete, because chunks missing in the list would look made */
  return app_end_output("status", APP_DONE);
}
