/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Looks for obstacles to CUDA in files of the system, without calling NVIDIA's driver. Returns a
 * text that describes the first obstacle, or NULL. Free the text. If there is an obstacle, sets
 * `fix` to a static text that says how to remove it. Sets `has_gpu` to whether a file is a sign of
 * an NVIDIA GPU. `root` is the root of the file system, "/" except in tests. */
gchar *gpu_facts_find_obstacle(const gchar *root, const gchar **fix, gboolean *has_gpu);

G_END_DECLS
