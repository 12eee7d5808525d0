/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Times as people write them, the same for all options. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* Reads 1.5, 90s, 2m, 1h, 1:30 or 1:02:03.5, of `least` or more and less than 1e9 seconds. A NULL
 * text leaves `*time` as it is. FALSE with an error that names `option` and what it takes. */
gboolean time_read(const gchar *option, const gchar *text, GstClockTime least, GstClockTime *time,
                   GError **error);

/* Whole seconds as 1:30 or 1:02:03. Free it. */
gchar *time_format(gdouble seconds);

G_END_DECLS
