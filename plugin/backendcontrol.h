/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which backend the element works on, and in which context. */

#include "gstcudaconv.h"

G_BEGIN_DECLS

/* Opens the backend that the properties ask for, unless it is open already, in a context that
 * others offer where there is one. Posts an error when there is no such backend. */
gboolean gst_cuda_conv_open_backend(GstCudaConv *self);

/* No program and no frame may be left. */
void gst_cuda_conv_close_backend(GstCudaConv *self);

/* Closes the backend that is kept open in the context before the one of now, if there is one. */
void gst_cuda_conv_close_previous(GstCudaConv *self);

/* Whether frames may be in CUDA memory as far as the backend is concerned, or will be when it has
 * been opened. Any thread. */
gboolean gst_cuda_conv_takes_cuda(GstCudaConv *self);

/* The same, or frames are in CUDA memory still: after a failover, until the neighbours have
 * followed. Any thread. */
gboolean gst_cuda_conv_has_cuda(GstCudaConv *self);

/* The context that the backend works in, for memory and for neighbours (transfer full); NULL when
 * it has none. Any thread. */
GstObject *gst_cuda_conv_ref_context(GstCudaConv *self);

/* Moves to the context of a frame in CUDA memory, unless the properties insist on another device.
 * The frames in flight are pushed before. The backend in the context before stays open, since
 * frames of two contexts may come in turn. Where the device does not work there, it fails over. */
gboolean gst_cuda_conv_follow_context(GstCudaConv *self, GstBuffer *in, GError **error);

/* Moves to the CPU after an error of the device, where the properties leave the choice: the frames
 * in flight are filtered again, the programs are made anew and a warning is posted. FALSE: it is no
 * error of the device, there is no other backend, or it does not work either. */
gboolean gst_cuda_conv_fail_over(GstCudaConv *self, const GError *error);

G_END_DECLS
