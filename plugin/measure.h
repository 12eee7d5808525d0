/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The figures of measured frames, as a GstCustomMeta and as element messages. Used by the streaming
 * thread. */

#include "element.h"

G_BEGIN_DECLS

/* The name of the meta and of the message. */
#define GST_CUDA_CONV_MEASURE "cudaconv-measure"

void gst_cuda_conv_register_measure_meta(void);

/* Makes the next measured frame post a message. */
void gst_cuda_conv_restart_measuring(GstCudaConv *self);

/* The figures of a frame that the session has filtered (transfer full). NULL: the frame was not
 * measured. `frame` is from cc_buffer_frame_new. */
GstStructure *gst_cuda_conv_get_figures(const CcSessionFrame *frame);

/* Replaces the meta of an output buffer, which must be writable. Posts a message if the property
 * measure-interval requests one. The structure is empty afterwards. */
void gst_cuda_conv_report_figures(GstCudaConv *self, GstBuffer *out, GstStructure *figures);

G_END_DECLS
