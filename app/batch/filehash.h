/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* MD5 of files: they tell damage and mistakes, not forgery. */

#include <glib.h>

G_BEGIN_DECLS

/* Of all bytes. NULL with an error when the file cannot be read. */
gchar *filehash_all(const gchar *path, GError **error);

/* Of a sample: the size, the first and the last 64 KiB, and 64 blocks of 4 KiB evenly spread over
 * what is between; of small files, all bytes. It tells a file from another one and from one that
 * was cut or made anew, in milliseconds however large it is; it may miss a change of few bytes. */
gchar *filehash_sample(const gchar *path, GError **error);

G_END_DECLS
