/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Presets: the compiled-in ones, and the user's in GStreamer's files. They hold the properties that
 * affect pixels. Loading one is a single change. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* A user's preset hides a compiled-in one with the same name. Compiled-in presets can be loaded and
 * read, but not changed, renamed or deleted. Saving under such a name creates a user's preset. */
void gst_cuda_conv_preset_interface_init(GstPresetInterface *interface);

G_END_DECLS
