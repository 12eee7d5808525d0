/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The values of the element's properties. Any thread may write them; what was written takes effect
 * with the next commit, and the streaming thread takes one consistent copy a frame.
 *
 * A commit comes when no thread is inside a call that sets properties, so that one call that sets
 * several lands as a whole. As long as some thread is in such a call, a change is committed at the
 * third frame after it, but not within 50 ms. */

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
  gboolean changed; /* since the last commit; the first change came then: */
  gint64 changed_at;
  guint64 changed_frame;
  guint64 n_frames;
  GThread *controller; /* sets values for the frame that it has in hand; NULL: none does */
  CcBackendConfig backend;
  guint in_flight; /* frames under way at once; 0: automatic */
} CcSettings;

/* The kernel enum's default. */
gint cc_settings_default_kernel(void);

void cc_settings_init(CcSettings *self);
void cc_settings_clear(CcSettings *self);

/* Lets everything that was set since the last commit take effect at once. */
void cc_settings_commit(CcSettings *self);

/* A frame boundary: commits what has waited too long. */
void cc_settings_begin_frame(CcSettings *self);

/* Between these two, scalars that the calling thread sets are for the frame that it has in hand and
 * take effect at once, whatever others do. */
void cc_settings_begin_control(CcSettings *self);
void cc_settings_end_control(CcSettings *self);

/* With the lock: `filter` or another of the values behind `kernel` is being changed. TRUE: by the
 * thread in control, so `committed` has to be changed as well. */
gboolean cc_settings_note_change(CcSettings *self);

/* With the lock: commits the choice of the kernel alone. */
void cc_settings_commit_kernel(CcSettings *self);

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
