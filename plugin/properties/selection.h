/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The choice of the filter: the values of the properties, as far as they are valid. Used by the
 * streaming thread. It depends on neither caps nor buffers. */

#include "element.h"

G_BEGIN_DECLS

/* Uses a filter for the following frames. FALSE: the filter cannot work, and nothing has changed.
 */
typedef gboolean (*CcUseFilter)(GstCudaConv *self, const CcFilter *filter, gpointer data,
                                GError **error);

/* Begins a new stream, which has no filter yet. */
void gst_cuda_conv_begin_selection(GstCudaConv *self);

/* Whether the values of the properties together can work for any frame. Called at the start. */
gboolean gst_cuda_conv_check_properties(GstCudaConv *self, GError **error);

/* Uses the values of the properties for frames with new caps. If they cannot work, uses the
 * previous filter, sets the properties back to it, and posts a warning. FALSE: no filter can be
 * used. */
gboolean gst_cuda_conv_choose_filter(GstCudaConv *self, CcUseFilter use, gpointer data,
                                     GError **error);

/* Does the same at a frame boundary, if the properties have changed. */
void gst_cuda_conv_update_filter(GstCudaConv *self, CcUseFilter use, gpointer data);

G_END_DECLS
