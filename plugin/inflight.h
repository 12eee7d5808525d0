/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How many frames the element has under way before it pushes the first of them, and how much later
 * frames leave because of that. */

#include "element.h"

G_BEGIN_DECLS

/* How many frames may be under way at once in a pipeline that is not live. Any thread. */
guint gst_cuda_conv_most_in_flight(GstCudaConv *self);

/* Decides how many frames to keep back, so that transfers and kernels overlap: when that delays
 * nobody and memory is there for them, or the properties ask for it. A live pipeline whose caps
 * have no frame rate has none. `in` is a frame of the stream. For the streaming thread. */
void gst_cuda_conv_decide_held_frames(GstCudaConv *self, GstBuffer *in);

G_END_DECLS
