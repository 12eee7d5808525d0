/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Options as GObject and GStreamer know them: the specification of a property, and its values. */

#include <glib-object.h>
#include "engine/option.h"

G_BEGIN_DECLS

/* The specification of a property for the option, a floating reference. Unlike GObject's own, that
 * of a number lets every number through, so that the setter sees it as it was set and may refuse
 * it: GObject would set the next number in range without a word, which for NaN is the lowest. What
 * it does not change it also converts, as a text in a launch line. A choice is an enum whose type
 * is GstCudaConv and the name of the option. */
GParamSpec *cc_option_new_spec(const CcOption *self, GParamFlags flags);

/* Reads the value that was set for such a property, in time and memory that its size and depth do
 * not matter to. `value` refers to `from` and `coefficients`; its text is to be freed with g_free
 * where the option is one of COEFFICIENTS. Fails with CC_ERROR_INVALID for entries of an array that
 * are no numbers, and for too many. */
gboolean cc_option_read(const CcOption *self, const GValue *from, CcOptionValue *value,
                        CcCoefficients *coefficients, GError **error);

/* Writes a value into `to`, which has the type of the property. */
void cc_option_write(const CcOption *self, const CcOptionValue *value, GValue *to);

/* A value as a user would write it, <1, four> or "four", or the beginning of that: about 120
 * characters of valid UTF-8 on one line, whatever the value is, in time and memory that its size
 * and depth do not matter to. What is no number, text, choice or array is only named by its type.
 */
gchar *cc_value_describe(const GValue *value);

G_END_DECLS
