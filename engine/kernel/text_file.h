/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Reads small files that a user names. The path may lead to anything. */

#include <glib.h>

G_BEGIN_DECLS

/* A path as one line of UTF-8 for messages. A long path is shortened to "..." and its end. Newly
 * allocated. */
gchar *cc_textfile_name(const gchar *path);

/* Reads the regular file at `path`. The bytes are newly allocated, without a terminating zero.
 * Other kinds of files are not opened, so the call never blocks on them. A file whose size is 0,
 * such as those of /proc, is not opened either, and counts as empty. If the file grows during the
 * call, only its original number of bytes is read. If the file shrinks, the remaining bytes are
 * read. Returns NULL with CC_ERROR_INVALID, which names the file, if the file is not a regular
 * file, is larger than `max_bytes` or cannot be read. */
gchar *cc_textfile_read(const gchar *path, gsize max_bytes, gsize *length, GError **error);

G_END_DECLS
