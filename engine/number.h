/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Parsers for numbers in options and coefficients. */

#include <glib.h>

G_BEGIN_DECLS

/* Reads "2", "-0.5", "1e-3" or "1/9". The text ends at `end`, or at the terminating zero if `end`
 * is NULL. The whole text must be one number of at most 400 bytes. The decimal separator is a point
 * in every locale. Returns FALSE if the text is not a number; *number is then undefined. NaN and
 * infinity are accepted. */
gboolean cc_number_parse(const gchar *text, const gchar *end, gdouble *number);

/* Reads a whole number in decimal digits, with an optional sign. */
gboolean cc_integer_parse(const gchar *text, gint *number);

G_END_DECLS
