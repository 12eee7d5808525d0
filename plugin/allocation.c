/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "allocation.h"

#include "caps.h"
#include "context.h"
#include "inflight.h"
#include "memory/pools.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

/* The caps of an allocation query, or NULL when they are not of frames that a pad can have. */
static GstCaps *
parse_frames(GstQuery *query) {
  GstCaps *caps;
  gst_query_parse_allocation(query, &caps, NULL);
  return caps && cc_caps_are_of_frames(caps) ? caps : NULL;
}

static CcAllocation
describe_allocation(GstCudaConv *self) {
  GST_OBJECT_LOCK(self);
  GstAllocator *pinned = self->memory.pinned ? gst_object_ref(self->memory.pinned) : NULL;
  GST_OBJECT_UNLOCK(self);
  return (CcAllocation){.pinned = pinned, .n_held = gst_cuda_conv_most_in_flight(self) - 1};
}

static void
clear_allocation(CcAllocation *allocation) {
  gst_clear_object(&allocation->pinned);
  g_clear_object(&allocation->cuda);
}

/* The base class looks at the metas only; it would configure a pool of CUDA memory once more, which
 * costs a frame of it for a moment, and take another one when that fails. Without a pool the first
 * frame tries again. */
static gboolean
decide_in_cuda(GstCudaConv *self, GstQuery *query) {
  while (gst_query_get_n_allocation_pools(query) > 0)
    gst_query_remove_nth_allocation_pool(query, 0);
  if (!gst_cuda_conv_base_class()->decide_allocation(GST_BASE_TRANSFORM(self), query))
    return FALSE;
  CcAllocation allocation = describe_allocation(self);
  gboolean ok = FALSE;
  for (guint i = 0; !ok && i < 2; i++) { /* once more, since a device may fail only now and then */
    if (!allocation.cuda)
      allocation.cuda = gst_cuda_conv_find_context(self);
    ok = allocation.cuda && cc_choose_cuda_pool(query, &allocation);
  }
  clear_allocation(&allocation);
  GST_INFO_OBJECT(self, "pool of output buffers: %s", ok ? "CUDA memory" : "none");
  return TRUE;
}

static gboolean
decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  GstCaps *caps = parse_frames(query);
  if (caps && cc_caps_are_cuda(caps))
    return decide_in_cuda(self, query);
  if (caps) {
    CcAllocation allocation = describe_allocation(self);
    const gchar *why = cc_choose_system_pool(query, &allocation);
    clear_allocation(&allocation);
    GST_INFO_OBJECT(self, "pool of output buffers: %s", why);
  }
  return gst_cuda_conv_base_class()->decide_allocation(trans, query);
}

static gboolean
propose_allocation(GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  if (!gst_cuda_conv_base_class()->propose_allocation(trans, decide_query, query))
    return FALSE;
  GstCaps *caps = parse_frames(query);
  if (!caps)
    return TRUE;
  cc_propose_metas(query);
  CcAllocation allocation = describe_allocation(self);
  if (cc_caps_are_cuda(caps))
    allocation.cuda = gst_cuda_conv_ref_context(self);
  if (allocation.cuda || !cc_caps_are_cuda(caps))
    cc_propose_input_pool(query, &allocation);
  clear_allocation(&allocation);
  return TRUE;
}

void
gst_cuda_conv_install_allocation(GstBaseTransformClass *klass) {
  klass->decide_allocation = decide_allocation;
  klass->propose_allocation = propose_allocation;
}
