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

/* Whether nobody writes to it any more. Where the file system has no locks, nobody knows. */
static gboolean
is_left(const gchar *path) {
  const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return FALSE;
  const gboolean left = flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return left;
}

static void
remove_left(const Job *job, const gchar *prefix) {
  g_autofree gchar *folder = job_full_path(job, JOB_PARTS);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const gchar *name;
  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree gchar *path = g_build_filename(folder, name, NULL);
    if (g_str_has_prefix(name, prefix) && g_str_has_suffix(name, ENDING) && is_left(path))
      g_unlink(path);
  }
}

void
part_remove_left(const Job *job) {
  remove_left(job, "");
}

gboolean
part_begin(Part *self, const Job *job, guint index, GError **error) {
  g_autofree gchar *prefix = g_strdup_printf("%06u-", index);
  g_autofree gchar *name = g_strdup_printf(JOB_PARTS "/%06u-XXXXXX" ENDING, index);
  *self = (Part){NULL, -1};
  remove_left(job, prefix);
  self->path = job_full_path(job, name);
  self->fd = mkostemps(self->path, (int)strlen(ENDING), O_CLOEXEC);
  if (self->fd < 0) {
    const gint code = errno;
    fail(error, code, self->path);
    g_clear_pointer(&self->path, g_free);
    return FALSE;
  }
  const mode_t mask = umask(0);
  umask(mask);
  if (fchmod(self->fd, 0666 & ~mask) != 0)
    return fail(error, errno, self->path);
  flock(self->fd, LOCK_EX | LOCK_NB); /* without one it is merely not removed */
  return TRUE;
}

void
part_clear(Part *self) {
  if (!self->path)
    return;
  g_unlink(self->path);
  close(self->fd);
  g_clear_pointer(&self->path, g_free);
}

gboolean
part_commit(Part *self, const gchar *path, GError **error) {
  if (fsync(self->fd) != 0 || g_rename(self->path, path) != 0)
    return fail(error, errno, path);
  close(self->fd);
  g_clear_pointer(&self->path, g_free);
  return TRUE;
}
