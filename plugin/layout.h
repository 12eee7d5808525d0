/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* From GStreamer's video formats to the engine's. */

#include <gst/video/video.h>
#include "engine/frame.h"

G_BEGIN_DECLS

/* The layout of pictures with these caps, for any format whose components are whole samples of 8 or
 * 16 bits. CC_ERROR_INVALID when a frame is too large for a buffer. */
gboolean cc_frame_layout_from_video_info(const GstVideoInfo *info, CcFrameLayout *layout,
                                         GError **error);

G_END_DECLS
