/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The path of a frame through the element, in the streaming thread. A frame is checked, prepared
 * and submitted to the session. The oldest frame is taken and pushed when more frames are in flight
 * than the element holds back. The only property used here is in-flight. */

#include "element.h"

G_BEGIN_DECLS

/* Begins and ends the time in which the session may get frames. */
void gst_cuda_conv_begin_flow(GstCudaConv *self);
void gst_cuda_conv_end_flow(GstCudaConv *self);

/* Checks the input buffer `in` before an output buffer is allocated. If `in` is in another CUDA
 * context, moves the session to that context, or leaves the frame to be copied. */
GstFlowReturn gst_cuda_conv_check_frame(GstCudaConv *self, GstBuffer *in);

/* Called after the filter of the frame was chosen. If the output must be negotiated again, pushes
 * the earlier frames first, then negotiates. Also pushes the earlier frames if the frame is
 * discontinuous, because the base class marks the next buffer that it pushes as discontinuous. */
GstFlowReturn gst_cuda_conv_begin_frame(GstCudaConv *self, GstBuffer *in);

/* Submits the buffer that the base class has queued. Sets *out to a finished frame, which the
 * caller pushes, or to NULL. */
GstFlowReturn gst_cuda_conv_process_frame(GstCudaConv *self, GstBuffer **out);

/* Pushes all frames in flight, in order, and returns the result of the pushes. If downstream
 * refuses a frame, the remaining frames are dropped. */
GstFlowReturn gst_cuda_conv_drain(GstCudaConv *self);

/* Drops the frames in flight. Nothing is filtered until a restart. Posts the error unless the
 * stream already failed or downstream has failed. */
GstFlowReturn gst_cuda_conv_fail(GstCudaConv *self, const GError *error);

/* The maximum number of frames in flight at once if the element holds frames back. Any thread. */
guint gst_cuda_conv_max_in_flight(GstCudaConv *self);

/* Makes the next frame decide again how many frames the element holds back. */
void gst_cuda_conv_decide_held_again(GstCudaConv *self);

/* Makes both sides negotiate their memory again at the next frame in PLAYING. */
void gst_cuda_conv_negotiate_memory_again(GstCudaConv *self);

G_END_DECLS
