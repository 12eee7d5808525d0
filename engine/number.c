/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "number.h"

#include <string.h>

#define MAX_BYTES 400 /* maximum length of a number in bytes; no double needs more digits */

gboolean
cc_number_parse(const gchar *text, const gchar *end, gdouble *number) {
  gchar *next;
  const gsize length = end ? (gsize)(end - text) : strnlen(text, MAX_BYTES + 1);
  if (length > MAX_BYTES)
    return FALSE;
  *number = g_ascii_strtod(text, &next);
  if (next == text)
    return FALSE;
  if (*next == '/') {
    const gchar *divisor = next + 1;
    *number /= g_ascii_strtod(divisor, &next);
    if (next == divisor)
      return FALSE;
  }
  return next == text + length;
}

gboolean
cc_integer_parse(const gchar *text, gint *number) {
  gint64 value;
  const gboolean ok = g_ascii_string_to_signed(text, 10, G_MININT, G_MAXINT, &value, NULL);
  *number = ok ? (gint)value : 0;
  return ok;
}
