/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Presets are compiled in, or stored by the user in GStreamer's files. A preset holds the
 * properties that affect pixels. Loading a preset changes them all at once. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* A user's preset hides a compiled-in one with the same name. Compiled-in presets can be loaded and
 * read, but not changed, renamed or deleted. Saving under the name of a compiled-in preset creates
 * a user's preset. */
void gst_cuda_conv_preset_interface_init(GstPresetInterface *interface);

G_END_DECLS
