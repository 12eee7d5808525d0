/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Special paths that are left out while cudaconv-bench measures what they bring. A special path is
 * a method, a kernel or a rewriting of the plan that makes some filters faster. Without it a
 * program takes the next more general path, which gives the same bytes. Nothing in the product
 * leaves out a path. */

#include <glib.h>

G_BEGIN_DECLS

/* Leaves the paths of these names, divided by commas, out of all programs that are prepared from
 * now on; NULL leaves out none. No program may be prepared meanwhile. */
void cc_leave_out(const gchar *paths);

/* Whether a path is left out. */
gboolean cc_is_left_out(const gchar *path);

G_END_DECLS
