/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The first obstacle that the system shows to CUDA, without a call of NVIDIA's driver; NULL when it
 * shows none. Free it. Sets `fix` to a text that is not freed, and `has_gpu` to whether anything
 * says that there is an NVIDIA GPU. `root` is the folder in which the file system starts: "/". */
gchar *gpu_facts_find_obstacle(const gchar *root, const gchar **fix, gboolean *has_gpu);

G_END_DECLS
