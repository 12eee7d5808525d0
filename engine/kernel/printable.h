/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Makes any bytes printable in a message: as valid UTF-8 without control characters. Control
 * characters could break the line, or give commands to a terminal. Newly allocated. */
gchar *cc_printable(const gchar *text);

/* The first characters of the printable text, at most `max` bytes, with "..." appended if the text
 * is longer. */
gchar *cc_shorten(const gchar *text, gsize max);

/* Like cc_shorten for 120 bytes, in double quotes. */
gchar *cc_quote(const gchar *text);

G_END_DECLS
