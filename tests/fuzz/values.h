/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Values that applications can set a property to, valid and invalid. */

#include <gst/gst.h>
#include "bytes.h"

/* Initialises `value` from the bytes: a number of any type, a text, a list, an array, a structure,
 * caps, or one of these nested in up to hundreds of others. */
void fuzz_take_value(FuzzBytes *bytes, GValue *value);

/* Calls `set` for each line of the rest of the bytes that is not empty. After n - 1 lines, all that
 * is left is one line. */
void fuzz_set_lines(GstElement *element, FuzzBytes *bytes, guint n,
                    void (*set)(GstElement *element, const gchar *line));

/* Whether two values are equal numbers, equal texts, or arrays of such. */
gboolean fuzz_same_value(const GValue *a, const GValue *b);
