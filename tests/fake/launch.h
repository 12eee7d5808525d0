/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include "cuda/launch.h"

/* Does what the kernel `name` would do with `launch` on a grid of `grid` blocks: the samples that
 * the grid covers, one by one. Aborts on a name that no .cu file has. */
void fake_launch(const gchar *name, const guint grid[3], const CcLaunch *launch);
