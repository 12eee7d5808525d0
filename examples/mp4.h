/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Sets the creation and modification dates inside the MP4 file at `path` to 0, "not given", so that
 * the same pictures make the same file. FALSE with a file error when it cannot be mapped. */
gboolean mp4_clear_dates(const gchar *path, GError **error);

G_END_DECLS
