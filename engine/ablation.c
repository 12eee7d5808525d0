/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ablation.h"

static GStrv left_out; /* NULL except in programs of bench/ */

void
cc_leave_out(const gchar *paths) {
  g_clear_pointer(&left_out, g_strfreev);
  if (paths && *paths)
    left_out = g_strsplit(paths, ",", -1);
}

gboolean
cc_is_left_out(const gchar *path) {
  return left_out && g_strv_contains((const gchar *const *)left_out, path);
}
