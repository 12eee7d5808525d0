/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The name that was probably meant by one that does not exist. */

#include <glib.h>

G_BEGIN_DECLS

/* One of `names`, which end with NULL, or NULL if none is near. Upper and lower case are the same.
 * Words of other programs, such as "blur" and "radius", are known. */
const gchar *suggest(const gchar *word, const gchar *const *names);

/* The same as a text for messages, "; perhaps you mean gaussian", which is empty if none is near or
 * there are no names. Free it. */
gchar *suggest_text(const gchar *word, gchar **names);

G_END_DECLS
