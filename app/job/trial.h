/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A frame through a filter before a job is planned with it. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* Filters a small frame on the CPU, whose filter refuses the settings that a GPU's refuses; so the
 * machine needs none. Sets the filter's backend. FALSE with what the filter says against its
 * settings. */
gboolean trial_run(GstElement *filter, GError **error);

G_END_DECLS
