/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Suggestions for misspelled names. */

#include <glib.h>

G_BEGIN_DECLS

/* Returns the name that is most similar to `word`, or NULL if no name is similar. `names` ends with
 * NULL. Upper and lower case are the same. A table translates words of other programs, such as
 * "blur" and "radius". */
const gchar *suggest(const gchar *word, const gchar *const *names);

/* Returns the suggestion as the end of a message, "; perhaps you mean gaussian", or "" if no name
 * is similar. `names` may be NULL. Free the text. */
gchar *suggest_text(const gchar *word, gchar **names);

G_END_DECLS
