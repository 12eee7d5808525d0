/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Files that appear as a whole or not at all: all files that the command writes. A file is written
 * under a temporary name in the same file system, brought to the disk, and renamed. Its writer
 * holds a lock on it, which ends with the process, however that ends. So a file that a killed
 * process has left can be told from one that is being written. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gchar *path; /* the temporary name; NULL: there is none */
  int fd;      /* holds the lock */
} AtomicFile;

/* Creates an empty file that is to become `path`. `pattern` is its temporary path with XXXXXX in
 * it; NULL: it is beside `path`. `name` is named in the error. */
gboolean atomic_file_begin(AtomicFile *self, const gchar *path, const gchar *pattern,
                           const gchar *name, GError **error);

/* Removes the file if it was not committed. */
void atomic_file_clear(AtomicFile *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AtomicFile, atomic_file_clear)

/* Gives the file the name `path` when all of it is on the disk. FALSE with an error that names
 * `name`. */
gboolean atomic_file_commit(AtomicFile *self, const gchar *path, const gchar *name, GError **error);

/* Gives the file a name that no file has: `path` with ".incomplete" before its ending, or with
 * ".incomplete-2" and so on. The name, which is to be freed; NULL with an error. */
gchar *atomic_file_keep_incomplete(AtomicFile *self, const gchar *path, GError **error);

/* Writes `length` bytes into the file `path` through a temporary one (atomic_file_begin). With
 * `durable` they are on the disk afterwards; without it, they are before they replace others. FALSE
 * with an error that names `path`, which is G_FILE_ERROR_NOSPC if the disk is full. */
gboolean atomic_file_write(const gchar *path, const gchar *pattern, const gchar *data, gsize length,
                           gboolean durable, GError **error);

/* Removes the temporary files of a folder that nobody writes to any more, whose names begin and end
 * so. It does nothing in file systems without locks. */
void atomic_file_remove_stale(const gchar *folder, const gchar *prefix, const gchar *suffix);

/* A set of files, each known by its device and inode, so under all of its names. */
GHashTable *file_set_new(void);
void file_set_add(GHashTable *self, const gchar *path); /* nothing if it is not there */
gboolean file_set_has(GHashTable *self, const gchar *path);

G_END_DECLS
