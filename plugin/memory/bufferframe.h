/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A frame of the session whose input and output are GStreamer's buffers. */

#include "engine/session.h"
#include "mappedframe.h"

G_BEGIN_DECLS

/* A frame that is filtered from `in`, which it refers to, into `out`, which it owns; nobody else
 * may refer to that. Both have these caps. */
CcSessionFrame *cc_buffer_frame_new(GstBuffer *in, const GstVideoInfo *in_info, GstBuffer *out,
                                    const GstVideoInfo *out_info);

/* Frees the frame and gives its output to the caller. */
GstBuffer *cc_buffer_frame_free_to_output(CcSessionFrame *frame);

G_END_DECLS
