/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Options as GObject properties: their specifications and values. */

#include <glib-object.h>
#include "engine/option.h"

G_BEGIN_DECLS

/* The specification of a property for the option, a floating reference. Unlike GObject's
 * specifications, the specification of a number accepts every number. The setter thus sees the
 * original value and may refuse it. With its own specifications GObject would print a warning for
 * NaN and for a number out of range, and would not call the setter. The type of a choice is an
 * enum. Its name is "GstCudaConv" followed by the name of the option with a capital letter, for
 * example GstCudaConvBorder. */
GParamSpec *cc_option_new_spec(const CcOption *self, GParamFlags flags);

/* Reads the value that was set for an option's property. Time and memory are bounded for any size
 * and depth of the value. `value` points into `from` and `coefficients`, which must outlive it. If
 * the option has the type COEFFICIENTS, the caller frees value->text with g_free. CC_ERROR_INVALID
 * if an array has too many entries, or entries that are not numbers. */
gboolean cc_option_read(const CcOption *self, const GValue *from, CcOptionValue *value,
                        CcCoefficients *coefficients, GError **error);

/* Writes a value into `to`, which has the type of the property. */
void cc_option_write(const CcOption *self, const CcOptionValue *value, GValue *to);

/* Describes a value as a user would write it, for example <1, four> or "four". The text is one line
 * of valid UTF-8. It is cut after about 120 bytes. Time and memory are bounded for any value.
 * A value other than a number, text, choice or array is described by its type only. */
gchar *cc_value_describe(const GValue *value);

G_END_DECLS
