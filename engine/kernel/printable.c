/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printable.h"

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
