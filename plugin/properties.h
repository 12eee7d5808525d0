/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Installs all properties of the element with their accessors. */
void gst_cuda_conv_install_properties(GObjectClass *klass);

G_END_DECLS
