/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Caps: what frames are like in front of the element and behind it, and which memory they are in
 * there. */

#include "element.h"

G_BEGIN_DECLS

/* Takes over the functions of the base class that negotiate. */
void gst_cuda_conv_install_negotiation(GstBaseTransformClass *klass);

/* The next stream begins without caps. */
void gst_cuda_conv_forget_caps(GstCudaConv *self);

/* Whether the query is that of the element in front about memory, and answered. Any thread. */
gboolean gst_cuda_conv_answer_query(GstCudaConv *self, GstQuery *query);

/* Takes an event with new caps. No frame may be under way. */
gboolean gst_cuda_conv_take_caps(GstCudaConv *self, GstEvent *event);

/* Negotiates anew with the caps that the input has. Frames that are still under way have to be good
 * for the caps that come of it. */
gboolean gst_cuda_conv_negotiate_again(GstCudaConv *self);

/* Lets frames leave in another domain than now from the next negotiation on, if downstream takes
 * one. */
void gst_cuda_conv_avoid_domain(GstCudaConv *self);

G_END_DECLS
