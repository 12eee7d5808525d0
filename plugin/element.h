/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>
#include "engine/run/session.h"
#include "memory/domain.h"
#include "settings.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_CONV (gst_cuda_conv_get_type())
G_DECLARE_FINAL_TYPE(GstCudaConv, gst_cuda_conv, GST, CUDA_CONV, GstBaseTransform)
GST_ELEMENT_REGISTER_DECLARE(cudaconv)

GST_DEBUG_CATEGORY_EXTERN(gst_cuda_conv_debug);

/* What GStreamer needs to know of the session's device. */
typedef struct {
  gboolean open;        /* a backend is, so that the rest is known */
  CcDevice *device;     /* NULL: the backend has none */
  GstAllocator *pinned; /* of memory for the device; NULL without one */
  GstObject *context;   /* the GstCudaContext that was offered, or the device's; NULL: nobody needed
                           one yet. After a failover that of frames that still are in its memory */
  CcDomainSet usable;   /* domains that frames may be in */
} CcDeviceMemory;

/* The element. Who writes a field, and how others read it:
 *
 *   field              written by, in the file              read by others
 *   settings           any thread; settings.c               with its own lock
 *   session            the streaming thread; stream.c,      what session.h says is for any thread,
 *                      selection.c, context.c               with its own lock
 *   memory             the streaming thread; context.c      with the object lock
 *   in_domain,         the streaming thread; negotiation.c  with the object lock
 *   out_domain, avoided
 *   stride             the streaming thread; selection.c    with the object lock
 *   n_held, held_time  the streaming thread; inflight.c     with the object lock
 *   pending_warnings   any thread; report.c                 with the object lock
 *   all others         the streaming thread                 by nobody
 *
 * The streaming thread is whoever holds the stream lock of the sink pad. start and stop write as it
 * does: start takes that lock, since upstream may push already, and stop runs when nobody pushes
 * any more. memory.context may come from any thread in set_context, with the object lock. */
struct _GstCudaConv {
  GstBaseTransform parent;
  CcSettings settings;
  gboolean is_preset; /* a user's preset is loaded into this element, which never starts */
  CcSession *session;

  CcDeviceMemory memory;
  const CcDomain *in_domain, *out_domain; /* of the caps */
  CcDomainSet avoided;    /* frames leave in another domain if they may: none could be made in it */
  guint stride;           /* of the stream's caps; 0: there is no stream */
  guint n_held;           /* frames kept back while waiting for input */
  GstClockTime held_time; /* how much later frames leave because of n_held */
  GPtrArray *pending_warnings; /* texts that came before there was a bus */

  GstVideoInfo in_info, out_info;
  CcFrameLayout layout;       /* of the input; without planes before there are caps */
  gboolean negotiates_memory; /* another one is better on both sides, as soon as frames flow */
  gboolean started;           /* between start and stop; else nothing touches the session */
  guint64 tried;              /* serial number of the values that were tried last; 0: none were */
  CcOptions running;          /* that the session's filter was made from, once it has one */
  gboolean sigma_told;        /* that sigma is of no use for the kernel that runs */
  gboolean liveness_known;    /* n_held fits the pipeline and the session */
  gboolean failed;            /* an error was posted; nothing more is filtered until a restart */
  gboolean caps_told;         /* an error was posted about the caps that upstream tried last */
  gboolean caps_refused;      /* the caps that upstream tried last were, so nothing is filtered */
};

/* For what the element leaves to the base class. */
static inline GstBaseTransformClass *
gst_cuda_conv_base_class(void) {
  return g_type_class_peek(GST_TYPE_BASE_TRANSFORM);
}

G_END_DECLS
