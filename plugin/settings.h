/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The values of the element's properties. Any thread may write them; what was written takes effect
 * with the next commit, and the streaming thread takes one consistent copy a frame. */

#include <glib-object.h>
#include "engine/backend.h"

G_BEGIN_DECLS

/* The value of the kernel enum for the user's own coefficients. A named kernel's value is its place
 * in cc_kernels_builtin(), counted from 1. */
#define CC_SETTINGS_KERNEL_CUSTOM 0

/* A custom kernel has one definition: setting one of matrix, row with column, and kernel_file
 * empties the others. */
typedef struct {
  GMutex lock; /* guards everything below */
  gint kernel;
  CcKernel *custom; /* NULL: none is defined */
  GValue matrix, row, column;
  gchar *kernel_file;
  CcFilter filter; /* the scalar properties; its kernel is not used */
  CcFilter committed;
  CcBackendConfig backend;
  guint in_flight; /* frames under way at once; 0: automatic */
} CcSettings;

/* The kernel enum's default. */
gint cc_settings_default_kernel(void);

void cc_settings_init(CcSettings *self);
void cc_settings_clear(CcSettings *self);

/* Lets everything that was set since the last commit take effect at once. */
void cc_settings_commit(CcSettings *self);

/* The filter as committed, its kernel a new reference, or NULL when kernel is custom and no
 * coefficients are set. */
void cc_settings_get_filter(CcSettings *self, CcFilter *filter);
guint cc_settings_get_stride(CcSettings *self);
void cc_settings_get_backend(CcSettings *self, CcBackendConfig *config);
guint cc_settings_get_in_flight(CcSettings *self);

/* Define the custom kernel and select it, or refuse with CC_ERROR_INVALID and change nothing. The
 * values are GstValueArrays of numbers or numeric strings; those of a matrix may be rows. An empty
 * array or path undefines what the same property defined. */
gboolean cc_settings_set_matrix(CcSettings *self, const GValue *matrix, GError **error);
gboolean cc_settings_set_row(CcSettings *self, const GValue *row, GError **error);
gboolean cc_settings_set_column(CcSettings *self, const GValue *column, GError **error);
gboolean cc_settings_set_kernel_file(CcSettings *self, const gchar *path, GError **error);

/* Whether both filters are of the same properties. */
gboolean cc_filter_equal(const CcFilter *a, const CcFilter *b);

/* Takes `filter` with its reference to a kernel, and drops what was there. */
void cc_filter_replace(CcFilter *self, CcFilter filter);

G_END_DECLS
