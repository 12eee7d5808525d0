/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Small files that are there as a whole or not at all. */

#include <glib.h>

G_BEGIN_DECLS

/* Replaces a file. With `durable` its data is on the disk before its name is. FALSE with an error
 * that names it; that is G_FILE_ERROR_NOSPC where the disk is full. */
gboolean atomic_file_write(const gchar *path, const gchar *data, gsize length, gboolean durable,
                           GError **error);

/* An identifier of a file, the same for all names that lead to it, or NULL if the file is not
 * there. Free it. */
gchar *file_identify(const gchar *path);

G_END_DECLS
