/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Numbers of options and coefficients, as users write them. */

#include <glib.h>

G_BEGIN_DECLS

/* Reads "2", "-0.5", "1e-3" or "1/9" from `text`, which has at most 400 bytes up to `end` and no
 * others; NULL: up to its zero. A point divides the fraction, whatever the locale is. FALSE: it is
 * something else, and *number is undefined. NaN and infinity are numbers here. */
gboolean cc_number_parse(const gchar *text, const gchar *end, gdouble *number);

/* Reads a whole number in decimal digits, with a sign in front of them or none. */
gboolean cc_integer_parse(const gchar *text, gint *number);

G_END_DECLS
