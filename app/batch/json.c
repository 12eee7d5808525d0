/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json.h"
#include "app/convert/atomicfile.h"

#include <string.h>
#include <sys/stat.h>

#define MAX_BYTES ((gint64)1 << 30)
#define MAX_NESTED 16

/* ---- files ---- */

/* Returns NULL if JSON-GLib may parse the text, else an error message. JSON-GLib overflows the
 * stack on deeply nested objects. It also accepts comments and strings in single quotes, in which
 * this function would count brackets wrong. No file of a job contains them, so they are errors. */
static const gchar *
find_unsafe(const gchar *text) {
  guint depth = 0;
  gboolean quoted = FALSE;
  for (; *text && depth <= MAX_NESTED; text++) {
    if (quoted && *text == '\\' && text[1])
      text++;
    else if (*text == '"')
      quoted = !quoted;
    else if (!quoted && strchr("/'#", *text))
      return "it is not plain JSON";
    else if (!quoted && strchr("[{", *text))
      depth++;
    else if (!quoted && strchr("]}", *text) && depth > 0)
      depth--;
  }
  return depth > MAX_NESTED ? "it is nested too deeply" : NULL;
}

static gboolean
read_text(const gchar *path, gchar **text, GError **error) {
  struct stat file;
  if (stat(path, &file) == 0 && (!S_ISREG(file.st_mode) || file.st_size > MAX_BYTES)) {
    g_set_error(error, JSON_FILE_ERROR, 0, "%s: this is not a file of a job", path);
    return FALSE;
  }
  return g_file_get_contents(path, text, NULL, error);
}

JsonObject *
json_file_read(const gchar *path, GError **error) {
  g_autofree gchar *text = NULL;
  g_autoptr(JsonParser) parser = json_parser_new_immutable();
  g_autoptr(GError) why = NULL;
  if (!read_text(path, &text, error))
    return NULL;
  const gchar *unsafe = find_unsafe(text);
  if (unsafe || !json_parser_load_from_data(parser, text, -1, &why)) {
    g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (%s)", path,
                unsafe ? unsafe : why->message);
    return NULL;
  }
  JsonNode *root = json_parser_get_root(parser);
  if (!root || !JSON_NODE_HOLDS_OBJECT(root)) {
    g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (it has no object)", path);
    return NULL;
  }
  return json_node_dup_object(root);
}

static gchar *
to_text(JsonObject *object, gboolean is_pretty, gsize *length) {
  g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
  g_autoptr(JsonGenerator) generator = json_generator_new();
  json_node_set_object(root, object);
  json_generator_set_root(generator, root);
  json_generator_set_pretty(generator, is_pretty);
  json_generator_set_indent(generator, 1);
  return json_generator_to_data(generator, length);
}

static gchar *
hash_object(JsonObject *object) {
  gsize length;
  g_autofree gchar *text = to_text(object, FALSE, &length);
  return g_compute_checksum_for_string(G_CHECKSUM_MD5, text, (gssize)length);
}

gchar *
json_seal(JsonObject *object, const gchar *member) {
  gchar *hash = hash_object(object);
  json_object_set_string_member(object, member, hash);
  return hash;
}

gboolean
json_file_write(const gchar *path, const gchar *pattern, JsonObject *object, GError **error) {
  gsize length;
  g_autofree gchar *text = to_text(object, TRUE, &length);
  return atomic_file_write(path, pattern, text, length, TRUE, error);
}

/* ---- members ---- */

static gboolean
refuse(const gchar *member, const gchar *path, const gchar *wanted, GError **error) {
  g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (\"%s\" is not %s)", path, member,
              wanted);
  return FALSE;
}

static void
free_elements(const JsonField *fields, GPtrArray *array) {
  for (guint i = 0; array && i < array->len; i++) {
    json_fields_clear(fields, g_ptr_array_index(array, i));
    g_free(g_ptr_array_index(array, i));
  }
  if (array)
    g_ptr_array_set_size(array, 0);
}

static gboolean
read_elements(const JsonField *field, JsonArray *from, GPtrArray *into, const gchar *path,
              GError **error) {
  for (guint i = 0; i < json_array_get_length(from); i++) {
    JsonNode *node = json_array_get_element(from, i);
    if (!JSON_NODE_HOLDS_OBJECT(node)) {
      g_set_error(error, JSON_FILE_ERROR, 0,
                  "%s: it is damaged (element %u of \"%s\" is not an object)", path, i + 1,
                  field->name);
      return FALSE;
    }
    gpointer element = g_malloc0(field->size);
    g_ptr_array_add(into, element);
    if (!json_fields_read(field->fields, json_node_get_object(node), element, path, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
json_fields_read(const JsonField *fields, JsonObject *object, gpointer into, const gchar *path,
                 GError **error) {
  static const gchar *const wanted[] = {[JSON_TEXT] = "a text",
                                        [JSON_UINT] = "a whole number from 0 to 2147483647",
                                        [JSON_COUNT] = "a whole number of 0 or more",
                                        [JSON_TIME] = "a whole number of 0 or more",
                                        [JSON_DOUBLE] = "a number",
                                        [JSON_FLAG] = "true or false",
                                        [JSON_STRUCT] = "an object",
                                        [JSON_STRUCTS] = "an array"};
  for (const JsonField *field = fields; field->name; field++) {
    gpointer at = (guint8 *)into + field->offset;
    JsonNode *node = object ? json_object_get_member(object, field->name) : NULL;
    const GType type = node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_value_type(node) : 0;
    const gint64 whole = type == G_TYPE_INT64 ? json_node_get_int(node) : -1;
    gboolean ok = FALSE;
    if (field->type == JSON_TIME)
      *(guint64 *)at = G_MAXUINT64;
    if (!node && field->is_required) {
      g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (\"%s\" is missing)", path,
                  field->name);
      return FALSE;
    }
    switch (field->type) {
    case JSON_TEXT:
      ok = type == G_TYPE_STRING;
      g_clear_pointer((gchar **)at, g_free);
      if (ok)
        *(gchar **)at = g_strdup(json_node_get_string(node));
      break;
    case JSON_UINT:
      ok = whole >= 0 && whole <= G_MAXINT32;
      if (ok)
        *(guint *)at = (guint)whole;
      break;
    case JSON_COUNT:
    case JSON_TIME:
      ok = whole >= 0;
      if (ok)
        *(guint64 *)at = (guint64)whole;
      break;
    case JSON_DOUBLE:
      ok = type == G_TYPE_DOUBLE || type == G_TYPE_INT64;
      if (ok)
        *(gdouble *)at = json_node_get_double(node);
      break;
    case JSON_FLAG:
      ok = type == G_TYPE_BOOLEAN;
      if (ok)
        *(gboolean *)at = json_node_get_boolean(node);
      break;
    case JSON_STRUCT:
      ok = node && JSON_NODE_HOLDS_OBJECT(node);
      if (!json_fields_read(field->fields, ok ? json_node_get_object(node) : NULL, at, path, error))
        return FALSE;
      break;
    case JSON_STRUCTS:
      if (!*(GPtrArray **)at)
        *(GPtrArray **)at = g_ptr_array_new();
      ok = node && JSON_NODE_HOLDS_ARRAY(node);
      if (ok && !read_elements(field, json_node_get_array(node), *(GPtrArray **)at, path, error))
        return FALSE;
      break;
    }
    if (!ok && field->is_required)
      return refuse(field->name, path, wanted[field->type], error);
  }
  return TRUE;
}

JsonObject *
json_fields_write(const JsonField *fields, gconstpointer from) {
  JsonObject *object = json_object_new();
  for (const JsonField *field = fields; field->name; field++) {
    gconstpointer at = (const guint8 *)from + field->offset;
    const gchar *name = field->name;
    switch (field->type) {
    case JSON_TEXT:
      if (*(gchar *const *)at)
        json_object_set_string_member(object, name, *(gchar *const *)at);
      break;
    case JSON_UINT:
      if (field->is_required || *(const guint *)at > 0)
        json_object_set_int_member(object, name, *(const guint *)at);
      break;
    case JSON_COUNT:
      json_object_set_int_member(object, name, (gint64) * (const guint64 *)at);
      break;
    case JSON_TIME:
      if (*(const guint64 *)at != G_MAXUINT64)
        json_object_set_int_member(object, name, (gint64) * (const guint64 *)at);
      break;
    case JSON_DOUBLE:
      json_object_set_double_member(object, name, *(const gdouble *)at);
      break;
    case JSON_FLAG:
      json_object_set_boolean_member(object, name, *(const gboolean *)at);
      break;
    case JSON_STRUCT: {
      JsonObject *member = json_fields_write(field->fields, at);
      if (json_object_get_size(member) > 0)
        json_object_set_object_member(object, name, member);
      else
        json_object_unref(member);
      break;
    }
    case JSON_STRUCTS: {
      const GPtrArray *elements = *(GPtrArray *const *)at;
      if (!field->is_required && (!elements || elements->len == 0))
        break;
      JsonArray *array = json_array_new();
      for (guint i = 0; elements && i < elements->len; i++)
        json_array_add_object_element(
            array, json_fields_write(field->fields, g_ptr_array_index(elements, i)));
      json_object_set_array_member(object, name, array);
      break;
    }
    }
  }
  return object;
}

void
json_fields_clear(const JsonField *fields, gpointer from) {
  for (const JsonField *field = fields; field->name; field++) {
    gpointer at = (guint8 *)from + field->offset;
    if (field->type == JSON_TEXT) {
      g_clear_pointer((gchar **)at, g_free);
    } else if (field->type == JSON_STRUCT) {
      json_fields_clear(field->fields, at);
    } else if (field->type == JSON_STRUCTS) {
      free_elements(field->fields, *(GPtrArray **)at);
      g_clear_pointer((GPtrArray **)at, g_ptr_array_unref);
    }
  }
}

gboolean
json_check_seal(JsonObject *object, const gchar *member, const gchar *path, gchar **hash,
                GError **error) {
  const JsonField fields[] = {{.name = member, .type = JSON_TEXT, .is_required = TRUE}, {0}};
  g_autofree gchar *stored = NULL;
  if (!json_fields_read(fields, object, &stored, path, error))
    return FALSE;
  json_object_remove_member(object, member);
  *hash = hash_object(object);
  if (!g_str_equal(*hash, stored))
    g_clear_pointer(hash, g_free);
  return TRUE;
}
