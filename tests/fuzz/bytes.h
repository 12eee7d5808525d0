/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a fuzzer hands out, taken from front to back. Where nothing is left all numbers are 0, so
 * that every input means something. */

#include <glib.h>

typedef struct {
  const guint8 *data;
  gsize size;
  guint32 dice; /* see fuzz_take_number; 0: none are thrown */
} FuzzBytes;

/* An unsigned number of one byte, and of n_bytes (1 to 8), least significant first. */
guint8 fuzz_take_byte(FuzzBytes *bytes);
guint64 fuzz_take_uint(FuzzBytes *bytes, guint n_bytes);

/* The same as signed numbers. */
gint64 fuzz_take_int(FuzzBytes *bytes, guint n_bytes);

gdouble fuzz_take_double(FuzzBytes *bytes);

/* Up to `length` bytes as text, which ends at a 0 in them and need not be UTF-8. */
gchar *fuzz_take_string(FuzzBytes *bytes, gsize length);

/* A number for a field that has a sensible value: that one (from a byte of 0), the value `far`, one
 * close to these, any other, or one at which arithmetic overflows. The caller cuts it to the
 * field's size. Where there are dice they decide what a byte of 0 is, so that one input in many has
 * several bad numbers at once, which mutations of single bytes hardly ever come to. */
guint64 fuzz_take_number(FuzzBytes *bytes, guint64 sensible, guint64 far);
