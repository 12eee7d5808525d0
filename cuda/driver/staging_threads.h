/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Staging threads: run work that is divided into slices. Helper threads and the thread that waits
 * for the work run the slices. All backends of the process share the helpers. The number of helpers
 * is less than the number of cores. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct _CcStagingWork CcStagingWork;

/* Starts work: run(data, slice) is called once for each of `n_slices` slices, in any order and in
 * parallel. After the last slice, end(data) is called, unless `end` is NULL. If no helper is free,
 * the calling thread does all the work before the function returns. */
CcStagingWork *cc_staging_start(guint n_slices, void (*run)(gpointer data, guint slice),
                                void (*end)(gpointer data), gpointer data);

/* Runs the slices that no thread has begun. Waits for all other slices and for `end`. Frees the
 * work. */
void cc_staging_finish(CcStagingWork *self);

G_END_DECLS
