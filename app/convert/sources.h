/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Many files, from what a user names: files, folders, patterns, a list; and the names of what they
 * become. */

#include <glib.h>

G_BEGIN_DECLS

/* The names of all files that `names` stand for, in order: a file; a folder, of which the videos
 * and images in it are taken, and a line on stderr lists the others; a pattern with * or ?;
 * numbered images such as in/%04d.png. `list` is a file with such a name on each line, or NULL; "-"
 * is the standard input. With `names_stay` files of a folder are left out whose ending nothing
 * writes. NULL with an error when one of them has no file. */
GPtrArray *sources_find(const gchar *const *names, const gchar *list, gboolean names_stay,
                        GError **error);

/* Whether OUT is a folder, in which files keep their names. */
gboolean sources_name_stays(const gchar *out);

/* The name of what is made of a file: `out` is a name with {} in the place of the file's name
 * without its ending, or a folder, in which names stay. NULL when `out` is the name of one file.
 * Free it. */
gchar *sources_name_output(const gchar *in, const gchar *out);

/* The names of what is made of all files; `out` may be the name of a file when there is one. NULL
 * with an error when a name comes twice, is that of a file that is read, or has an ending that is
 * not known. Errors begin with `option`, such as "--out ", and the name. */
GPtrArray *sources_name_outputs(const GPtrArray *in, const gchar *out, const gchar *option,
                                GError **error);

/* Makes the folders of these names where only the last one is missing. FALSE when that fails, or
 * nothing can be written into one. */
gboolean sources_make_folders(const GPtrArray *out, const gchar *option, GError **error);

G_END_DECLS
