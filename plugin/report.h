/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Reports to the application: bus messages and statistics. */

#include "element.h"

G_BEGIN_DECLS

/* Posts a warning. If the element has no bus yet and its state is NULL, the warning is stored, and
 * is posted when the element goes to READY. */
void gst_cuda_conv_warn(GstCudaConv *self, const gchar *text);
void gst_cuda_conv_post_pending_warnings(GstCudaConv *self);

/* Returns whether a warning about this property (value refused, or without effect) may be posted. A
 * control binding gets one warning only, because it sets a value for every frame. FALSE: a control
 * binding drives the property, and its warning was already posted. Any thread. */
gboolean gst_cuda_conv_claim_warning(GstCudaConv *self, const gchar *property);

/* Posts an error of the engine or of memory handling. */
void gst_cuda_conv_post_error(GstCudaConv *self, const GError *error);

/* Reports an event of the session: as a bus message or in the log. */
void gst_cuda_conv_report_event(GstCudaConv *self, const CcSessionEvent *event);

/* The value of the stats property (transfer full). */
GstStructure *gst_cuda_conv_get_stats(GstCudaConv *self);

G_END_DECLS
