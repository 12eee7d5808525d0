/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json.h"
#include "app/convert/atomicfile.h"

#include <string.h>
#include <sys/stat.h>

#define MOST_BYTES ((gint64)1 << 30)
#define MOST_NESTED 16

/* JSON-GLib would use up the stack on objects in each other. It reads comments and texts in single
 * quotes as well, in which a quotation mark begins nothing, and which no file of a job has. */
static const gchar *
find_trap(const gchar *text) {
  guint depth = 0;
  gboolean quoted = FALSE;
  for (; *text && depth <= MOST_NESTED; text++) {
    if (quoted && *text == '\\' && text[1])
      text++;
    else if (*text == '"')
      quoted = !quoted;
    else if (!quoted && strchr("/'#", *text))
      return "there is more than JSON in it";
    else if (!quoted && strchr("[{", *text))
      depth++;
    else if (!quoted && strchr("]}", *text) && depth > 0)
      depth--;
  }
  return depth > MOST_NESTED ? "too much is nested in it" : NULL;
}

static gboolean
read_text(const gchar *path, gchar **text, GError **error) {
  struct stat file;
  if (stat(path, &file) == 0 && (!S_ISREG(file.st_mode) || file.st_size > MOST_BYTES)) {
    g_set_error(error, JSON_FILE_ERROR, 0, "%s: this is no file of a job", path);
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
  const gchar *trap = find_trap(text);
  if (trap || !json_parser_load_from_data(parser, text, -1, &why)) {
    g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (%s)", path,
                trap ? trap : why->message);
    return NULL;
  }
  JsonNode *root = json_parser_get_root(parser);
  if (!root || !JSON_NODE_HOLDS_OBJECT(root)) {
    g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (there is no object in it)", path);
    return NULL;
  }
  return json_node_dup_object(root);
}

gboolean
json_file_write(const gchar *path, JsonObject *object, GError **error) {
  g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
  g_autoptr(JsonGenerator) generator = json_generator_new();
  json_node_take_object(root, object);
  json_generator_set_root(generator, root);
  json_generator_set_pretty(generator, TRUE);
  json_generator_set_indent(generator, 1);
  gsize length;
  g_autofree gchar *text = json_generator_to_data(generator, &length);
  return atomic_file_write(path, text, length, TRUE, error);
}

gchar *
json_file_hash(JsonObject *object) {
  g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
  g_autoptr(JsonGenerator) generator = json_generator_new();
  json_node_set_object(root, object);
  json_generator_set_root(generator, root);
  g_autofree gchar *text = json_generator_to_data(generator, NULL);
  return g_compute_checksum_for_string(G_CHECKSUM_MD5, text, -1);
}

void
json_file_set_text(JsonObject *object, const gchar *member, const gchar *text) {
  if (text)
    json_object_set_string_member(object, member, text);
}

static JsonNode *
get_member(JsonObject *object, const gchar *member, const gchar *path, GError **error) {
  JsonNode *node = json_object_get_member(object, member);
  if (!node)
    g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (\"%s\" is missing)", path, member);
  return node;
}

static gboolean
refuse(const gchar *member, const gchar *path, const gchar *wanted, GError **error) {
  g_set_error(error, JSON_FILE_ERROR, 0, "%s: it is damaged (\"%s\" is not %s)", path, member,
              wanted);
  return FALSE;
}

static gboolean
holds(JsonNode *node, GType type) {
  return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == type;
}

gboolean
json_file_get_text(JsonObject *object, const gchar *member, const gchar *path, const gchar **text,
                   GError **error) {
  JsonNode *node = get_member(object, member, path, error);
  if (!node)
    return FALSE;
  if (!holds(node, G_TYPE_STRING))
    return refuse(member, path, "a text", error);
  *text = json_node_get_string(node);
  return TRUE;
}

gboolean
json_file_get_number(JsonObject *object, const gchar *member, const gchar *path, guint64 *number,
                     GError **error) {
  JsonNode *node = get_member(object, member, path, error);
  if (!node)
    return FALSE;
  if (!holds(node, G_TYPE_INT64) || json_node_get_int(node) < 0)
    return refuse(member, path, "a whole number of 0 or more", error);
  *number = (guint64)json_node_get_int(node);
  return TRUE;
}

gboolean
json_file_get_array(JsonObject *object, const gchar *member, const gchar *path, JsonArray **array,
                    GError **error) {
  JsonNode *node = get_member(object, member, path, error);
  if (!node)
    return FALSE;
  if (!JSON_NODE_HOLDS_ARRAY(node))
    return refuse(member, path, "an array", error);
  *array = json_node_get_array(node);
  return TRUE;
}

guint64
json_file_get_optional(JsonObject *object, const gchar *member) {
  JsonNode *node = json_object_get_member(object, member);
  return holds(node, G_TYPE_INT64) && json_node_get_int(node) >= 0
             ? (guint64)json_node_get_int(node)
             : G_MAXUINT64;
}

void
json_file_set_optional(JsonObject *object, const gchar *member, guint64 number) {
  if (number == G_MAXUINT64)
    json_object_set_null_member(object, member);
  else
    json_object_set_int_member(object, member, (gint64)number);
}

gboolean
json_file_unseal(JsonObject *object, const gchar *member, const gchar *path, gchar **hash,
                 GError **error) {
  const gchar *said;
  if (!json_file_get_text(object, member, path, &said, error))
    return FALSE;
  g_autofree gchar *kept = g_strdup(said);
  json_object_remove_member(object, member);
  g_autofree gchar *found = json_file_hash(object);
  if (g_str_equal(found, kept))
    *hash = g_steal_pointer(&found);
  return TRUE;
}

gchar *
json_file_get_optional_text(JsonObject *object, const gchar *member) {
  JsonNode *node = json_object_get_member(object, member);
  return holds(node, G_TYPE_STRING) ? g_strdup(json_node_get_string(node)) : NULL;
}

gdouble
json_file_get_optional_double(JsonObject *object, const gchar *member) {
  JsonNode *node = json_object_get_member(object, member);
  return holds(node, G_TYPE_DOUBLE) || holds(node, G_TYPE_INT64) ? json_node_get_double(node) : 0;
}
