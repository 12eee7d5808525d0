/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* JSON files of a job. A table of fields for each struct describes the conversion between the
 * struct and a JSON object. Errors name the file and the member. */

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* The error domain for damaged or wrong files. */
#define JSON_FILE_ERROR g_quark_from_static_string("cudaconv-json")

typedef enum {
  JSON_TEXT,    /* gchar *; not written if NULL */
  JSON_UINT,    /* guint, up to 2^31 - 1; not written if 0, unless it is required */
  JSON_COUNT,   /* guint64, 0 or more */
  JSON_TIME,    /* GstClockTime; not written if GST_CLOCK_TIME_NONE */
  JSON_DOUBLE,  /* gdouble */
  JSON_FLAG,    /* gboolean */
  JSON_STRUCT,  /* a nested struct; not written if it has no members to write */
  JSON_STRUCTS, /* GPtrArray * of structs; not written if empty, unless it is required */
} JsonType;

typedef struct _JsonField JsonField;
struct _JsonField {
  const gchar *name; /* name of the JSON member; NULL ends the table */
  JsonType type;
  gsize offset;
  gboolean is_required;    /* FALSE: a member that is missing or has another type is ignored */
  const JsonField *fields; /* table of the nested struct or of an array element */
  gsize size;              /* size of an array element; only for JSON_STRUCTS */
};

/* Rows of a table. */
#define JSON_FIELD(name_, type_, struct_, member_, is_required_)                                   \
  {                                                                                                \
    .name = name_, .type = type_, .offset = G_STRUCT_OFFSET(struct_, member_),                     \
    .is_required = is_required_                                                                    \
  }
#define JSON_REQUIRED(name_, type_, struct_, member_)                                              \
  JSON_FIELD(name_, type_, struct_, member_, TRUE)
#define JSON_OPTIONAL(name_, type_, struct_, member_)                                              \
  JSON_FIELD(name_, type_, struct_, member_, FALSE)
#define JSON_OBJECT_FIELD(name_, struct_, member_, fields_)                                        \
  {                                                                                                \
    .name = name_, .type = JSON_STRUCT, .offset = G_STRUCT_OFFSET(struct_, member_),               \
    .fields = fields_                                                                              \
  }
#define JSON_ARRAY_FIELD(name_, struct_, member_, fields_, element_, is_required_)                 \
  {                                                                                                \
    .name = name_, .type = JSON_STRUCTS, .offset = G_STRUCT_OFFSET(struct_, member_),              \
    .is_required = is_required_, .fields = fields_, .size = sizeof(element_)                       \
  }

/* Reads an object into a struct, which has to be zeroed before the first read. `object` may be
 * NULL, which means an object without members. Returns FALSE with an error. The caller has to clear
 * the struct even after an error. */
gboolean json_fields_read(const JsonField *fields, JsonObject *object, gpointer into,
                          const gchar *path, GError **error);

/* Returns a new object with the members in the order of the table. */
JsonObject *json_fields_write(const JsonField *fields, gconstpointer from);

/* Frees all texts and arrays of a struct. */
void json_fields_clear(const JsonField *fields, gpointer from);

/* Returns the object in a file, or NULL with an error. Unreference it. */
JsonObject *json_file_read(const gchar *path, GError **error);

/* Writes the object into the file, through a temporary file (atomic_file_write). */
gboolean json_file_write(const gchar *path, const gchar *pattern, JsonObject *object,
                         GError **error);

/* Adds a member with a hash of all other members, and returns the hash. Free it. */
gchar *json_seal(JsonObject *object, const gchar *member);

/* Removes the member that json_seal added. Sets `hash` to the member's value if it is the hash of
 * the other members, else to NULL. Returns FALSE with an error if there is no such member. */
gboolean json_check_seal(JsonObject *object, const gchar *member, const gchar *path, gchar **hash,
                         GError **error);

G_END_DECLS
