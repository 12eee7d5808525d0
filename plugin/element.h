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

/* The GStreamer objects of the session's device. */
typedef struct {
  gboolean open;    /* a backend is open; else the other members, except `context`, are not valid */
  CcDevice *device; /* NULL: the backend uses no device */
  GstAllocator *pinned; /* allocator of pinned memory for the device, or NULL */
  /* A GstCudaContext: the offered one, or the one made for the device. NULL: no context was needed
   * so far. The context stays after a failover, because frames may still be in device memory. */
  GstObject *context;
  CcDomainSet usable; /* domains that frames may be in */
} CcDeviceMemory;

typedef struct {
  guint64 tried; /* serial number of the property values that were tried last; 0: none tried */
  /* The values from which the session's filter was made. Not valid before the session has a filter.
   */
  CcOptions running;
  /* the warnings that these properties have no effect were posted, and they still have none */
  gboolean sigma_reported, roi_sigma_reported, overlay_reported, chroma_kernel_reported;
  gboolean low_reported, high_reported, scale_reported, bias_reported;
} CcSelection;

typedef struct {
  GArray *roi; /* elements: CcRegion, the regions of the property roi for the current caps */
  gboolean by_meta;
  GQuark meta_type; /* 0: metas of all types */
} CcRegions;

typedef struct {
  const CcDomain *in_domain, *out_domain; /* domains of the caps; shared */
  /* Domains that the output avoids if downstream accepts another domain; shared. */
  CcDomainSet avoided;
  guint stride; /* stride in use for the stream's caps; 0: no stream; shared */
  GstVideoInfo in_info, out_info;
  CcFrameLayout layout;       /* layout of input frames; n_planes is 0 before there are caps */
  gboolean error_posted;      /* the error about upstream's last caps was already posted */
  gboolean refused;           /* upstream's last caps were refused, so nothing is filtered */
  gboolean passes_video_meta; /* downstream accepts frames with a GstVideoMeta */
} CcNegotiation;

typedef struct {
  guint n_held;               /* number of frames held back until more input comes; shared */
  GstClockTime held_time;     /* nanoseconds that n_held frames delay the output; shared */
  gboolean held_is_decided;   /* FALSE: the next frame decides n_held again */
  gboolean negotiates_memory; /* negotiate memory again on both sides when frames flow */
  gboolean takes;             /* take() is running, so no other frame may be pushed */
  gboolean started; /* TRUE between start and stop; if FALSE, the session gets no frames */
  gboolean failed;  /* the stream failed, so nothing is filtered until a restart */
} CcFlow;

typedef struct {
  GstClockTime message_time; /* running time of the last message; NONE: no message yet */
} CcMeasuring;

/* Each member is written in one file only, by the streaming thread unless the table says otherwise.
 * The streaming thread is the thread that holds the stream lock of the sink pad. start and stop
 * take that lock. Other threads may read members marked "shared", with the object lock held.
 *
 *   settings          properties/settings.c   any thread, with its own lock
 *   selection         properties/selection.c
 *   regions           regions.c
 *   negotiation       negotiation.c
 *   flow              flow.c
 *   measuring         measure.c
 *   memory            device.c                all shared; context also set in set_context
 *   pending_warnings  report.c                any thread, with the object lock
 *   session           engine/run/session.c   any thread if session.h says so, its own lock */
struct _GstCudaConv {
  GstBaseTransform parent;
  gboolean is_preset; /* a user's preset is loaded into this element, which is never started */
  CcSettings settings;
  CcSelection selection;
  CcRegions regions;
  CcNegotiation negotiation;
  CcFlow flow;
  CcMeasuring measuring;
  CcDeviceMemory memory;
  GPtrArray *pending_warnings; /* texts from the time before there was a bus */
  CcSession *session;
};

/* The class of the base class, to call its virtual functions. */
static inline GstBaseTransformClass *
gst_cuda_conv_base_class(void) {
  return g_type_class_peek(GST_TYPE_BASE_TRANSFORM);
}

G_END_DECLS
