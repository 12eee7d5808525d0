/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Chooses the filter from the values of the properties, and keeps the previous values of properties
 * that do not work. Used by the streaming thread, except gst_cuda_conv_check_properties. This code
 * does not depend on caps or buffers. */

#include "element.h"

G_BEGIN_DECLS

/* A function that makes the following frames use `filter`, which was made from `options`, and the
 * regions of `options`. FALSE: they cannot work, and nothing has changed. */
typedef gboolean (*CcUseFilter)(GstCudaConv *self, const CcFilter *filter, const CcOptions *options,
                                gpointer data, GError **error);

/* Begins a new stream, which has no filter yet. */
void gst_cuda_conv_begin_selection(GstCudaConv *self);

/* Whether a filter can be made from the combined values of the properties, for at least some
 * formats and sizes of frames. Called when the element starts, by the thread that starts it. */
gboolean gst_cuda_conv_check_properties(GstCudaConv *self, GError **error);

/* Chooses the filter for frames with new caps from the values of the properties. If some values
 * cannot work, keeps their previous values, sets the properties back to these, and posts a warning.
 * FALSE: the previous filter cannot be used either, or there is none. */
gboolean gst_cuda_conv_choose_filter(GstCudaConv *self, CcUseFilter use, gpointer data,
                                     GError **error);

/* Does the same as gst_cuda_conv_choose_filter between two frames, if the properties have changed.
 */
void gst_cuda_conv_update_filter(GstCudaConv *self, CcUseFilter use, gpointer data);

G_END_DECLS
