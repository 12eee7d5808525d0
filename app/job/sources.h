/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The files of a job, from what a user names: files, folders, patterns, a list. */

#include <glib.h>

G_BEGIN_DECLS

/* The full paths of all files that `names` stand for, in order: a file; a folder, of which the
 * films and pictures in it are taken; a pattern with * or ?; numbered pictures such as in/%04d.png.
 * `list` is a file with such a name on each line, or NULL; "-" is the standard input. NULL with an
 * error when one of them has no file. */
GPtrArray *sources_find(const gchar *const *names, const gchar *list, GError **error);

/* The name of what is made of a file: `out` is the name of a file, one with {} in the place of the
 * name without its ending, or a folder, in which names stay. NULL with an error when `out` is for
 * one file and `many` is set. */
gchar *sources_name_output(const gchar *in, const gchar *out, gboolean many, GError **error);

G_END_DECLS
