/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A frame of the session whose input and output are GstBuffers. */

#include "engine/run/session.h"
#include "mappedframe.h"

G_BEGIN_DECLS

/* Makes a frame that is filtered from `in`, which it references, into `out`, which it takes over;
 * `out` must have no other reference. The infos are those of the caps. */
CcSessionFrame *cc_buffer_frame_new(GstBuffer *in, const GstVideoInfo *in_info, GstBuffer *out,
                                    const GstVideoInfo *out_info);

/* Frees the frame and returns the buffer with the result (transfer full). That is a buffer in
 * system memory if `out` was in device memory that could not be mapped any more. *lost is then
 * `out` (transfer full), else NULL. */
GstBuffer *cc_buffer_frame_free_to_output(CcSessionFrame *frame, GstBuffer **lost);

/* Copies the frame in `system` into `to`, which has one memory of a device and these caps. */
gboolean cc_buffer_copy_to_device(GstBuffer *to, GstBuffer *system, const GstVideoInfo *info,
                                  GError **error);

G_END_DECLS
