/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* MD5 of files and of raw frames. It detects damage and mistakes, not forgery. */

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Returns the hash of all bytes of a file, or NULL with an error if it cannot be read. Free it. */
gchar *hash_file(const gchar *path, GError **error);

/* Returns the hash of a sample of a file: the size, the first and the last 64 KiB, and 64 blocks of
 * 4 KiB evenly spread over the rest. Small files are hashed completely. If a file is replaced by
 * another, truncated or encoded again, its hash changes. If a few bytes change, its hash may stay
 * the same. Hashing takes milliseconds for a file of any size. Free the hash. */
gchar *hash_file_sample(const gchar *path, GError **error);

/* Adds the samples of a frame (the values of its pixels) to the checksum, component by component
 * and row by row. This is their order in a file of raw planar video. Samples of more than 8 bits
 * are two bytes, little-endian. So a frame has the same hash in NV12 and in I420, which different
 * decoders may output. In a few formats, samples share bytes or are indices into a palette. For
 * these formats, adds the rows of each plane instead. For planes of tiles, adds all bytes. Returns
 * FALSE if the frame cannot be mapped. */
gboolean hash_add_frame(GChecksum *checksum, GstBuffer *buffer, const GstVideoInfo *info);

/* Returns the hash of one frame, or NULL. Free it. */
gchar *hash_frame(GstBuffer *buffer, GstCaps *caps);

G_END_DECLS
