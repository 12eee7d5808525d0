/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settings.h"

#include <gst/gst.h>
#include <string.h>
#include "coefficients.h"

#define DEFAULT_KERNEL "sobel"

/* How long a change waits for others to be complete: so many frames, and so many microseconds. */
#define PATIENCE_FRAMES 2
#define PATIENCE_US 50000

gint
cc_settings_default_kernel(void) {
  const GPtrArray *kernels = cc_kernels_builtin();
  const CcKernel *wanted = cc_kernels_find(DEFAULT_KERNEL);
  guint index = 0;
  while (index < kernels->len && g_ptr_array_index(kernels, index) != wanted)
    index++;
  return (gint)index + 1;
}

void
cc_settings_init(CcSettings *self) {
  memset(self, 0, sizeof *self);
  g_mutex_init(&self->lock);
  self->kernel = cc_settings_default_kernel();
  g_value_init(&self->matrix, GST_TYPE_ARRAY);
  g_value_init(&self->row, GST_TYPE_ARRAY);
  g_value_init(&self->column, GST_TYPE_ARRAY);
  self->filter.stride = 1;
  self->backend.device_id = -1;
  cc_settings_commit(self);
}

void
cc_settings_clear(CcSettings *self) {
  g_clear_pointer(&self->custom, cc_kernel_unref);
  g_clear_pointer(&self->committed.kernel, cc_kernel_unref);
  g_value_unset(&self->matrix);
  g_value_unset(&self->row);
  g_value_unset(&self->column);
  g_free(self->kernel_file);
  g_mutex_clear(&self->lock);
}

void
cc_settings_commit_kernel(CcSettings *self) {
  CcKernel *kernel = self->kernel == CC_SETTINGS_KERNEL_CUSTOM
                         ? self->custom
                         : g_ptr_array_index(cc_kernels_builtin(), self->kernel - 1);
  g_clear_pointer(&self->committed.kernel, cc_kernel_unref);
  self->committed.kernel = kernel ? cc_kernel_ref(kernel) : NULL;
}

/* With the lock. */
static void
commit(CcSettings *self) {
  CcKernel *kernel = self->committed.kernel;
  self->committed = self->filter;
  self->committed.kernel = kernel;
  cc_settings_commit_kernel(self);
  self->changed = FALSE;
}

void
cc_settings_commit(CcSettings *self) {
  g_mutex_lock(&self->lock);
  commit(self);
  g_mutex_unlock(&self->lock);
}

gboolean
cc_settings_note_change(CcSettings *self) {
  if (self->controller == g_thread_self())
    return TRUE;
  if (!self->changed) {
    self->changed = TRUE;
    self->changed_at = g_get_monotonic_time();
    self->changed_frame = self->n_frames;
  }
  return FALSE;
}

void
cc_settings_begin_frame(CcSettings *self) {
  g_mutex_lock(&self->lock);
  if (self->changed && self->n_frames - self->changed_frame >= PATIENCE_FRAMES &&
      g_get_monotonic_time() - self->changed_at >= PATIENCE_US)
    commit(self);
  self->n_frames++;
  g_mutex_unlock(&self->lock);
}

static void
set_controller(CcSettings *self, GThread *controller) {
  g_mutex_lock(&self->lock);
  self->controller = controller;
  g_mutex_unlock(&self->lock);
}

void
cc_settings_begin_control(CcSettings *self) {
  set_controller(self, g_thread_self());
}

void
cc_settings_end_control(CcSettings *self) {
  set_controller(self, NULL);
}

void
cc_settings_get_filter(CcSettings *self, CcFilter *filter) {
  g_mutex_lock(&self->lock);
  *filter = self->committed;
  if (filter->kernel)
    cc_kernel_ref(filter->kernel);
  g_mutex_unlock(&self->lock);
}

guint
cc_settings_get_stride(CcSettings *self) {
  g_mutex_lock(&self->lock);
  const guint stride = self->committed.stride;
  g_mutex_unlock(&self->lock);
  return stride;
}

void
cc_settings_get_backend(CcSettings *self, CcBackendConfig *config) {
  g_mutex_lock(&self->lock);
  *config = self->backend;
  g_mutex_unlock(&self->lock);
}

guint
cc_settings_get_in_flight(CcSettings *self) {
  g_mutex_lock(&self->lock);
  const guint in_flight = self->in_flight;
  g_mutex_unlock(&self->lock);
  return in_flight;
}

/* With the lock. Takes `custom`, which may be NULL; the definition before it is forgotten. */
static void
define(CcSettings *self, CcKernel *custom) {
  cc_settings_note_change(self);
  g_clear_pointer(&self->custom, cc_kernel_unref);
  self->custom = custom;
  if (custom)
    self->kernel = CC_SETTINGS_KERNEL_CUSTOM;
  g_value_reset(&self->matrix);
  g_value_reset(&self->row);
  g_value_reset(&self->column);
  g_clear_pointer(&self->kernel_file, g_free);
}

gboolean
cc_settings_set_matrix(CcSettings *self, const GValue *matrix, GError **error) {
  const gboolean empty = gst_value_array_get_size(matrix) == 0;
  CcKernel *custom = empty ? NULL : cc_kernel_new_from_matrix(matrix, error);
  if (!empty && !custom)
    return FALSE;
  g_mutex_lock(&self->lock);
  if (!empty || gst_value_array_get_size(&self->matrix) > 0) {
    define(self, custom);
    g_value_copy(matrix, &self->matrix);
  }
  g_mutex_unlock(&self->lock);
  return TRUE;
}

/* With the lock. */
static gboolean
set_row_and_column(CcSettings *self, const GValue *row, const GValue *column, GError **error) {
  const gboolean empty =
      gst_value_array_get_size(row) == 0 && gst_value_array_get_size(column) == 0;
  const gboolean was_empty =
      gst_value_array_get_size(&self->row) == 0 && gst_value_array_get_size(&self->column) == 0;
  if (empty && was_empty)
    return TRUE;
  CcKernel *custom = empty ? NULL : cc_kernel_new_from_row_and_column(row, column, error);
  if (!empty && !custom)
    return FALSE;

  g_auto(GValue) new_row = G_VALUE_INIT, new_column = G_VALUE_INIT;
  g_value_init(&new_row, GST_TYPE_ARRAY);
  g_value_init(&new_column, GST_TYPE_ARRAY);
  g_value_copy(row, &new_row);
  g_value_copy(column, &new_column);
  define(self, custom);
  g_value_copy(&new_row, &self->row);
  g_value_copy(&new_column, &self->column);
  return TRUE;
}

gboolean
cc_settings_set_row(CcSettings *self, const GValue *row, GError **error) {
  g_mutex_lock(&self->lock);
  const gboolean ok = set_row_and_column(self, row, &self->column, error);
  g_mutex_unlock(&self->lock);
  return ok;
}

gboolean
cc_settings_set_column(CcSettings *self, const GValue *column, GError **error) {
  g_mutex_lock(&self->lock);
  const gboolean ok = set_row_and_column(self, &self->row, column, error);
  g_mutex_unlock(&self->lock);
  return ok;
}

gboolean
cc_settings_set_kernel_file(CcSettings *self, const gchar *path, GError **error) {
  const gboolean empty = !path || *path == '\0';
  CcKernel *custom = empty ? NULL : cc_kernel_load(path, error);
  if (!empty && !custom)
    return FALSE;
  g_mutex_lock(&self->lock);
  if (!empty || self->kernel_file) {
    define(self, custom);
    self->kernel_file = empty ? NULL : g_strdup(path);
  }
  g_mutex_unlock(&self->lock);
  return TRUE;
}

gboolean
cc_filter_equal(const CcFilter *a, const CcFilter *b) {
  return a->kernel == b->kernel && a->size == b->size && a->sigma == b->sigma &&
         a->scale == b->scale && a->bias == b->bias && a->response == b->response &&
         a->border == b->border && a->border_value == b->border_value && a->chroma == b->chroma &&
         a->alpha == b->alpha && a->algorithm == b->algorithm && a->stride == b->stride;
}

void
cc_filter_replace(CcFilter *self, CcFilter filter) {
  g_clear_pointer(&self->kernel, cc_kernel_unref);
  *self = filter;
}
