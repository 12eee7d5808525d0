/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "redact.h"

/* "://USER:" and what comes before the "@"; a passphrase, as URIs of SRT have one. */
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
redact_text(const gchar *text) {
  g_autofree gchar *without = replace(text, PASSWORD, "\\1***@");
  gchar *shown = replace(without, PASSPHRASE, "\\1***");
  for (gchar *at = shown; *at; at++) {
    if (g_ascii_iscntrl(*at))
      *at = *at == '\n' ? ' ' : '?';
  }
  return shown;
}
