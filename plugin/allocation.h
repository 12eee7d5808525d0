/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Buffers: which pool the output comes from, and what upstream is told. */

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Puts a pool into the answer to the allocation query on the source pad, downstream's where it
 * offers one. `n_held` is how many output buffers this element keeps back at most. */
void cc_choose_output_pool(GstQuery *query, guint n_held);

/* Adds a pool, and that any stride and offset is welcome, to upstream's allocation query. */
void cc_propose_input_pool(GstQuery *query, guint n_held);

G_END_DECLS
