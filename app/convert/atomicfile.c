/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "atomicfile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
fail(GError **error, gint code, const gchar *name) {
  if (code == ENOSPC)
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "%s: no space left on the device", name);
  else
    g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code), "%s: cannot be written: %s",
                name, g_strerror(code));
  return FALSE;
}

gboolean
atomic_file_begin(AtomicFile *self, const gchar *path, const gchar *pattern, const gchar *name,
                  GError **error) {
  struct stat file;
  gint code;
  do {
    self->path = pattern ? g_strdup(pattern) : g_strconcat(path, ".XXXXXX.part", NULL);
    self->fd = g_mkstemp_full(self->path, O_RDWR | O_CLOEXEC, 0666); /* minus the umask */
    if (self->fd < 0) {
      code = errno;
      g_clear_pointer(&self->path, g_free);
      return fail(error, code, name);
    }
    while (flock(self->fd, LOCK_EX) != 0 && errno == EINTR)
      ; /* Other errors are ignored, because a file can be written without a lock as well. */
    code = fstat(self->fd, &file) == 0 ? 0 : errno;
    /* Before this process locked the new file, another process may have removed it as stale. Then
     * try again. */
    if (code == 0 && file.st_nlink == 0)
      code = EAGAIN;
    if (code != 0)
      atomic_file_clear(self);
  } while (code == EAGAIN);
  return code == 0 || fail(error, code, name);
}

/* Closes the file, which releases its lock, and clears `self`. */
static void
release(AtomicFile *self) {
  close(self->fd);
  g_clear_pointer(&self->path, g_free);
}

void
atomic_file_clear(AtomicFile *self) {
  if (!self->path)
    return;
  g_unlink(self->path);
  release(self);
}

/* Renames the file to `path`. With `sync` the data are on the disk before the rename. Without
 * `sync` the rename may reach the disk before the data. */
static gboolean
commit(AtomicFile *self, const gchar *path, gboolean sync, const gchar *name, GError **error) {
  if ((sync && fsync(self->fd) != 0) || g_rename(self->path, path) != 0)
    return fail(error, errno, name);
  release(self);
  return TRUE;
}

gboolean
atomic_file_commit(AtomicFile *self, const gchar *path, const gchar *name, GError **error) {
  return commit(self, path, TRUE, name, error);
}

gchar *
atomic_file_keep_incomplete(AtomicFile *self, const gchar *path, GError **error) {
  const gchar *slash = strrchr(path, '/');
  const gchar *dot = strrchr(slash ? slash : path, '.');
  const gsize stem = dot ? (gsize)(dot - path) : strlen(path);
  for (guint n = 1;; n++) {
    g_autofree gchar *number = n > 1 ? g_strdup_printf("-%u", n) : g_strdup("");
    g_autofree gchar *kept =
        g_strdup_printf("%.*s.incomplete%s%s", (int)stem, path, number, path + stem);
    struct stat there;
    /* Some file systems do not support RENAME_NOREPLACE. */
    gint code = renameat2(AT_FDCWD, self->path, AT_FDCWD, kept, RENAME_NOREPLACE) == 0 ? 0 : errno;
    if (code == EINVAL || code == ENOSYS)
      code = lstat(kept, &there) == 0 ? EEXIST : g_rename(self->path, kept) == 0 ? 0 : errno;
    if (code == EEXIST)
      continue;
    if (code != 0) {
      fail(error, code, kept);
      return NULL;
    }
    release(self);
    return g_steal_pointer(&kept);
  }
}

gboolean
atomic_file_write(const gchar *path, const gchar *pattern, const gchar *data, gsize length,
                  gboolean durable, GError **error) {
  g_auto(AtomicFile) file = {0};
  struct stat before;
  if (!atomic_file_begin(&file, path, pattern, path, error))
    return FALSE;
  while (length > 0) {
    const gssize written = write(file.fd, data, length);
    if (written < 0 && errno != EINTR)
      return fail(error, errno, path);
    data += MAX(written, 0);
    length -= (gsize)MAX(written, 0);
  }
  const gboolean replaces = stat(path, &before) == 0 && before.st_size > 0;
  return commit(&file, path, durable || replaces, path, error);
}

/* Removes a file if no process holds its lock. Holds the lock during the removal. A writer that
 * waits for the lock then finds that its file was removed (atomic_file_begin). */
static void
remove_if_stale(const gchar *path) {
  struct stat file;
  const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return;
  if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
    g_unlink(path);
  close(fd);
}

void
atomic_file_remove_stale(const gchar *folder, const gchar *prefix, const gchar *suffix) {
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const gchar *name;
  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree gchar *path = g_build_filename(folder, name, NULL);
    if (g_str_has_prefix(name, prefix) && g_str_has_suffix(name, suffix))
      remove_if_stale(path);
  }
}

/* ---- identity ---- */

static gchar *
identify(const gchar *path) {
  struct stat file;
  return stat(path, &file) == 0
             ? g_strdup_printf("%ju:%ju", (uintmax_t)file.st_dev, (uintmax_t)file.st_ino)
             : NULL;
}

GHashTable *
file_set_new(void) {
  return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

void
file_set_add(GHashTable *self, const gchar *path) {
  gchar *file = identify(path);
  if (file)
    g_hash_table_add(self, file);
}

gboolean
file_set_has(GHashTable *self, const gchar *path) {
  g_autofree gchar *file = identify(path);
  return file && g_hash_table_contains(self, file);
}
