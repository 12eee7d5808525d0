/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* MD5 of files and of raw frames: it finds damage and mistakes, not forgery. */

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Of all bytes of a file. NULL with an error when it cannot be read. */
gchar *hash_file(const gchar *path, GError **error);

/* Of a sample of a file: the size, the first and the last 64 KiB, and 64 blocks of 4 KiB evenly
 * spread over the rest; of small files, all bytes. It tells a file from another one and from one
 * that was cut or made anew, in milliseconds however large it is; it may miss a change of few
 * bytes. */
gchar *hash_file_sample(const gchar *path, GError **error);

/* Adds the samples of a frame: those of each component, row by row, one component after the other,
 * as raw video of a planar format lies in a file; samples of more than 8 bits as two bytes, the
 * lower one first. So NV12 of one decoder and I420 of another one give the same. Of the few formats
 * whose samples share bytes, the rows of each plane. FALSE when the frame cannot be read. */
gboolean hash_add_frame(GChecksum *checksum, GstBuffer *buffer, const GstVideoInfo *info);

/* The hash of one frame, or NULL. */
gchar *hash_frame(GstBuffer *buffer, GstCaps *caps);

G_END_DECLS
