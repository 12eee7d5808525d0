/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Values as applications can hand them to a property, well and ill formed. */

#include <gst/gst.h>
#include "bytes.h"

/* Initialises `value` with whatever the bytes say: a number of any type, a text, a list, an array,
 * a structure, caps, or one of them in a thousand others. */
void fuzz_take_value(FuzzBytes *bytes, GValue *value);

/* Whether two values are the same number, the same text or arrays of the same. */
gboolean fuzz_same_value(const GValue *a, const GValue *b);
