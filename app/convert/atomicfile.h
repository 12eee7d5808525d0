/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Atomic files: each appears complete or not at all. The command writes all of its files this way.
 *
 * A file is written under a temporary name in the same file system, synced to the disk, and
 * renamed. Its writer holds a lock on it. The kernel releases the lock when the process ends, also
 * when it is killed. So a stale temporary file can be told from one that is being written. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gchar *path; /* the temporary name; NULL: no file was begun */
  int fd;      /* holds the lock */
} AtomicFile;

/* Creates an empty temporary file, which will become `path`. `pattern` is the temporary path with
 * XXXXXX in it; NULL: in the folder of `path`. The error mentions `name`. */
gboolean atomic_file_begin(AtomicFile *self, const gchar *path, const gchar *pattern,
                           const gchar *name, GError **error);

/* Removes the temporary file if it was not committed. */
void atomic_file_clear(AtomicFile *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AtomicFile, atomic_file_clear)

/* Syncs the file to the disk and renames it to `path`. FALSE with an error that mentions `name`. */
gboolean atomic_file_commit(AtomicFile *self, const gchar *path, const gchar *name, GError **error);

/* Renames the file to a name that no file has: `path` with ".incomplete" before its ending, or with
 * ".incomplete-2" and so on. Returns the new name; free it. NULL with an error. */
gchar *atomic_file_keep_incomplete(AtomicFile *self, const gchar *path, GError **error);

/* Writes `length` bytes to the file `path` through a temporary file (atomic_file_begin). With
 * `durable` the data are on the disk afterwards. Without it the data are synced only if they
 * replace an existing file that is not empty. FALSE with an error that mentions `path`; its code is
 * G_FILE_ERROR_NOSPC if the disk is full. */
gboolean atomic_file_write(const gchar *path, const gchar *pattern, const gchar *data, gsize length,
                           gboolean durable, GError **error);

/* Removes the stale temporary files of a folder: those with this prefix and suffix that no process
 * is writing. Does nothing in file systems without locks. */
void atomic_file_remove_stale(const gchar *folder, const gchar *prefix, const gchar *suffix);

/* A set of files. A file is identified by its device and inode, so links count as the same file. */
GHashTable *file_set_new(void);
void file_set_add(GHashTable *self, const gchar *path); /* nothing if it does not exist */
gboolean file_set_has(GHashTable *self, const gchar *path);

G_END_DECLS
