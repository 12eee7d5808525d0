/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Files of JSON, with errors that name the file and the member. */

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Errors of a file that is not what it has to be. */
#define JSON_FILE_ERROR g_quark_from_static_string("cudaconv-json")

/* The object that a file holds, or NULL. Unreference it. */
JsonObject *json_file_read(const gchar *path, GError **error);

/* Replaces the file by one with the object, which it takes; never leaves half of it. */
gboolean json_file_write(const gchar *path, JsonObject *object, GError **error);

/* The MD5 of an object as JSON without spaces. Free it. */
gchar *json_file_hash(JsonObject *object);

/* A member; `path` is named in the error when it is missing or of another type. Whole numbers are 0
 * or more. The text belongs to the object. */
gboolean json_file_get_text(JsonObject *object, const gchar *member, const gchar *path,
                            const gchar **text, GError **error);
gboolean json_file_get_number(JsonObject *object, const gchar *member, const gchar *path,
                              guint64 *number, GError **error);
gboolean json_file_get_array(JsonObject *object, const gchar *member, const gchar *path,
                             JsonArray **array, GError **error);

/* Takes the hash out of an object that json_file_hash made of all the rest. Sets `hash` (NULL
 * before) when it fits, and leaves it when it does not; FALSE with an error when there is none. */
gboolean json_file_unseal(JsonObject *object, const gchar *member, const gchar *path, gchar **hash,
                          GError **error);

/* Sets a member, where the text is not NULL. */
void json_file_set_text(JsonObject *object, const gchar *member, const gchar *text);

/* A number that may be null or missing, which G_MAXUINT64 stands for here. */
guint64 json_file_get_optional(JsonObject *object, const gchar *member);
void json_file_set_optional(JsonObject *object, const gchar *member, guint64 number);

/* A number of seconds or the like, or 0. */
gdouble json_file_get_optional_double(JsonObject *object, const gchar *member);

/* A text that may be null or missing; a copy. */
gchar *json_file_get_optional_text(JsonObject *object, const gchar *member);

G_END_DECLS
