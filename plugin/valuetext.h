/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Property values as text for messages. */

#include <glib-object.h>

G_BEGIN_DECLS

/* A value as a user would write it, <1, four> or "four", or the beginning of that: about 120
 * characters of valid UTF-8 on one line, whatever the value is, in time and memory that its size
 * and depth do not matter to. What is no number, text, choice or array is only named by its type.
 */
gchar *cc_value_describe(const GValue *value);

G_END_DECLS
