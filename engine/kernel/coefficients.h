/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The coefficients of a custom kernel as a list or rows of numbers, before a kernel is made from
 * them. All functions report CC_ERROR_INVALID and name the wrong entry. */

#include "kernel.h"

G_BEGIN_DECLS

#define CC_MAX_MATRIX_TEXT 16384 /* bytes */

typedef struct {
  guint n; /* coefficients in all rows */
  gdouble value[CC_MAX_COEFFS];
  guint n_rows;             /* 0: a flat list */
  guint row[CC_MAX_COEFFS]; /* length of each row */
} CcCoefficients;

/* Appends a number to the flat list or to the open row. */
gboolean cc_coefficients_append(CcCoefficients *self, gdouble number, GError **error);

/* Ends the open row, which must not be empty and must have the length of the other rows. */
gboolean cc_coefficients_end_row(CcCoefficients *self, GError **error);

/* Reads up to CC_MAX_MATRIX_TEXT bytes of numbers and fractions that are separated by white space.
 * The result is rows that end with `;` or a new line, or a flat list. A text with new lines but
 * without `;` is a flat list if the number of coefficients is a square. */
gboolean cc_coefficients_parse(CcCoefficients *self, const gchar *text, GError **error);

/* Sets the error for a value that is not a number. `value` is the user's text, and `hint` is
 * appended to the message. */
void cc_coefficients_refuse(const CcCoefficients *self, const gchar *value, const gchar *hint,
                            GError **error);

/* Sets the error for a row or column whose length `n` is not valid. Returns FALSE. */
gboolean cc_coefficients_refuse_length(const gchar *name, guint n, GError **error);

/* Makes a kernel from rows, or from a flat list whose length is the square of an odd number. */
CcKernel *cc_coefficients_make_kernel(const CcCoefficients *self, GError **error);

G_END_DECLS
