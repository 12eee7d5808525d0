/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "element.h"

G_BEGIN_DECLS

/* Installs all properties of the element and their accessors. */
void gst_cuda_conv_install_properties(GObjectClass *klass);

/* Sets and commits the values that the control bindings have at stream time `time`. */
void gst_cuda_conv_sync_properties(GstCudaConv *self, GstClockTime time);

/* The properties in `set` that an enabled control binding drives. Any thread. */
CcOptionSet gst_cuda_conv_list_bound(GstCudaConv *self, CcOptionSet set);

/* Emits notify for the properties in `set`, which changed without a call that set them. */
void gst_cuda_conv_notify(GstCudaConv *self, CcOptionSet set);

G_END_DECLS
