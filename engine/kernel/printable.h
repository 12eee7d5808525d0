/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Any bytes as text for a message: valid UTF-8 without control characters, which would break the
 * line or be commands to a terminal. Newly allocated. */
gchar *cc_printable(const gchar *text);

/* The same of the first `most` bytes, with "..." behind them if there are more. */
gchar *cc_shorten(const gchar *text, gsize max);

/* The same of the first 120 bytes, in double quotes. */
gchar *cc_quote(const gchar *text);

G_END_DECLS
