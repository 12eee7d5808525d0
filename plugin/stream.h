/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Frames on their way through the element, in its streaming thread: into the backend, and out again
 * when as many are under way as may be. */

#include "gstcudaconv.h"

G_BEGIN_DECLS

/* Takes over the functions of the base class that handle buffers. */
void gst_cuda_conv_install_frame_functions(GstBaseTransformClass *klass);

/* How many frames may be under way at once in a pipeline that is not live. */
guint gst_cuda_conv_most_in_flight(GstCudaConv *self);

/* Pushes everything in flight, in order. */
void gst_cuda_conv_drain(GstCudaConv *self);

/* Ends the stream with the one error that it gets; what is still in flight is dropped. */
GstFlowReturn gst_cuda_conv_fail(GstCudaConv *self, const GError *error);

G_END_DECLS
