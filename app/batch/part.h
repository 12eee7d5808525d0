/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A file of a piece while it is written, in the job's folder `parts`. Its writer holds a lock on
 * it, which ends with the process, however that ends; so what a killed process has left is known
 * and removed by the next one that makes the piece. */

#include "job.h"

G_BEGIN_DECLS

typedef struct {
  gchar *path; /* NULL: there is none */
  int fd;      /* holds the lock */
} Part;

/* Makes an empty file, and removes those that others have left of this piece. */
gboolean part_begin(Part *self, const Job *job, guint index, GError **error);

/* Removes what was not committed. */
void part_clear(Part *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Part, part_clear)

/* Gives the file its name, when all of it is on the disk. */
gboolean part_commit(Part *self, const gchar *path, GError **error);

/* Removes what killed processes have left of any piece. */
void part_remove_left(const Job *job);

G_END_DECLS
