/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "element.h"

G_BEGIN_DECLS

/* Installs all properties of the element with their accessors. */
void gst_cuda_conv_install_properties(GObjectClass *klass);

/* Tells others that these have changed, other than by being set. */
void gst_cuda_conv_notify(GstCudaConv *self, CcPropertySet set);

G_END_DECLS
