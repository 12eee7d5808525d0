/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Coefficients as users write them: GstValueArrays of numbers, fractions or numeric strings, or one
 * text. All functions refuse with CC_ERROR_INVALID and say which entry is wrong. */

#include <glib-object.h>
#include "engine/kernel/kernel.h"

G_BEGIN_DECLS

/* Makes a kernel of a flat list of the coefficients of a square, or of an array of rows. */
CcKernel *cc_kernel_new_from_matrix(const GValue *matrix, GError **error);

#define CC_MAX_MATRIX_TEXT 16384 /* bytes */

/* Makes a kernel of numbers and fractions with white space between them: those of a square, or rows
 * that `;` or new lines end. */
CcKernel *cc_kernel_new_from_text(const gchar *text, GError **error);

/* Makes a kernel as column times row; one of the two may be empty. */
CcKernel *cc_kernel_new_from_row_and_column(const GValue *row, const GValue *column,
                                            GError **error);

G_END_DECLS
