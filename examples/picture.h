/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Writes the two raw video frames next to each other, `before` on the left, as a PNG file at
 * `path`. Their sizes may differ. FALSE with an error when they cannot be converted or written. */
gboolean picture_save_pair(GstSample *before, GstSample *after, const gchar *path, GError **error);

G_END_DECLS
