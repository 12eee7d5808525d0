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

/* An open backend with what belongs to it. */
typedef struct {
  CcBackend *backend;   /* NULL: none is open */
  GstAllocator *pinned; /* of memory for its device; NULL: it has none */
  GstObject *context;   /* the GstCudaContext that it works in; NULL: nobody needed it yet */
  CcProgram *program;   /* that filtered last */
} CcOpenBackend;

struct _GstCudaConv {
  GstBaseTransform parent;

  CcSettings settings; /* has its own lock */

  /* changed with the object lock, from READY to NULL and back, or by the streaming thread, which
   * alone needs no lock to read them while it runs */
  CcBackend *backend;
  CcBackendConfig backend_config; /* what it was opened with */
  GstAllocator *pinned;           /* of memory for its device; NULL: it has none */
  GstObject *cuda_context;    /* offered by others, or the backend's; NULL: none is needed yet */
  gboolean cuda_memory;       /* frames may be in CUDA memory */
  gboolean in_cuda, out_cuda; /* the caps are of CUDA memory */

  /* the streaming thread's */
  CcOpenBackend previous; /* in the context that it moved away from, to where it may move back */
  gboolean contexts_told; /* a warning was posted that there are more than these two */
  GstVideoInfo in_info, out_info;
  CcFrameLayout layout;    /* of the input; without planes before there are caps */
  CcFilter tried, running; /* with references to their kernels */
  CcProgram *program;      /* that filters now */
  CcProgram *next_program; /* of the filter `running`, from the next frame on; NULL: no change */
  CcInflight inflight;
  guint n_held; /* frames kept back while waiting for input */
  gboolean liveness_known;
  gboolean failed;       /* an error was posted; nothing more is filtered until a restart */
  gboolean caps_told;    /* an error was posted about the caps that upstream tried last */
  gboolean caps_refused; /* the caps that upstream tried last were, so nothing is filtered */

  /* guarded by the object lock */
  guint stride;           /* of the stream's caps; 0: there is no stream */
  guint most_in_flight;   /* as memory allows */
  GstClockTime held_time; /* how much later frames leave because of n_held */
  gchar *plan_text;
  const gchar *algorithm;          /* NULL: the backend has only one */
  const gchar *in_path, *out_path; /* see CcMappedFrame; NULL: there was no frame */
  guint in_flight;                 /* frames at once, n_held + 1 */
  guint n_failovers;
  guint64 n_frames, n_bytes;
  CcTimes times;               /* of all frames */
  GPtrArray *pending_warnings; /* texts that came before there was a bus */
};

G_END_DECLS
