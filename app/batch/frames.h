/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Hashes of raw frames, which tell what is in them, not how that lies in memory: NV12 of one
 * decoder and I420 of another one give the same. */

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Adds the samples of a frame: those of each component, row by row, one component after the other,
 * as raw video of a planar format lies in a file; samples of more than 8 bits as two bytes, the
 * lower one first. Of the few formats whose samples share bytes, the rows of each plane. FALSE when
 * the frame cannot be read. */
gboolean frames_update(GChecksum *checksum, GstBuffer *buffer, const GstVideoInfo *info);

/* The MD5 of one frame, or NULL. */
gchar *frames_hash(GstBuffer *buffer, GstCaps *caps);

G_END_DECLS
