/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The fuzzer's input, read from front to back. After its end all numbers are 0, so every input is
 * valid. */

#include <glib.h>

typedef struct {
  const guint8 *data;
  gsize size;
  guint32 dice; /* state of the dice of fuzz_take_number; 0: no dice */
} FuzzBytes;

/* An unsigned number of one byte, or of n_bytes (1 to 8), least significant byte first. */
guint8 fuzz_take_byte(FuzzBytes *bytes);
guint64 fuzz_take_uint(FuzzBytes *bytes, guint n_bytes);

/* A signed number of n_bytes. */
gint64 fuzz_take_int(FuzzBytes *bytes, guint n_bytes);

gdouble fuzz_take_double(FuzzBytes *bytes);

/* Up to `length` bytes as text, which ends at a byte of 0. The text need not be UTF-8. */
gchar *fuzz_take_string(FuzzBytes *bytes, gsize length);

/* A number for a field with a sensible value: the sensible value (for a byte of 0), the value
 * `far`, a number close to one of these, any number, or one at which arithmetic overflows. The
 * caller truncates the number to the type of the field. With dice, a byte of 0 gives a random
 * choice of these. One input in many then has several bad numbers at once, which mutations of
 * single bytes hardly ever produce. */
guint64 fuzz_take_number(FuzzBytes *bytes, guint64 sensible, guint64 far);
