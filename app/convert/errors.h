/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What GStreamer's errors mean to somebody who does not know GStreamer. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* One line about a message of type ERROR: it begins with the name of what has to be fixed, the
 * input or the output, unless it is the filter's own. `missing` describes the decoders that were
 * not found, or is NULL. */
gchar *error_explain(GstMessage *message, GstElement *filter, const gchar *input,
                     const gchar *output, const gchar *missing);

/* An error about an input without video, or without a decoder for it. */
GError *error_no_video(const gchar *input, const gchar *missing);

/* Whether there was no space left for a file, so that no other one can be written either. */
gboolean error_is_full_disk(const GError *error);

/* Whether what the object says is about the input. */
gboolean error_is_of_input(GstObject *from);

G_END_DECLS
