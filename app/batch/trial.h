/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Frames through a filter and an encoder before a job is planned with them. */

#include "app/convert/media.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* Filters a small frame on the CPU, whose filter refuses the settings that a GPU's refuses; so the
 * machine needs none. Sets the filter's backend. FALSE with what the filter says against its
 * settings. */
gboolean trial_run(GstElement *filter, GError **error);

/* Encodes some small frames into a container, with what --encoder gives. FALSE with what does not
 * fit. */
gboolean trial_encode(const gchar *description, const Media *media, GError **error);

G_END_DECLS
