/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "atomicfile.h"

#include <stdint.h>
#include <sys/stat.h>

gboolean
atomic_file_write(const gchar *path, const gchar *data, gsize length, gboolean durable,
                  GError **error) {
  const GFileSetContentsFlags flags =
      G_FILE_SET_CONTENTS_CONSISTENT | (durable ? G_FILE_SET_CONTENTS_DURABLE : 0);
  g_autoptr(GError) why = NULL;
  if (g_file_set_contents_full(path, data, (gssize)length, flags, 0666, &why))
    return TRUE;
  /* GLib names its temporary file */
  if (g_error_matches(why, G_FILE_ERROR, G_FILE_ERROR_NOSPC))
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "%s: there is no space left for it", path);
  else
    g_propagate_error(error, g_steal_pointer(&why));
  return FALSE;
}

gchar *
file_identify(const gchar *path) {
  struct stat file;
  return stat(path, &file) == 0
             ? g_strdup_printf("%ju:%ju", (uintmax_t)file.st_dev, (uintmax_t)file.st_ino)
             : NULL;
}
