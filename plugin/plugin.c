/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Registers the element. Neither registration nor class initialisation looks for a device, so
 * scanning the plugin takes milliseconds on any machine. */

#include "element.h"

static gboolean
plugin_init(GstPlugin *plugin) {
  return GST_ELEMENT_REGISTER(cudaconv, plugin);
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, cudaconv,
                  "Convolution of raw video with small kernels, on CUDA or the CPU", plugin_init,
                  VERSION, "LGPL", PACKAGE, PACKAGE_ORIGIN)
