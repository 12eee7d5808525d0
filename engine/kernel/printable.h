/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Any bytes as text for a message: valid UTF-8 without control characters, which would break the
 * line or be commands to a terminal. Newly allocated. */
gchar *cc_printable(const gchar *text);

/* The same in double quotes, and of a long text only the first 120 bytes. */
gchar *cc_quote(const gchar *text);

G_END_DECLS
