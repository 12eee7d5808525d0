/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Suggestions for misspelled names. */

#include <glib.h>

G_BEGIN_DECLS

/* Returns the name that is nearest to `word`, or NULL if none is near. `names` ends with NULL.
 * Upper and lower case are the same. Words of other programs, such as "blur" and "radius", are
 * known. */
const gchar *suggest(const gchar *word, const gchar *const *names);

/* Returns the suggestion as the end of a message, "; perhaps you mean gaussian", or "" if no name
 * is near. `names` may be NULL. Free it. */
gchar *suggest_text(const gchar *word, gchar **names);

G_END_DECLS
