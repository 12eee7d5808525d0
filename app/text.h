/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Formatting of text for output. */

#include <glib.h>

G_BEGIN_DECLS

/* Returns the text as one line, without control characters, because they could control the
 * terminal. Replaces the passwords in URIs by "***". Free the text. */
gchar *text_redact(const gchar *text);

/* Returns the word for use in a shell, in quotes if a shell would change it otherwise. Free it. */
gchar *text_quote(const gchar *word);

/* Returns the time, rounded to seconds, as 1:30 or 1:02:03. Free it. */
gchar *text_format_time(gdouble seconds);

G_END_DECLS
