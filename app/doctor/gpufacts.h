/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the first obstacle to CUDA that files of the system show, or NULL. NVIDIA's driver is not
 * called. Free the result. Sets `fix` to a static text, and `has_gpu` to whether there is a sign of
 * an NVIDIA GPU. `root` is the root of the file system, "/" except in tests. */
gchar *gpu_facts_find_obstacle(const gchar *root, const gchar **fix, gboolean *has_gpu);

G_END_DECLS
