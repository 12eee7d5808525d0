/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Buffers and metas: which pool the output comes from, what upstream is told, which metas live on.
 */

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Puts a pool into the answer to the allocation query on the source pad, downstream's where it
 * offers one. `n_held` is how many output buffers this element keeps back at most. */
void cc_choose_output_pool(GstQuery *query, guint n_held);

/* Adds a pool, and that any stride and offset is welcome, to upstream's allocation query. */
void cc_propose_input_pool(GstQuery *query, guint n_held);

/* Whether a meta still holds for a picture of the same size and colours but other pixels. */
gboolean cc_meta_survives(GType api);

G_END_DECLS
