/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Hashes of raw frames. */

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Adds the samples of a frame: the rows of each plane without what is between them, one plane after
 * the other, which is how raw video lies in a file. FALSE when the frame cannot be read. */
gboolean frames_update(GChecksum *checksum, GstBuffer *buffer, const GstVideoInfo *info);

/* The MD5 of one frame, or NULL. */
gchar *frames_hash(GstBuffer *buffer, GstCaps *caps);

G_END_DECLS
