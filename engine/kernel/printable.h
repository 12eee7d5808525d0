/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Makes any bytes printable in a message: valid UTF-8 without control characters, which could break
 * the line or command a terminal. Newly allocated. */
gchar *cc_printable(const gchar *text);

/* The first `max` bytes of the printable text, with "..." appended if the printable text is longer.
 */
gchar *cc_shorten(const gchar *text, gsize max);

/* Like cc_shorten for 120 bytes, in double quotes. */
gchar *cc_quote(const gchar *text);

G_END_DECLS
