/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Atomic files: each appears complete or not at all. The command writes all of its files this way.
 *
 * A file is written under a temporary name in the same file system, and then renamed. The writing
 * process holds a lock on the temporary file. The operating system releases the lock when the
 * process ends or is killed. So a temporary file without a lock is stale. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gchar *path; /* path of the temporary file; NULL: there is none */
  int fd;      /* descriptor of the temporary file; holds the lock */
} AtomicFile;

/* Creates an empty temporary file, which will become `path`. `pattern` is the path of the temporary
 * file, with XXXXXX for random characters. With a NULL `pattern` the temporary file is in the
 * folder of `path`. FALSE with an error on failure. The error mentions `name`. */
gboolean atomic_file_begin(AtomicFile *self, const gchar *path, const gchar *pattern,
                           const gchar *name, GError **error);

/* Removes the temporary file if it was not committed. */
void atomic_file_clear(AtomicFile *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AtomicFile, atomic_file_clear)

/* Syncs the file to the disk and renames it to `path`. FALSE with an error that mentions `name`. */
gboolean atomic_file_commit(AtomicFile *self, const gchar *path, const gchar *name, GError **error);

/* Renames the temporary file to `path` with ".incomplete" before its extension. If that name
 * exists, uses ".incomplete-2" and so on. Returns the new name; free it. NULL with an error on
 * failure. */
gchar *atomic_file_keep_incomplete(AtomicFile *self, const gchar *path, GError **error);

/* Writes `length` bytes to the file `path` through a temporary file (atomic_file_begin). With
 * `durable` the data are synced to the disk before the rename. Without `durable` they are synced
 * only if `path` is an existing file that is not empty. FALSE with an error that mentions `path`.
 * The error code is G_FILE_ERROR_NOSPC if the disk is full. */
gboolean atomic_file_write(const gchar *path, const gchar *pattern, const gchar *data, gsize length,
                           gboolean durable, GError **error);

/* Removes the stale temporary files of a folder: files whose names have this prefix and suffix and
 * that no process has locked. Does nothing in file systems without locks. */
void atomic_file_remove_stale(const gchar *folder, const gchar *prefix, const gchar *suffix);

/* A set of files. A file is identified by its device and inode, so links count as the same file. */
GHashTable *file_set_new(void);
void file_set_add(GHashTable *self, const gchar *path); /* does nothing if there is no such file */
gboolean file_set_has(GHashTable *self, const gchar *path);

G_END_DECLS
