/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Several input files, named as files, folders, patterns or a list, and the names of their outputs.
 */

#include <glib.h>

G_BEGIN_DECLS

/* Returns the files that `names` stand for, in order. A name is one of
 * - a file;
 * - a folder, which stands for its videos and images; a line on stderr lists its other files;
 * - a pattern with *, ? or [;
 * - numbered images such as in/%04d.png.
 * `list` is a file with one such name per line, "-" for standard input, or NULL. With `names_stay`
 * files of a folder are left out if no output has their ending. NULL with an error if a name stands
 * for no file. */
GPtrArray *sources_find(const gchar *const *names, const gchar *list, gboolean names_stay,
                        GError **error);

/* TRUE if OUT is a folder, in which files keep their names. */
gboolean sources_name_stays(const gchar *out);

/* Returns the output name of an input file; free it. In `out`, {} stands for the file's name
 * without its ending. Or `out` is a folder, in which the file keeps its name. NULL if `out` names
 * one file. */
gchar *sources_name_output(const gchar *in, const gchar *out);

/* Returns the output names of all input files. `out` may name a file if there is one input. NULL
 * with an error if two outputs have the same name, an output is an input, or an ending is not
 * known. Errors begin with `option`, such as "--out ", and the name. */
GPtrArray *sources_name_outputs(const GPtrArray *in, const gchar *out, const gchar *option,
                                GError **error);

/* Creates the folders of these files. Only the last component of a path may be missing. FALSE with
 * an error if that fails, or if a folder is not writable. */
gboolean sources_make_folders(const GPtrArray *out, const gchar *option, GError **error);

G_END_DECLS
