/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which filter runs: what the properties say, as far as it works. Used by the streaming thread. It
 * knows neither caps nor buffers. */

#include "element.h"

G_BEGIN_DECLS

/* Lets the frames that come next go through a filter. FALSE: it cannot work, and nothing has
 * changed. */
typedef gboolean (*CcUseFilter)(GstCudaConv *self, const CcFilter *filter, gpointer data,
                                GError **error);

/* A new stream begins, in which nothing runs yet. */
void gst_cuda_conv_begin_selection(GstCudaConv *self);

/* At the start: whether what the properties say together can work on any frame. */
gboolean gst_cuda_conv_check_properties(GstCudaConv *self, GError **error);

/* Uses what the properties say for frames of other caps, or, if that cannot work, what ran before;
 * then the properties read that again, which a warning reports. FALSE: nothing can be used, or
 * nothing ran before. */
gboolean gst_cuda_conv_choose_filter(GstCudaConv *self, CcUseFilter use, gpointer data,
                                     GError **error);

/* The same at a frame boundary, if the properties have changed. */
void gst_cuda_conv_update_filter(GstCudaConv *self, CcUseFilter use, gpointer data);

G_END_DECLS
