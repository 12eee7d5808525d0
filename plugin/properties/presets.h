/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Presets: those that are compiled in, and the user's in GStreamer's own files. They hold the
 * properties that affect pixels, and take effect as a whole. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* A preset of the user stands for one that is compiled in under the same name. What is compiled in
 * can be loaded and read, and not be changed, renamed or deleted; saving under its name makes one
 * of the user. */
void gst_cuda_conv_preset_interface_init(GstPresetInterface *interface);

G_END_DECLS
