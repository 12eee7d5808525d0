/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Caps: what frames are like in front of the element and behind it, and which memory they are in
 * there. */

#include "element.h"

G_BEGIN_DECLS

/* Takes over the functions of the base class that negotiate, but for set_caps. */
void gst_cuda_conv_install_negotiation(GstBaseTransformClass *klass);

/* The next stream begins without caps. */
void gst_cuda_conv_forget_caps(GstCudaConv *self);

/* Whether the query is that of the element in front about memory, and answered. Any thread. */
gboolean gst_cuda_conv_answer_query(GstCudaConv *self, GstQuery *query);

/* New caps of the input, before the base class negotiates the output for them, which the stride
 * decides: begin describes the frames and fails with CC_ERROR_INVALID, and end says whether the
 * element and the base class accept them. Upstream may try the same caps many times; an error is
 * posted once. No frame may be under way. */
gboolean gst_cuda_conv_begin_caps(GstCudaConv *self, GstCaps *caps, CcFrameLayout *layout,
                                  GError **error);
void gst_cuda_conv_end_caps(GstCudaConv *self, gboolean accepted, const GError *error);

/* The caps that were negotiated. */
gboolean gst_cuda_conv_set_caps(GstCudaConv *self, GstCaps *in_caps, GstCaps *out_caps);

/* The stride that caps are made with: that of the stream, or of the properties while there is none.
 * Any thread. */
guint gst_cuda_conv_current_stride(GstCudaConv *self);

/* Makes the caps of the output with this stride from now on; 0: there is no stream. */
void gst_cuda_conv_set_stride(GstCudaConv *self, guint stride);

/* Whether downstream takes what `stride` makes of these caps. */
gboolean gst_cuda_conv_check_stride(GstCudaConv *self, const GstCaps *caps, guint stride,
                                    GError **error);

/* Negotiates anew with the caps that the input has. Frames that are still under way have to be good
 * for the caps that come of it. */
gboolean gst_cuda_conv_negotiate_again(GstCudaConv *self);

/* Lets frames leave in another domain than now from the next negotiation on, if downstream takes
 * one. */
void gst_cuda_conv_avoid_domain(GstCudaConv *self);

G_END_DECLS
