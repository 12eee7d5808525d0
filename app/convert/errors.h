/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Explains GStreamer's errors to users who do not know GStreamer. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns one line about a message of type ERROR. It begins with the name of the input if the input
 * is at fault, otherwise with the name of the output. An error of the filter is returned unchanged.
 * `missing` describes the decoders that were not found, or is NULL. */
gchar *error_explain(GstMessage *message, GstElement *filter, const gchar *input,
                     const gchar *output, const gchar *missing);

/* Returns an error about an input without video. `missing` (may be NULL) describes the decoders
 * that were not found. */
GError *error_no_video(const gchar *input, const gchar *missing);

/* TRUE if the disk is full, so that no other file can be written either. */
gboolean error_is_full_disk(const GError *error);

/* TRUE if `from`, the source of a message, belongs to the input. */
gboolean error_is_of_input(GstObject *from);

/* TRUE if the details of an error (may be NULL) say that an element does not accept the format of
 * frames. */
gboolean error_is_of_format(const gchar *details);

G_END_DECLS
