/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The engine's layouts for GStreamer's video formats. */

#include <gst/video/video.h>
#include "engine/frame.h"

G_BEGIN_DECLS

/* Sets the layout of frames described by `info`. The format must be in the list in formats.h.
 * CC_ERROR_INVALID if a frame is too large for a buffer. */
gboolean cc_frame_layout_from_video_info(const GstVideoInfo *info, CcFrameLayout *layout,
                                         GError **error);

G_END_DECLS
