/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which filter runs: what the properties say, as far as it works. Used by the streaming thread. */

#include "element.h"

G_BEGIN_DECLS

/* The stride that caps are made with: that of the stream, or of the properties while there is none.
 * Any thread. */
guint gst_cuda_conv_current_stride(GstCudaConv *self);

/* At the start: whether what the properties say together can work on any frame. */
gboolean gst_cuda_conv_check_properties(GstCudaConv *self, GError **error);

/* Lets the frames that come next, which have these caps, go through what the properties say, or,
 * when that cannot work, through what ran before; then the properties read that again, which is
 * told. At the start of a stream nothing ran before, and the caps are refused. */
gboolean gst_cuda_conv_choose_filter(GstCudaConv *self, const GstCaps *caps,
                                     const CcFrameLayout *layout, GError **error);

/* Follows the properties at a frame boundary. */
void gst_cuda_conv_follow_properties(GstCudaConv *self);

G_END_DECLS
