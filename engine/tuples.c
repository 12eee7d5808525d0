/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tuples.h"

#include <string.h>
#include "error.h"
#include "kernel/printable.h"
#include "number.h"

#define BLANKS " \t\r,<"
#define ENDS ";\n>"

gboolean
cc_tuples_refuse(guint size, const gchar *what, GError **error) {
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s: each %s, whole numbers from 0 up", what,
              size == 2 ? "position needs <x, y>" : "region needs <x, y, width, height>");
  return FALSE;
}

gboolean
cc_tuples_refuse_length(guint size, guint n, GError **error) {
  g_autofree gchar *what = g_strdup_printf("%u number%s", n, n == 1 ? "" : "s");
  return cc_tuples_refuse(size, what, error);
}

gboolean
cc_tuples_append(CcTuples *self, guint size, guint i, gint number, GError **error) {
  if (number < 0) {
    g_autofree gchar *what = g_strdup_printf("%d", number);
    return cc_tuples_refuse(size, what, error);
  }
  if (i == 0 && self->n == CC_MAX_TUPLES) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "at most %d %s are possible", CC_MAX_TUPLES,
                size == 2 ? "positions" : "regions");
    return FALSE;
  }
  if (i == 0)
    self->n++;
  self->number[self->n - 1][i] = number;
  return TRUE;
}

gboolean
cc_tuples_parse(CcTuples *self, guint size, const gchar *text, GError **error) {
  guint n = 0; /* numbers of the open tuple, which may be too many */
  *self = (CcTuples){0};
  for (;;) {
    text += strspn(text, BLANKS);
    const gsize length = strcspn(text, BLANKS ENDS);
    if (length > 0) {
      g_autofree gchar *word = g_strndup(text, length);
      gint number;
      if (!cc_integer_parse(word, &number)) {
        g_autofree gchar *quoted = cc_quote(word);
        return cc_tuples_refuse(size, quoted, error);
      }
      if (n < size && !cc_tuples_append(self, size, n, number, error))
        return FALSE;
      n++;
      text += length;
      continue;
    }
    if (n > 0 && n != size)
      return cc_tuples_refuse_length(size, n, error);
    n = 0;
    if (*text++ == '\0')
      return TRUE;
  }
}

gchar *
cc_tuples_to_text(const CcTuples *self, guint size) {
  GString *text = g_string_new(self->n == 1 ? "" : "<");
  for (guint t = 0; t < self->n; t++) {
    g_string_append(text, t > 0 ? ", <" : "<");
    for (guint i = 0; i < size; i++)
      g_string_append_printf(text, "%s%d", i > 0 ? ", " : "", self->number[t][i]);
    g_string_append_c(text, '>');
  }
  return g_string_free(g_string_append(text, self->n == 1 ? "" : ">"), FALSE);
}
