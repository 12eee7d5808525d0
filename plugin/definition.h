/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The user's own kernel, and the properties that define it. It has one definition: setting one of
 * matrix, matrix-text, row with column, and kernel-file empties the others. */

#include <glib-object.h>
#include "engine/kernel/kernel.h"

G_BEGIN_DECLS

typedef struct {
  CcKernel *kernel;           /* NULL: none is defined */
  GValue matrix, row, column; /* GstValueArrays as they were set */
  gchar *text, *file;         /* matrix-text and kernel-file; NULL: none */
} CcDefinition;

/* Starts without a kernel. */
void cc_definition_init(CcDefinition *self);
void cc_definition_clear(CcDefinition *self);

/* Makes `self` what `other` is. */
void cc_definition_assign(CcDefinition *self, const CcDefinition *other);

/* Define the kernel anew, or refuse with CC_ERROR_INVALID and change nothing. The arrays are of
 * numbers or numeric strings; those of a matrix may be rows. An empty array, text or path undefines
 * what the same property defined. */
gboolean cc_definition_set_matrix(CcDefinition *self, const GValue *matrix, GError **error);
gboolean cc_definition_set_text(CcDefinition *self, const GValue *text, GError **error);
gboolean cc_definition_set_row(CcDefinition *self, const GValue *row, GError **error);
gboolean cc_definition_set_column(CcDefinition *self, const GValue *column, GError **error);
gboolean cc_definition_set_file(CcDefinition *self, const GValue *path, GError **error);

G_END_DECLS
