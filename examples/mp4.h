/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Sets the creation and modification dates inside the MP4 file at `path` to 0 ("unknown"), so that
 * equal frames give equal files. Returns FALSE and a G_FILE_ERROR if the file cannot be opened or
 * mapped. */
gboolean mp4_clear_dates(const gchar *path, GError **error);

G_END_DECLS
