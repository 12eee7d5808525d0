/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The path of a frame through the element, in the streaming thread. A frame is checked, prepared
 * and submitted to the session. The oldest frame is taken and pushed when the maximum is in flight.
 * The only option used here is in-flight. */

#include "element.h"

G_BEGIN_DECLS

/* The session is used between these two calls. */
void gst_cuda_conv_begin_flow(GstCudaConv *self);
void gst_cuda_conv_end_flow(GstCudaConv *self);

/* Checks whether a buffer can be filtered, before memory is allocated for it. Moves the session to
 * the context of the buffer. */
GstFlowReturn gst_cuda_conv_check_frame(GstCudaConv *self, GstBuffer *in);

/* Handles the boundary before a frame, after the filter of the frame was chosen. Earlier frames are
 * pushed here if necessary, because the base class then negotiates and marks its next buffer as
 * discontinuous. */
GstFlowReturn gst_cuda_conv_begin_frame(GstCudaConv *self, GstBuffer *in);

/* Submits the buffer that the base class has queued. Sets *out to a frame to be pushed, or to NULL.
 */
GstFlowReturn gst_cuda_conv_process_frame(GstCudaConv *self, GstBuffer **out);

/* Pushes all frames in flight, in order, and returns the result of the pushes. Once downstream has
 * refused a frame, the remaining frames are dropped. */
GstFlowReturn gst_cuda_conv_drain(GstCudaConv *self);

/* Ends the stream, posts the one error of the stream, and drops the frames in flight. */
GstFlowReturn gst_cuda_conv_fail(GstCudaConv *self, const GError *error);

/* How many frames may be in flight at once in a pipeline that is not live. Any thread. */
guint gst_cuda_conv_max_in_flight(GstCudaConv *self);

/* Makes the next frame decide again how many frames are held back. */
void gst_cuda_conv_decide_held_again(GstCudaConv *self);

/* Makes both sides negotiate their memory again as soon as frames flow. */
void gst_cuda_conv_negotiate_memory_again(GstCudaConv *self);

G_END_DECLS
