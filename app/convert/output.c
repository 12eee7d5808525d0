/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "output.h"
#include "app/command.h"
#include "atomicfile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LINKS 40 /* as Linux follows */

static gboolean
fail(GError **error, gint code, const gchar *name) {
  g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code), "%s: cannot be written: %s", name,
              g_strerror(code));
  return FALSE;
}

/* A link stays, and what it points to is written, which may be not there yet. */
static gchar *
follow_links(const gchar *name) {
  gchar *path = g_strdup(name);
  for (guint i = 0; i < MOST_LINKS; i++) {
    g_autofree gchar *target = g_file_read_link(path, NULL);
    if (!target)
      break;
    g_autofree gchar *folder = g_path_get_dirname(path);
    g_free(path);
    path = g_path_is_absolute(target) ? g_steal_pointer(&target)
                                      : g_build_filename(folder, target, NULL);
  }
  return path;
}

static gboolean
check_place(const gchar *path, const gchar *name, GError **error) {
  struct stat there;
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                "%s: this is %s; OUT is the name of a file", name,
                S_ISDIR(there.st_mode) ? "a folder" : "no regular file");
    return FALSE;
  }
  if (g_file_test(path, G_FILE_TEST_IS_SYMLINK)) {
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_LOOP, "%s: this link leads to too many others",
                name);
    return FALSE;
  }
  g_autofree gchar *folder = g_path_get_dirname(path);
  if (!g_file_test(folder, G_FILE_TEST_IS_DIR)) {
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "%s: there is no folder %s", name, folder);
    return FALSE;
  }
  return TRUE;
}

gboolean
output_init(Output *self, const gchar *name, GError **error) {
  memset(self, 0, sizeof *self);
  self->name = name;
  self->media = media_of_name(name);
  if (!self->media && (g_str_has_suffix(name, "/") || g_file_test(name, G_FILE_TEST_IS_DIR))) {
    g_set_error(error, APP_USAGE_ERROR, 0,
                "%s: this is a folder; OUT is the name of a file, or of numbered pictures such as "
                "frames/%%04d.png",
                name);
    return FALSE;
  }
  if (!self->media) {
    g_autofree gchar *endings = media_list_endings();
    g_set_error(error, APP_USAGE_ERROR, 0,
                "%s: the ending of OUT says what it becomes; it takes %s", name, endings);
    return FALSE;
  }
  if (self->media->kind == MEDIA_IMAGE && sequence_is_pattern(name)) {
    self->sequence = sequence_new(name, error);
    if (!self->sequence)
      return FALSE;
    self->path = sequence_name(self->sequence, 1);
  } else {
    self->path = follow_links(name);
  }
  return check_place(self->path, name, error);
}

void
output_clear(Output *self) {
  if (self->part)
    g_unlink(self->part);
  g_clear_pointer(&self->part, g_free);
  g_clear_pointer(&self->path, g_free);
  g_clear_pointer(&self->sequence, sequence_free);
}

gboolean
output_begin(Output *self, GError **error) {
  gchar *part = g_strconcat(self->path, ".XXXXXX.part", NULL);
  int fd = g_mkstemp_full(part, O_RDWR | O_CLOEXEC, 0666); /* less the umask */
  if (fd < 0) {
    gint code = errno;
    g_free(part);
    return fail(error, code, self->name);
  }
  self->part = part;
  close(fd);
  return TRUE;
}

/* A rename may reach the disk before the data does. */
static gint
sync_file(const gchar *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  gint code = fd >= 0 && fsync(fd) == 0 ? 0 : errno;
  if (fd >= 0)
    close(fd);
  return code;
}

gboolean
output_commit(Output *self, GError **error) {
  gint code = sync_file(self->part);
  if (code == 0 && g_rename(self->part, self->path) != 0)
    code = errno;
  if (code != 0)
    return fail(error, code, self->name);
  g_clear_pointer(&self->part, g_free);
  return TRUE;
}

gchar *
output_keep_incomplete(Output *self, GError **error) {
  const gchar *slash = strrchr(self->path, '/');
  const gchar *dot = strrchr(slash ? slash : self->path, '.');
  const gsize stem = dot ? (gsize)(dot - self->path) : strlen(self->path);
  for (guint n = 1;; n++) {
    g_autofree gchar *number = n > 1 ? g_strdup_printf("-%u", n) : g_strdup("");
    g_autofree gchar *kept =
        g_strdup_printf("%.*s.incomplete%s%s", (int)stem, self->path, number, self->path + stem);
    struct stat there;
    /* not all file systems know how to replace nothing */
    gint code = renameat2(AT_FDCWD, self->part, AT_FDCWD, kept, RENAME_NOREPLACE) == 0 ? 0 : errno;
    if (code == EINVAL || code == ENOSYS)
      code = lstat(kept, &there) == 0 ? EEXIST : g_rename(self->part, kept) == 0 ? 0 : errno;
    if (code == EEXIST)
      continue;
    if (code != 0) {
      fail(error, code, kept);
      return NULL;
    }
    g_clear_pointer(&self->part, g_free);
    return g_steal_pointer(&kept);
  }
}

gboolean
output_write(const Output *self, guint number, GBytes *picture, GError **error) {
  g_autofree gchar *name = self->sequence ? sequence_name(self->sequence, number) : NULL;
  g_autofree gchar *path = name ? follow_links(name) : g_strdup(self->path);
  gsize size;
  const gchar *data = g_bytes_get_data(picture, &size);
  return atomic_file_write(path, data, size, FALSE, error);
}
