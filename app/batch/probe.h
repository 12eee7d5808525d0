/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Dry runs before a job is planned: whether a video can be read from any of its times, whether the
 * filter takes its settings, and whether an encoder gives packets that can be put together. */

#include <gst/gst.h>

#include "app/convert/media.h"

G_BEGIN_DECLS

/* The number of chunks of `chunk_length` that have frames. Reads a frame in the first seconds of
 * the video twice, from the start and from shortly before it, and the last frame. FALSE when the
 * two readings differ, as with containers whose times are estimates, or the video cannot be read
 * from other times than its start, or it does not state its length. */
gboolean probe_video(const gchar *path, GstClockTime chunk_length, guint64 *chunks, GError **error);

/* Filters a small frame on the CPU, whose filter refuses the settings that a GPU's refuses; so the
 * machine needs none. Sets the filter's backend. FALSE with the error of the filter. */
gboolean probe_filter(GstElement *filter, GError **error);

/* Encodes some small frames into a container, with the encoder that --encoder gives. FALSE with an
 * error that says why the two do not fit. */
gboolean probe_encoder(const gchar *description, const Media *media, GError **error);

G_END_DECLS
