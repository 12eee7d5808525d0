/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Formatting of text for output. */

#include <glib.h>

G_BEGIN_DECLS

/* Returns the text as one line, without control characters, which could control the terminal. ***
 * replaces the passwords of URIs. Free it. */
gchar *text_redact(const gchar *text);

/* Returns a word for a shell, in quotes if it needs them. Free it. */
gchar *text_quote(const gchar *word);

/* Returns the time, rounded to seconds, as 1:30 or 1:02:03. Free it. */
gchar *text_format_time(gdouble seconds);

G_END_DECLS
