/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A frame's way through the element, in its streaming thread: checked, prepared, submitted to the
 * session, and taken and pushed when as many are under way as may be. It knows no options but
 * in-flight. */

#include "element.h"

G_BEGIN_DECLS

/* Between these two the session is used. */
void gst_cuda_conv_begin_flow(GstCudaConv *self);
void gst_cuda_conv_end_flow(GstCudaConv *self);

/* Whether a buffer can be filtered, before any memory is taken for it. Moves the session to the
 * context of the buffer. */
GstFlowReturn gst_cuda_conv_check_frame(GstCudaConv *self, GstBuffer *in);

/* The boundary in front of a frame, with the filter chosen that it gets. The base class marks the
 * next buffer that it pushes as discontinuous, and negotiates here, so earlier frames leave before
 * that. */
GstFlowReturn gst_cuda_conv_begin_frame(GstCudaConv *self, GstBuffer *in);

/* Puts the buffer under way that the base class has queued, and takes a frame that is due, which is
 * then to be pushed; *out is NULL when none is. */
GstFlowReturn gst_cuda_conv_process_frame(GstCudaConv *self, GstBuffer **out);

/* Pushes all frames under way, in order; what the pushes returned. Nothing is pushed when
 * downstream said before that it takes no more, nor after it says so: the frames are dropped then.
 */
GstFlowReturn gst_cuda_conv_drain(GstCudaConv *self);

/* Ends the stream with the one error that it gets; what is still under way is dropped. */
GstFlowReturn gst_cuda_conv_fail(GstCudaConv *self, const GError *error);

/* How many frames may be under way at once in a pipeline that is not live. Any thread. */
guint gst_cuda_conv_max_in_flight(GstCudaConv *self);

/* Has the number of frames that are kept back decided anew with the next frame. */
void gst_cuda_conv_decide_held_again(GstCudaConv *self);

/* Has both sides negotiate their memory anew as soon as frames flow. */
void gst_cuda_conv_negotiate_memory_again(GstCudaConv *self);

G_END_DECLS
