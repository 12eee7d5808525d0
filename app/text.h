/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Texts for people, the same in all sub-commands. */

#include <glib.h>

G_BEGIN_DECLS

/* The text in one line, without control characters that could steer a terminal, and with *** in
 * place of the passwords of URIs. Free it. */
gchar *text_redact(const gchar *text);

/* A word as a shell takes it: as it is, or in quotes. Free it. */
gchar *text_quote(const gchar *word);

/* Whole seconds as 1:30 or 1:02:03. Free it. */
gchar *text_format_time(gdouble seconds);

G_END_DECLS
