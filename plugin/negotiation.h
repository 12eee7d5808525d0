/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Negotiation of caps and memory domains on both sides of the element. */

#include "element.h"

G_BEGIN_DECLS

/* Sets the base class's virtual functions for negotiation, except set_caps. */
void gst_cuda_conv_install_negotiation(GstBaseTransformClass *klass);

/* Clears the caps for the next stream. */
void gst_cuda_conv_forget_caps(GstCudaConv *self);

/* Answers the custom query of an upstream cudaconv about memory. FALSE: `query` is of
 * another kind. Any thread. */
gboolean gst_cuda_conv_answer_query(GstCudaConv *self, GstQuery *query);

/* Handle new input caps. begin is called before the base class negotiates the output caps, which
 * depend on the stride. It sets the layout of the frames, or fails with CC_ERROR_INVALID. end is
 * called with the result, `accepted`: whether the element and the base class accept the caps.
 * Upstream may try the same caps many times, but the error is posted once. No frame may be in
 * flight. */
gboolean gst_cuda_conv_begin_caps(GstCudaConv *self, GstCaps *caps, CcFrameLayout *layout,
                                  GError **error);
void gst_cuda_conv_end_caps(GstCudaConv *self, gboolean accepted, const GError *error);

/* Stores the negotiated caps. */
gboolean gst_cuda_conv_set_caps(GstCudaConv *self, GstCaps *in_caps, GstCaps *out_caps);

/* The stride for converting caps: the stream's stride, or the committed property if there is no
 * stream. Any thread. */
guint gst_cuda_conv_current_stride(GstCudaConv *self);

/* Sets the stride for output caps; 0: no stream. */
void gst_cuda_conv_set_stride(GstCudaConv *self, guint stride);

/* Whether downstream accepts the output caps that result from the input caps `caps` and `stride`.
 */
gboolean gst_cuda_conv_check_stride(GstCudaConv *self, const GstCaps *caps, guint stride,
                                    GError **error);

/* Negotiates again with the current input caps. Frames in flight must match the new output caps. */
gboolean gst_cuda_conv_negotiate_again(GstCudaConv *self);

/* Sets whether downstream accepts frames with a GstVideoMeta. */
void gst_cuda_conv_set_passes_video_meta(GstCudaConv *self, gboolean passes);

/* Avoids the current output domain from the next negotiation on, if downstream accepts another. */
void gst_cuda_conv_avoid_domain(GstCudaConv *self);

G_END_DECLS
