/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Small files that a user names, whatever is found under that name. */

#include <glib.h>

G_BEGIN_DECLS

/* A path as UTF-8 on one line for messages: of a long one the end, after "...". Newly allocated. */
gchar *cc_textfile_name(const gchar *path);

/* The bytes of the regular file at `path`, without a zero after them; newly allocated. Nothing else
 * is opened, and nothing is waited for. A file that says it is empty, as those of /proc do, is not
 * opened either. Of a file that grows meanwhile the first bytes are read, of one that shrinks what
 * is left. NULL with CC_ERROR_INVALID, which names the file, where that is no regular file, has
 * more than `max_bytes` or cannot be read. */
gchar *cc_textfile_read(const gchar *path, gsize max_bytes, gsize *length, GError **error);

G_END_DECLS
