/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Input files, given as files, folders, patterns or a list, and the names of the output files. */

#include <glib.h>

G_BEGIN_DECLS

/* Returns the files that `names` and `list` stand for, in order. A name is one of
 * - a file;
 * - a folder, which stands for its videos and images;
 * - a pattern with *, ? or [;
 * - numbered images such as in/%04d.png.
 *
 * `list` is a file with one name per line, "-" for standard input, or NULL. Set `names_stay` if
 * each output file gets the name and extension of its input file. Then a folder stands only for
 * files with the extension of an output format. The other files of a folder are listed on stderr.
 * NULL with an error if a name stands for no file. */
GPtrArray *sources_find(const gchar *const *names, const gchar *list, gboolean names_stay,
                        GError **error);

/* TRUE if each output file gets the name and extension of its input file: `out` does not contain
 * {}, and is a folder or has no known extension. */
gboolean sources_name_stays(const gchar *out);

/* Returns the output name of an input file; free it. In `out`, {} stands for the name of the input
 * file without its extension. If `out` is a folder, the output keeps the name of the input file.
 * NULL if `out` names one file. */
gchar *sources_name_output(const gchar *in, const gchar *out);

/* Returns the output names of all input files. If there is one input, `out` may name a file. NULL
 * with an error if two outputs have the same name, if an output is also an input, or if an
 * extension is not known. The error begins with `option`, such as "--out ", and the name of the
 * output, unless an input was named twice. */
GPtrArray *sources_name_outputs(const GPtrArray *in, const gchar *out, const gchar *option,
                                GError **error);

/* Creates the missing folders of the output files. The parent of a missing folder must exist. FALSE
 * with an error if a folder cannot be created or is not writable. */
gboolean sources_make_folders(const GPtrArray *out, const gchar *option, GError **error);

G_END_DECLS
