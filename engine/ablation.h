/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Special paths that can be left out, so that cudaconv-bench can measure how much time they save. A
 * special path is a method, an algorithm, a CUDA kernel, a requantization variant or another
 * special case that makes some filters faster. If a path is left out, programs take the next more
 * general path, which gives the same bytes. The element and the command leave out no path. */

#include <glib.h>

G_BEGIN_DECLS

/* Leaves the paths with these comma-separated names out of all programs that are prepared from now
 * on. NULL leaves out none. No program may be prepared during the call. */
void cc_leave_out(const gchar *paths);

gboolean cc_is_left_out(const gchar *path);

G_END_DECLS
