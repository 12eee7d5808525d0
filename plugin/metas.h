/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Metas: which ones are kept for output frames, and how they are scaled. */

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Whether a meta stays valid for a frame of the same colors but other pixels. */
gboolean cc_meta_survives(GType api);

/* Whether a meta of `in` is to be copied unchanged. If the meta depends on the size and the size
 * changes, it is scaled and added to `out` here, or dropped if its kind cannot be scaled. */
gboolean cc_meta_transform(GstBuffer *out, GstMeta *meta, GstBuffer *in,
                           const GstVideoInfo *in_info, const GstVideoInfo *out_info);

G_END_DECLS
