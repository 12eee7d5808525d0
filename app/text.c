/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "text.h"

#include <string.h>

/* Patterns of the password in "://USER:PASSWORD@", and of the query parameters `password` and
 * `passphrase`. SRT URIs have a passphrase. */
#define PASSWORD "(://[^/?#\\s:@]*:)[^/?#\\s]*@"
#define PASSPHRASE "([?&]pass(?:word|phrase)=)[^&#\\s]*"

static gchar *
replace(const gchar *text, const gchar *pattern, const gchar *replacement) {
  g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_CASELESS | G_REGEX_RAW, 0, NULL);
  gchar *replaced = g_regex_replace(regex, text, -1, 0, replacement, 0, NULL);
  if (!replaced)
    replaced = g_strdup(text);
  return replaced;
}

gchar *
text_redact(const gchar *text) {
  g_autofree gchar *without = replace(text, PASSWORD, "\\1***@");
  gchar *redacted = replace(without, PASSPHRASE, "\\1***");
  for (gchar *at = redacted; *at; at++) {
    if (g_ascii_iscntrl(*at))
      *at = *at == '\n' ? ' ' : '?';
  }
  return redacted;
}

gchar *
text_quote(const gchar *word) {
  static const gchar plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:+,=@%";
  return *word && strspn(word, plain) == strlen(word) ? g_strdup(word) : g_shell_quote(word);
}

gchar *
text_format_time(gdouble seconds) {
  guint64 whole = (guint64)(seconds + 0.5);
  if (whole >= 3600)
    return g_strdup_printf("%" G_GUINT64_FORMAT ":%02u:%02u", whole / 3600,
                           (guint)(whole / 60 % 60), (guint)(whole % 60));
  return g_strdup_printf("%u:%02u", (guint)(whole / 60), (guint)(whole % 60));
}
