/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printable.h"

#include <string.h>

#define MAX_BYTES 120 /* within quotes */

gchar *
cc_printable(const gchar *text) {
  g_autofree gchar *valid = g_utf8_make_valid(text, -1);
  GString *printable = g_string_new(NULL);
  for (const gchar *c = valid; *c; c = g_utf8_next_char(c)) {
    const gunichar character = g_utf8_get_char(c);
    g_string_append_unichar(printable, g_unichar_isprint(character) ? character : '?');
  }
  return g_string_free(printable, FALSE);
}

gchar *
cc_shorten(const gchar *text, gsize max) {
  g_autofree gchar *start = g_strndup(text, max + 1);
  g_autofree gchar *printable = cc_printable(start);
  const gboolean is_long = strlen(printable) > max;
  if (is_long)
    *g_utf8_find_prev_char(printable, printable + max + 1) = '\0';
  return g_strdup_printf("%s%s", printable, is_long ? "..." : "");
}

gchar *
cc_quote(const gchar *text) {
  g_autofree gchar *shortened = cc_shorten(text, MAX_BYTES);
  return g_strdup_printf("\"%s\"", shortened);
}
