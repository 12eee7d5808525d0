/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "element.h"

G_BEGIN_DECLS

/* Installs all properties of the element with their accessors. */
void gst_cuda_conv_install_properties(GObjectClass *klass);

/* Sets and commits the values that control bindings have for a stream time. */
void gst_cuda_conv_sync_properties(GstCudaConv *self, GstClockTime time);

/* Those in `set` that a control binding drives, which is not disabled. Any thread. */
CcOptionSet gst_cuda_conv_list_bound(GstCudaConv *self, CcOptionSet set);

/* Notifies that these have changed in another way than by being set. */
void gst_cuda_conv_notify(GstCudaConv *self, CcOptionSet set);

G_END_DECLS
