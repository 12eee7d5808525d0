/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "part.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".mkv.part"

static gboolean
fail(GError **error, gint code, const gchar *path) {
  g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code), "%s: it cannot be written: %s",
              path, g_strerror(code));
  return FALSE;
}

/* Removes a file that nobody writes to any more. Where the file system has no locks, nobody knows.
 * It is removed under the lock, so that a writer that waits for that knows (make_file). */
static void
remove_if_left(const gchar *path) {
  struct stat file;
  const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return;
  if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
    g_unlink(path);
  close(fd);
}

static void
remove_left(const Job *job, const gchar *prefix) {
  g_autofree gchar *folder = job_full_path(job, JOB_PARTS);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const gchar *name;
  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree gchar *path = g_build_filename(folder, name, NULL);
    if (g_str_has_prefix(name, prefix) && g_str_has_suffix(name, ENDING))
      remove_if_left(path);
  }
}

void
part_remove_left(const Job *job) {
  remove_left(job, "");
}

void
part_clear(Part *self) {
  if (!self->path)
    return;
  if (self->fd >= 0) {
    g_unlink(self->path);
    close(self->fd);
  }
  g_clear_pointer(&self->path, g_free);
}

/* Makes a file and locks it. 0, or what went wrong; EAGAIN: another process has taken the new file
 * for one that is left and removed it, before it was locked. */
static gint
make_file(Part *self) {
  struct stat file;
  self->fd = g_mkstemp_full(self->path, O_RDWR | O_CLOEXEC, 0666); /* less the umask */
  if (self->fd < 0)
    return errno;
  while (flock(self->fd, LOCK_EX) != 0 && errno == EINTR)
    ; /* without a lock it is merely not removed */
  if (fstat(self->fd, &file) != 0)
    return errno;
  return file.st_nlink > 0 ? 0 : EAGAIN;
}

gboolean
part_begin(Part *self, const Job *job, guint index, GError **error) {
  g_autofree gchar *prefix = g_strdup_printf("%06u-", index);
  g_autofree gchar *name = g_strdup_printf(JOB_PARTS "/%06u-XXXXXX" ENDING, index);
  *self = (Part){NULL, -1};
  remove_left(job, prefix);
  gint code;
  do {
    part_clear(self);
    self->path = job_full_path(job, name);
    code = make_file(self);
  } while (code == EAGAIN);
  if (code == 0)
    return TRUE;
  fail(error, code, self->path);
  part_clear(self);
  return FALSE;
}

gboolean
part_commit(Part *self, const gchar *path, GError **error) {
  if (fsync(self->fd) != 0 || g_rename(self->path, path) != 0)
    return fail(error, errno, path);
  close(self->fd);
  g_clear_pointer(&self->path, g_free);
  return TRUE;
}
