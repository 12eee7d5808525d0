/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Options as GObject properties: their specifications and values. */

#include <glib-object.h>
#include "engine/option.h"

G_BEGIN_DECLS

/* The specification of a property for the option, a floating reference. Unlike GObject's own, the
 * specification of a number accepts every number, so that the setter sees the original value and
 * may refuse it. GObject would silently set the nearest number in range, which for NaN is the
 * lowest. Because validation changes nothing, GObject also converts such values, for example from
 * text in a launch line. The type of a choice is an enum named GstCudaConv and the name of the
 * option. */
GParamSpec *cc_option_new_spec(const CcOption *self, GParamFlags flags);

/* Reads the value that was set for such a property, in bounded time and memory, whatever its size
 * and depth. `value` refers to `from` and `coefficients`. For COEFFICIENTS the caller frees its
 * text with g_free. CC_ERROR_INVALID if entries of an array are not numbers, or too many. */
gboolean cc_option_read(const CcOption *self, const GValue *from, CcOptionValue *value,
                        CcCoefficients *coefficients, GError **error);

/* Writes a value into `to`, which has the type of the property. */
void cc_option_write(const CcOption *self, const CcOptionValue *value, GValue *to);

/* Describes a value as a user would write it, <1, four> or "four", or its beginning: about 120
 * characters of valid UTF-8 on one line, in bounded time and memory, whatever the value is. A value
 * other than a number, text, choice or array is described by its type only. */
gchar *cc_value_describe(const GValue *value);

G_END_DECLS
