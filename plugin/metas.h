/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Metas: which of them live on with other pixels and at another size, and how. */

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Whether a meta can still hold for a picture of the same colours but other pixels. */
gboolean cc_meta_survives(GType api);

/* Whether a meta of a frame `in` shall be copied as it is. One that is bound to a size which
 * changes is scaled and added to `out` here, or lost when its kind cannot be scaled. */
gboolean cc_meta_transform(GstBuffer *out, GstMeta *meta, GstBuffer *in,
                           const GstVideoInfo *in_info, const GstVideoInfo *out_info);

G_END_DECLS
