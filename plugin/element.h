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

/* The session's device as GStreamer sees it. */
typedef struct {
  gboolean open;        /* a backend is open, so the other members are valid */
  CcDevice *device;     /* NULL: the backend has none */
  GstAllocator *pinned; /* allocator of pinned memory for the device, or NULL */
  /* The GstCudaContext that was offered, or the device's. NULL: not needed so far. After a
   * failover, the context of frames that are still in its memory. */
  GstObject *context;
  CcDomainSet usable; /* domains that frames may be in */
} CcDeviceMemory;

/* The options in use. */
typedef struct {
  guint64 tried;           /* serial number of the values that were tried last; 0: none */
  CcOptions running;       /* the session's filter was made from these, once it has one */
  gboolean sigma_reported; /* the warning about sigma was posted for the current kernel */
} CcSelection;

/* The caps on both sides. */
typedef struct {
  const CcDomain *in_domain, *out_domain; /* of the caps; shared */
  CcDomainSet avoided; /* domains that the output avoids if downstream accepts another; shared */
  guint stride;        /* of the stream's caps; 0: no stream; shared */
  GstVideoInfo in_info, out_info;
  CcFrameLayout layout;  /* of the input; no planes before there are caps */
  gboolean error_posted; /* an error about upstream's last caps was posted */
  gboolean refused;      /* upstream's last caps were refused, so nothing is filtered */
} CcNegotiation;

/* The stream of frames. */
typedef struct {
  guint n_held;               /* frames held back while waiting for input; shared */
  GstClockTime held_time;     /* delay of frames because of n_held; shared */
  gboolean held_is_decided;   /* n_held is up to date with the pipeline and the session */
  gboolean negotiates_memory; /* both sides should negotiate other memory as soon as frames flow */
  gboolean takes;             /* a frame is being taken, so no other may be pushed */
  gboolean started;           /* between start and stop; otherwise nothing uses the session */
  gboolean failed;            /* an error was posted, so nothing is filtered until a restart */
} CcFlow;

/* The element. Each part is written in one file only, by the streaming thread unless the table says
 * otherwise. The streaming thread is the thread that holds the stream lock of the sink pad. start
 * and stop take that lock. Other threads read members marked "shared", with the object lock held.
 *
 *   settings          properties/settings.c   any thread, with its own lock
 *   selection         properties/selection.c
 *   negotiation       negotiation.c
 *   flow              flow.c
 *   memory            device.c                all shared; context also set in set_context
 *   pending_warnings  report.c                any thread, with the object lock
 *   session           any-thread functions of session.h, with its own lock */
struct _GstCudaConv {
  GstBaseTransform parent;
  gboolean is_preset; /* a user's preset is loaded into this element, which is never started */
  CcSettings settings;
  CcSelection selection;
  CcNegotiation negotiation;
  CcFlow flow;
  CcDeviceMemory memory;
  GPtrArray *pending_warnings; /* texts from the time before there was a bus */
  CcSession *session;
};

/* To call functions of the base class. */
static inline GstBaseTransformClass *
gst_cuda_conv_base_class(void) {
  return g_type_class_peek(GST_TYPE_BASE_TRANSFORM);
}

G_END_DECLS
