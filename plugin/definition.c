/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "definition.h"

#include <gst/gst.h>
#include <string.h>
#include "coefficients.h"

void
cc_definition_init(CcDefinition *self) {
  memset(self, 0, sizeof *self);
  g_value_init(&self->matrix, GST_TYPE_ARRAY);
  g_value_init(&self->row, GST_TYPE_ARRAY);
  g_value_init(&self->column, GST_TYPE_ARRAY);
}

void
cc_definition_clear(CcDefinition *self) {
  g_clear_pointer(&self->kernel, cc_kernel_unref);
  g_value_unset(&self->matrix);
  g_value_unset(&self->row);
  g_value_unset(&self->column);
  g_clear_pointer(&self->text, g_free);
  g_clear_pointer(&self->file, g_free);
}

void
cc_definition_assign(CcDefinition *self, const CcDefinition *other) {
  if (self->kernel == other->kernel) /* so the rest is the same, or empty */
    return;
  cc_definition_clear(self);
  cc_definition_init(self);
  self->kernel = other->kernel ? cc_kernel_ref(other->kernel) : NULL;
  g_value_copy(&other->matrix, &self->matrix);
  g_value_copy(&other->row, &self->row);
  g_value_copy(&other->column, &self->column);
  self->text = g_strdup(other->text);
  self->file = g_strdup(other->file);
}

/* Takes `kernel`, which may be NULL, and forgets what defined the one before. */
static void
define(CcDefinition *self, CcKernel *kernel) {
  cc_definition_clear(self);
  cc_definition_init(self);
  self->kernel = kernel;
}

static gboolean
is_empty(const GValue *array) {
  return gst_value_array_get_size(array) == 0;
}

gboolean
cc_definition_set_matrix(CcDefinition *self, const GValue *matrix, GError **error) {
  if (is_empty(matrix) && is_empty(&self->matrix))
    return TRUE;
  CcKernel *kernel = is_empty(matrix) ? NULL : cc_kernel_new_from_matrix(matrix, error);
  if (!is_empty(matrix) && !kernel)
    return FALSE;
  define(self, kernel);
  g_value_copy(matrix, &self->matrix);
  return TRUE;
}

/* One of the two is in `self`. */
static gboolean
set_row_and_column(CcDefinition *self, const GValue *row, const GValue *column, GError **error) {
  const gboolean empty = is_empty(row) && is_empty(column);
  if (empty && is_empty(&self->row) && is_empty(&self->column))
    return TRUE;
  CcKernel *kernel = empty ? NULL : cc_kernel_new_from_row_and_column(row, column, error);
  if (!empty && !kernel)
    return FALSE;

  g_auto(GValue) new_row = G_VALUE_INIT, new_column = G_VALUE_INIT;
  g_value_init(&new_row, GST_TYPE_ARRAY);
  g_value_init(&new_column, GST_TYPE_ARRAY);
  g_value_copy(row, &new_row);
  g_value_copy(column, &new_column);
  define(self, kernel);
  g_value_copy(&new_row, &self->row);
  g_value_copy(&new_column, &self->column);
  return TRUE;
}

gboolean
cc_definition_set_row(CcDefinition *self, const GValue *row, GError **error) {
  return set_row_and_column(self, row, &self->column, error);
}

gboolean
cc_definition_set_column(CcDefinition *self, const GValue *column, GError **error) {
  return set_row_and_column(self, &self->row, column, error);
}

/* `place` is that of the string in `self`. */
static gboolean
set_string(CcDefinition *self, gchar **place, const GValue *value,
           CcKernel *(*make)(const gchar *string, GError **error), GError **error) {
  const gchar *string = g_value_get_string(value);
  const gboolean empty = !string || *string == '\0';
  if (empty && !*place)
    return TRUE;
  CcKernel *kernel = empty ? NULL : make(string, error);
  if (!empty && !kernel)
    return FALSE;
  define(self, kernel);
  *place = empty ? NULL : g_strdup(string);
  return TRUE;
}

gboolean
cc_definition_set_text(CcDefinition *self, const GValue *text, GError **error) {
  return set_string(self, &self->text, text, cc_kernel_new_from_text, error);
}

gboolean
cc_definition_set_file(CcDefinition *self, const GValue *path, GError **error) {
  return set_string(self, &self->file, path, cc_kernel_load, error);
}
