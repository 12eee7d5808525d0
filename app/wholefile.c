/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "durable.h"

gboolean
durable_write(const gchar *path, const gchar *data, gsize length, GError **error) {
  g_autoptr(GError) why = NULL;
  if (g_file_set_contents_full(path, data, (gssize)length,
                               G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0666,
                               &why))
    return TRUE;
  /* GLib names its temporary file */
  if (g_error_matches(why, G_FILE_ERROR, G_FILE_ERROR_NOSPC))
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "%s: there is no space left for it", path);
  else
    g_propagate_error(error, g_steal_pointer(&why));
  return FALSE;
}
