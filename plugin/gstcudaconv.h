/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>
#include "inflight.h"
#include "settings.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_CONV (gst_cuda_conv_get_type())
G_DECLARE_FINAL_TYPE(GstCudaConv, gst_cuda_conv, GST, CUDA_CONV, GstBaseTransform)
GST_ELEMENT_REGISTER_DECLARE(cudaconv)

GST_DEBUG_CATEGORY_EXTERN(gst_cuda_conv_debug);

struct _GstCudaConv {
  GstBaseTransform parent;

  CcSettings settings; /* has its own lock */

  /* changed with the object lock, from READY to NULL and back */
  CcBackend *backend;
  CcBackendConfig backend_config; /* what it was opened with */

  /* the streaming thread's */
  GstVideoInfo info;
  CcFrameLayout layout;
  CcFilter tried, running; /* with references to their kernels */
  CcProgram *program;      /* of the filter that is running */
  CcInflight inflight;
  guint n_held; /* frames kept back while waiting for input */
  gboolean liveness_known;
  gboolean failed;       /* an error was posted; nothing more is filtered until a restart */
  gboolean caps_refused; /* an error was posted about the caps that upstream tried last */

  /* guarded by the object lock */
  GstClockTime held_time; /* how much later frames leave because of n_held */
  gchar *plan_text;
  guint64 n_frames, n_bytes;
  CcTimes times;               /* of all frames */
  GPtrArray *pending_warnings; /* texts that came before there was a bus */
};

/* Posts a warning about a property, at once or, without a bus, when the element goes to READY. */
void gst_cuda_conv_warn(GstCudaConv *self, const gchar *text);

/* What the stats property says (transfer full). */
GstStructure *gst_cuda_conv_get_stats(GstCudaConv *self);

G_END_DECLS
