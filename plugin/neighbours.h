/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What elements of this kind in one process know of each other. Memory of a device is short for all
 * of them, and when a device fails it fails for all. They are called by each other rather than told
 * by events, which stop at pads that an application blocks and do not reach the next branch of a
 * tee. */

#include "element.h"

G_BEGIN_DECLS

/* Begins and ends to be known to the others, at start and stop, or when the element ends. */
void gst_cuda_conv_join(GstCudaConv *self);
void gst_cuda_conv_leave(GstCudaConv *self);

/* All others that are known now, with a reference to each. Any thread. */
GPtrArray *gst_cuda_conv_list_others(GstCudaConv *self);

/* Those that frames of the element reach in the thread that pushes them, in that order, with a
 * reference to each. */
GPtrArray *gst_cuda_conv_list_behind(GstCudaConv *self);

/* Whether the element is to post this error. Not when it is of the device and another one of the
 * pipeline has posted such a one, since this follows from that then. Any thread. */
gboolean gst_cuda_conv_claim_error(GstCudaConv *self, const GError *error);

/* Whether the next one of the kind behind the element, if there is one and nothing else of CUDA in
 * between, has no use for CUDA memory. Any thread. */
gboolean gst_cuda_conv_cuda_is_useless(GstCudaConv *self);

/* Whether the query is that question of the one in front, and answered. Any thread. */
gboolean gst_cuda_conv_answer_neighbour(GstCudaConv *self, GstQuery *query);

G_END_DECLS
