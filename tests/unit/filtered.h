/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Frames filtered by the CPU backend. */

#include "engine/plan/filter.h"
#include "engine/plan/region.h"
#include "tests/ref/guarded.h"

G_BEGIN_DECLS

/* Filters `src` with a CPU variant (NULL: the best available) and `n_threads` threads. Checks that
 * nothing outside of the samples is written. */
GuardedFrame *filtered_frame_new(const CcFilter *filter, const gchar *variant, guint n_threads,
                                 const GuardedFrame *src);

/* The same, but filters only a region. */
GuardedFrame *filtered_region_new(const CcFilter *filter, const CcRegion *region,
                                  const gchar *variant, guint n_threads, const GuardedFrame *src);

G_END_DECLS
