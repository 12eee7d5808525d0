/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The kernels of the comparison: the named ones at all sizes, sampled Gaussians, and random
 * matrices of all shapes and kinds of coefficients. */

#include "engine/kernel/kernel.h"

G_BEGIN_DECLS

typedef struct {
  CcKernel *kernel; /* owned */
  guint size;       /* 0: the kernel's own */
  gdouble sigma;
  guint n_matrices;
  gchar *label;
  gboolean is_long; /* wider or higher than CC_MAX_LINE_SIZE */
} TestKernel;

/* Makes an array of TestKernel that owns the kernels. `seed` determines the random ones. */
GArray *test_kernels_new(guint32 seed);

G_END_DECLS
