/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which metas are copied to output frames, and how metas are scaled. */

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Whether a meta of this API type stays valid if the pixels of the frame change but its colors keep
 * their meaning. */
gboolean cc_meta_survives(GType api);

/* Removes the metas of a buffer whose pixels change in place, except those that cc_meta_survives
 * and those that describe the memory of the frame. */
void cc_metas_remove_stale(GstBuffer *buffer);

/* Returns whether the caller must copy a meta of `in` unchanged. A meta that depends on the size is
 * handled here if the size changes: it is scaled and added to `out`, or dropped if its type cannot
 * be scaled. */
gboolean cc_meta_transform(GstBuffer *out, GstMeta *meta, GstBuffer *in,
                           const GstVideoInfo *in_info, const GstVideoInfo *out_info);

G_END_DECLS
