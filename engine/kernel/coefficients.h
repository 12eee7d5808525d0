/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The coefficients of a custom kernel as a list or rows of numbers, before a kernel is made from
 * them. All errors are CC_ERROR_INVALID. An error about one coefficient or row has its number. */

#include "kernel.h"

G_BEGIN_DECLS

#define CC_MAX_MATRIX_TEXT 16384 /* bytes */

typedef struct {
  guint n; /* coefficients in all rows */
  gdouble value[CC_MAX_COEFFS];
  guint n_rows;             /* 0: a flat list */
  guint row[CC_MAX_COEFFS]; /* length of each row */
} CcCoefficients;

/* Appends a number to the flat list, or to the open row: the row that has not been ended yet. */
gboolean cc_coefficients_append(CcCoefficients *self, gdouble number, GError **error);

/* Ends the open row, which must not be empty. Reports an error if its length differs from the
 * length of the other rows. */
gboolean cc_coefficients_end_row(CcCoefficients *self, GError **error);

/* Reads numbers and fractions that are separated by white space, from a text of at most
 * CC_MAX_MATRIX_TEXT bytes. A row ends at `;`, at a new line or at the end of the text. A text
 * without `;` is a flat list if it has at most one row or if the number of its coefficients is a
 * square. */
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
