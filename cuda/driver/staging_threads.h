/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Work in slices, which helpers share with whoever waits for it: threads that all backends of the
 * process have in common, at most one less than there are cores. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct _CcStagingWork CcStagingWork;

/* Lets helpers begin with `n_slices` calls of run(data, slice), in any order and at the same time;
 * behind the last of them comes one of end(data), unless that is NULL. Where all helpers have work,
 * or there are none, all is done when this returns. */
CcStagingWork *cc_staging_start(guint n_slices, void (*run)(gpointer data, guint slice),
                                void (*end)(gpointer data), gpointer data);

/* Does the slices that nobody has begun, waits for the others and for `end`, and frees the work. */
void cc_staging_finish(CcStagingWork *self);

G_END_DECLS
