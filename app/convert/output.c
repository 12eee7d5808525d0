/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "output.h"
#include "app/command.h"

#include <string.h>
#include <sys/stat.h>

#define MAX_LINKS 40 /* maximum number of symbolic links in a chain, as in Linux */

/* Returns the path that a chain of symbolic links ends at. The output is written there, so the
 * links are kept. The target may not exist yet. Free the path. */
static gchar *
follow_links(const gchar *name) {
  gchar *path = g_strdup(name);
  for (guint i = 0; i < MAX_LINKS; i++) {
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
check_path(const gchar *path, const gchar *name, GError **error) {
  struct stat there;
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: this is %s; OUT must be a file",
                name, S_ISDIR(there.st_mode) ? "a folder" : "not a regular file");
    return FALSE;
  }
  if (g_file_test(path, G_FILE_TEST_IS_SYMLINK)) {
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_LOOP, "%s: too many symbolic links", name);
    return FALSE;
  }
  g_autofree gchar *folder = g_path_get_dirname(path);
  if (!g_file_test(folder, G_FILE_TEST_IS_DIR)) {
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "%s: there is no folder %s", name, folder);
    return FALSE;
  }
  return TRUE;
}

gchar *
output_find_path(const gchar *name, GError **error) {
  g_autofree gchar *path = follow_links(name);
  return check_path(path, name, error) ? g_steal_pointer(&path) : NULL;
}

gboolean
output_init(Output *self, const gchar *name, GError **error) {
  memset(self, 0, sizeof *self);
  self->name = name;
  self->media = media_of_name(name);
  if (!self->media && (g_str_has_suffix(name, "/") || g_file_test(name, G_FILE_TEST_IS_DIR))) {
    g_set_error(error, APP_USAGE_ERROR, 0,
                "%s: this is a folder; OUT must be a file, or numbered images such as "
                "frames/%%04d.png",
                name);
    return FALSE;
  }
  if (!self->media) {
    g_autofree gchar *endings = media_list_endings(NULL);
    g_set_error(error, APP_USAGE_ERROR, 0, "%s: the ending of OUT is not known; expected one of %s",
                name, endings);
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
  return check_path(self->path, name, error);
}

void
output_clear(Output *self) {
  atomic_file_clear(&self->file);
  g_clear_pointer(&self->path, g_free);
  g_clear_pointer(&self->sequence, sequence_free);
}

gboolean
output_write(const Output *self, guint number, GBytes *image, GError **error) {
  g_autofree gchar *name = self->sequence ? sequence_name(self->sequence, number) : NULL;
  g_autofree gchar *path = name ? follow_links(name) : g_strdup(self->path);
  gsize size;
  const gchar *data = g_bytes_get_data(image, &size);
  return atomic_file_write(path, NULL, data, size, FALSE, error);
}
