/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A frame's way through the element, in its streaming thread: checked, prepared, submitted to the
 * session, and taken and pushed when as many are under way as may be. */

#include "element.h"

G_BEGIN_DECLS

/* Takes over the functions of the base class that handle buffers. */
void gst_cuda_conv_install_frame_functions(GstBaseTransformClass *klass);

/* Pushes all frames under way, in order; what the pushes returned. Nothing is pushed when
 * downstream said before that it takes no more, nor after it says so: the frames are dropped then.
 */
GstFlowReturn gst_cuda_conv_drain(GstCudaConv *self);

/* Ends the stream with the one error that it gets; what is still under way is dropped. */
GstFlowReturn gst_cuda_conv_fail(GstCudaConv *self, const GError *error);

G_END_DECLS
