/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Staging threads: work in slices, shared between helper threads and the thread that waits for it.
 * All backends of the process share the helpers. There are at most one less than there are
 * cores. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct _CcStagingWork CcStagingWork;

/* Lets helpers begin `n_slices` calls of run(data, slice), in any order and in parallel. After the
 * last of them end(data) is called, unless it is NULL. If all helpers are busy, or there are none,
 * all the work is done before this returns. */
CcStagingWork *cc_staging_start(guint n_slices, void (*run)(gpointer data, guint slice),
                                void (*end)(gpointer data), gpointer data);

/* Runs the slices that no thread has begun, waits for the others and for `end`, and frees the
 * work. */
void cc_staging_finish(CcStagingWork *self);

G_END_DECLS
