/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the element tells its application: messages on the bus, and statistics. */

#include "gstcudaconv.h"

G_BEGIN_DECLS

/* Posts a warning about a property, at once or, without a bus, when the element goes to READY. */
void gst_cuda_conv_warn(GstCudaConv *self, const gchar *text);
void gst_cuda_conv_post_pending_warnings(GstCudaConv *self);

/* Posts a warning that the CPU took over from the device, and why. */
void gst_cuda_conv_warn_of_failover(GstCudaConv *self, const GError *error);

/* Posts an error of the engine or of the frame adapter. */
void gst_cuda_conv_post_error(GstCudaConv *self, const GError *error);

/* Posts which backend was opened. `fallback` says why it is not CUDA, or is NULL. */
void gst_cuda_conv_announce_backend(GstCudaConv *self, const GError *fallback);

/* What the stats property says (transfer full). */
GstStructure *gst_cuda_conv_get_stats(GstCudaConv *self);

G_END_DECLS
