/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include "cuda/launch.h"

G_BEGIN_DECLS

typedef struct {
  guint n_blocks;     /* of the grid */
  guint across, down; /* threads of a block */
  guint shared_bytes; /* dynamic shared memory of a block */
} FakeGrid;

/* Runs the kernel `name`. Aborts if no .cu file has it. */
void fake_launch(const gchar *name, const FakeGrid *grid, const CcLaunch *launch);

G_END_DECLS
