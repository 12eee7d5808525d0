/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A frame of the session whose input and output are GStreamer's buffers. */

#include "engine/run/session.h"
#include "mappedframe.h"

G_BEGIN_DECLS

/* A frame that is filtered from `in`, which it refers to, into `out`, which it owns; nobody else
 * may refer to that. Both have these caps. */
CcSessionFrame *cc_buffer_frame_new(GstBuffer *in, const GstVideoInfo *in_info, GstBuffer *out,
                                    const GstVideoInfo *out_info);

/* Frees the frame and gives the buffer with the result to the caller. It is in system memory where
 * `out` was in memory of a device that could not be mapped any more; then *lost is `out` and the
 * caller's, and else it is NULL. */
GstBuffer *cc_buffer_frame_free_to_output(CcSessionFrame *frame, GstBuffer **lost);

/* Copies the frame in `system` into `to`, which has one memory of a device, with these caps. */
gboolean cc_buffer_copy_to_device(GstBuffer *to, GstBuffer *system, const GstVideoInfo *info,
                                  GError **error);

G_END_DECLS
