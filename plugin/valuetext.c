/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "valuetext.h"

#include <gst/gst.h>
#include "engine/kernel/printable.h"

#define MAX_BYTES 120
#define MAX_DEPTH 4 /* of arrays in arrays; a matrix has 2 */

static gboolean
is_full(const GString *text) {
  return text->len > MAX_BYTES;
}

static void
append_string(GString *text, const gchar *string) {
  g_autofree gchar *start = g_strndup(string, MAX_BYTES + 1);
  g_autofree gchar *printable = cc_printable(start);
  g_string_append(text, printable);
}

static gboolean
is_short(const GValue *value) {
  return G_VALUE_HOLDS_INT(value) || G_VALUE_HOLDS_UINT(value) || G_VALUE_HOLDS_INT64(value) ||
         G_VALUE_HOLDS_UINT64(value) || G_VALUE_HOLDS_FLOAT(value) || G_VALUE_HOLDS_DOUBLE(value) ||
         G_VALUE_HOLDS_BOOLEAN(value) || G_VALUE_HOLDS_ENUM(value) ||
         GST_VALUE_HOLDS_FRACTION(value);
}

static void
append_value(GString *text, const GValue *value, guint depth) {
  if (is_short(value)) {
    g_autofree gchar *one = gst_value_serialize(value);
    g_string_append(text, one ? one : "?");
  } else if (G_VALUE_HOLDS_STRING(value)) {
    append_string(text, g_value_get_string(value) ? g_value_get_string(value) : "");
  } else if (!GST_VALUE_HOLDS_ARRAY(value)) {
    g_string_append_printf(text, "(%s)", G_VALUE_TYPE_NAME(value));
  } else if (depth == MAX_DEPTH) {
    g_string_append(text, "<...>");
  } else {
    g_string_append_c(text, '<');
    for (guint i = 0; i < gst_value_array_get_size(value) && !is_full(text); i++) {
      g_string_append(text, i > 0 ? ", " : "");
      append_value(text, gst_value_array_get_value(value, i), depth + 1);
    }
    g_string_append_c(text, '>');
  }
}

gchar *
cc_value_describe(const GValue *value) {
  const gchar *quote = G_VALUE_HOLDS_STRING(value) ? "\"" : "";
  g_autoptr(GString) text = g_string_new(NULL);
  append_value(text, value, 0);
  if (is_full(text)) {
    const gchar *end = g_utf8_find_prev_char(text->str, text->str + MAX_BYTES + 1);
    g_string_truncate(text, (gsize)(end - text->str));
    g_string_append(text, "...");
  }
  g_string_prepend(text, quote);
  g_string_append(text, quote);
  return g_string_free(g_steal_pointer(&text), FALSE);
}
