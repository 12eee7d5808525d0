/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Dry runs at plan. They check that a video can be read from any of its times, that the filter
 * accepts its settings, and that the packets of an encoder can be joined. */

#include <gst/gst.h>

#include "app/convert/media.h"

G_BEGIN_DECLS

/* Sets the number of chunks of `chunk_length`, up to the one with the last frame. Reads a frame in
 * the first seconds of the video twice, once from the start and once after a seek, and the last
 * frame. Returns FALSE if the two readings differ (containers whose times are estimates), the video
 * cannot seek, or the file does not state its length. */
gboolean probe_video(const gchar *path, GstClockTime chunk_length, guint64 *chunks, GError **error);

/* Filters a small frame with backend=cpu, which refuses the same settings as a GPU, so the planning
 * machine needs no GPU. Changes the filter's backend. Returns FALSE with the error of the filter.
 */
gboolean probe_filter(GstElement *filter, GError **error);

/* Encodes some small frames into a container with the encoder of --encoder. Returns FALSE with an
 * error if the encoder does not fit the container. */
gboolean probe_encoder(const gchar *description, const Media *media, GError **error);

G_END_DECLS
