/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Frames as the CPU backend filters them. */

#include "engine/plan/filter.h"
#include "tests/ref/guarded.h"

G_BEGIN_DECLS

/* What a variant (NULL: the best one that there is) makes of `src` on so many threads. Nothing is
 * written outside of the samples. */
GuardedFrame *filtered_frame_new(const CcFilter *filter, const gchar *variant, guint n_threads,
                                 const GuardedFrame *src);

G_END_DECLS
