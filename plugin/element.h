/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>
#include "engine/run/session.h"
#include "memory/domain.h"
#include "properties/settings.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_CONV (gst_cuda_conv_get_type())
G_DECLARE_FINAL_TYPE(GstCudaConv, gst_cuda_conv, GST, CUDA_CONV, GstBaseTransform)
GST_ELEMENT_REGISTER_DECLARE(cudaconv)

GST_DEBUG_CATEGORY_EXTERN(gst_cuda_conv_debug);

/* The session's device as GStreamer knows it. */
typedef struct {
  gboolean open;        /* a backend is, so that the rest is known */
  CcDevice *device;     /* NULL: the backend has none */
  GstAllocator *pinned; /* of memory for the device; NULL without one */
  GstObject *context;   /* the GstCudaContext that was offered, or the device's; NULL: nobody needed
                           one yet. After a failover that of frames that still are in its memory */
  CcDomainSet usable;   /* domains that frames may be in */
} CcDeviceMemory;

/* The options that run. */
typedef struct {
  guint64 tried;           /* serial number of the values that were tried last; 0: none were */
  CcOptions running;       /* that the session's filter was made from, once it has one */
  gboolean sigma_reported; /* that sigma has no effect on the kernel that runs */
} CcSelection;

/* The caps on both sides. */
typedef struct {
  const CcDomain *in_domain, *out_domain; /* of the caps; shared */
  CcDomainSet avoided;                    /* frames leave in another domain if they may; shared */
  guint stride;                           /* of the stream's caps; 0: there is no stream; shared */
  GstVideoInfo in_info, out_info;
  CcFrameLayout layout;  /* of the input; without planes before there are caps */
  gboolean error_posted; /* about the caps that upstream tried last */
  gboolean refused;      /* the caps that upstream tried last were, so nothing is filtered */
} CcNegotiation;

/* The stream of frames. */
typedef struct {
  guint n_held;               /* frames kept back while waiting for input; shared */
  GstClockTime held_time;     /* how much later frames leave because of n_held; shared */
  gboolean held_is_decided;   /* n_held fits the pipeline and the session */
  gboolean negotiates_memory; /* another domain is better on both sides, as soon as frames flow */
  gboolean takes;             /* a frame is being taken, so that no other may leave */
  gboolean started;           /* between start and stop; else nothing touches the session */
  gboolean failed;            /* an error was posted; nothing more is filtered until a restart */
} CcFlow;

/* The element. Each part is written from one file, and by the streaming thread if the table says
 * nothing else. That thread is whoever holds the stream lock of the sink pad; start takes it, and
 * stop runs when nobody pushes any more. Other threads read what is shared, with the object lock.
 *
 *   settings          properties/settings.c   any thread, with its own lock
 *   selection         properties/selection.c
 *   negotiation       negotiation.c
 *   flow              flow.c
 *   memory            device.c                all of it is shared; context also in set_context
 *   pending_warnings  report.c                any thread, with the object lock
 *   session           what session.h says is for any thread, with its own lock */
struct _GstCudaConv {
  GstBaseTransform parent;
  gboolean is_preset; /* a user's preset is loaded into this element, which never starts */
  CcSettings settings;
  CcSelection selection;
  CcNegotiation negotiation;
  CcFlow flow;
  CcDeviceMemory memory;
  GPtrArray *pending_warnings; /* texts that came before there was a bus */
  CcSession *session;
};

/* For what the element leaves to the base class. */
static inline GstBaseTransformClass *
gst_cuda_conv_base_class(void) {
  return g_type_class_peek(GST_TYPE_BASE_TRANSFORM);
}

G_END_DECLS
