/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The coefficients of a custom kernel as a list or rows of numbers, before they are a kernel. All
 * functions refuse with CC_ERROR_INVALID and say which entry is wrong. */

#include "kernel.h"

G_BEGIN_DECLS

#define CC_MAX_MATRIX_TEXT 16384 /* bytes */

typedef struct {
  guint n; /* of all rows */
  gdouble value[CC_MAX_COEFFS];
  guint n_rows; /* 0: a flat list */
  guint row[CC_MAX_COEFFS];
} CcCoefficients;

/* Adds a number to the list or to the row that is not ended. */
gboolean cc_coefficients_append(CcCoefficients *self, gdouble number, GError **error);

/* Ends a row, which must not be empty and has the same length as the others. */
gboolean cc_coefficients_end_row(CcCoefficients *self, GError **error);

/* Reads numbers and fractions with white space between them, up to CC_MAX_MATRIX_TEXT bytes: rows
 * that `;` or new lines end, or a flat list. New lines alone make no rows where the numbers are as
 * many as a square has. */
gboolean cc_coefficients_parse(CcCoefficients *self, const gchar *text, GError **error);

/* The text for a value that is no number; `value` is as the user wrote it, and `hint` is added. */
void cc_coefficients_refuse(const CcCoefficients *self, const gchar *value, const gchar *hint,
                            GError **error);

/* Refuses a row or column of `n` coefficients for its length. Returns FALSE. */
gboolean cc_coefficients_refuse_length(const gchar *name, guint n, GError **error);

/* Makes a kernel of a flat list, which is the square of an odd side, or of rows. */
CcKernel *cc_coefficients_make_kernel(const CcCoefficients *self, GError **error);

G_END_DECLS
