/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Dry runs of `cudaconv plan`. They check that a video gives the same frames after a seek as from
 * its start, that the filter accepts its settings, and that the packets of an encoder fit the
 * container. */

#include <gst/gst.h>

#include "app/convert/media.h"

G_BEGIN_DECLS

/* Sets the number of chunks of `chunk_length`. The last chunk is the one with the video's last
 * frame. Returns FALSE if the video cannot seek, or the file does not state its length. If the
 * video is longer than one chunk, reads a frame in its first seconds twice: once from the start and
 * once after a seek. Then reads the last frame. Returns FALSE if the two readings differ, as in
 * containers whose times are estimates. */
gboolean probe_video(const gchar *path, GstClockTime chunk_length, guint64 *chunks, GError **error);

/* Filters a small frame with backend=cpu. The CPU refuses the same settings as a GPU, so the
 * machine that plans needs no GPU. Leaves the filter's property backend at "cpu". Returns FALSE
 * with the error of the filter. */
gboolean probe_filter(GstElement *filter, GError **error);

/* Encodes some small frames into a container, with the encoder `description` (the value of
 * --encoder). Returns FALSE with an error if the encoder does not fit the container, or if its
 * packets do not have the times of the frames. */
gboolean probe_encoder(const gchar *description, const Media *media, GError **error);

G_END_DECLS
