/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "allocation.h"

#include "caps.h"
#include "device.h"
#include "flow.h"
#include "memory/pools.h"
#include "negotiation.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

/* NULL if the caps do not describe frames that a pad can have. */
static GstCaps *
parse_frames(GstQuery *query) {
  GstCaps *caps;
  gst_query_parse_allocation(query, &caps, NULL);
  return caps && cc_caps_are_of_frames(caps) ? caps : NULL;
}

static CcAllocation
describe_allocation(GstCudaConv *self, const GstCaps *caps) {
  GST_OBJECT_LOCK(self);
  GstAllocator *pinned = self->memory.pinned ? gst_object_ref(self->memory.pinned) : NULL;
  GST_OBJECT_UNLOCK(self);
  return (CcAllocation){.domain = cc_caps_get_domain(caps),
                        .pinned = pinned,
                        .n_held = gst_cuda_conv_max_in_flight(self) - 1};
}

static void
clear_allocation(CcAllocation *allocation) {
  gst_clear_object(&allocation->pinned);
  g_clear_object(&allocation->context);
}

/* Chooses the pool, and lets the base class examine the metas. If the domain has its own pools, the
 * base class must run before the pool is chosen. Otherwise the base class would configure the
 * chosen pool again, which allocates an extra frame for a moment. If this allocation failed, the
 * base class would use another pool. If no pool can be made, the next frame tries again. */
static gboolean
decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  GstCaps *caps = parse_frames(query);
  /* the base class removes this meta from the query */
  gst_cuda_conv_set_passes_video_meta(
      self, gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL));
  if (!caps)
    return gst_cuda_conv_base_class()->decide_allocation(trans, query);
  CcAllocation allocation = describe_allocation(self, caps);
  const CcDomain *domain = allocation.domain;
  while (domain->new_pool && gst_query_get_n_allocation_pools(query) > 0)
    gst_query_remove_nth_allocation_pool(query, 0);
  gboolean ok = !domain->new_pool || gst_cuda_conv_base_class()->decide_allocation(trans, query);
  const gchar *why = NULL;
  /* Tries twice, because a device may fail temporarily. */
  for (guint i = 0; ok && !why && i < 2; i++) {
    if (domain->get_context && !allocation.context)
      allocation.context = gst_cuda_conv_find_context(self);
    if (!domain->get_context || allocation.context)
      why = cc_choose_pool(query, &allocation);
  }
  clear_allocation(&allocation);
  GST_INFO_OBJECT(self, "pool of output buffers: %s", why ? why : "none");
  return ok && (domain->new_pool || gst_cuda_conv_base_class()->decide_allocation(trans, query));
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
  CcAllocation allocation = describe_allocation(self, caps);
  if (allocation.domain->get_context)
    allocation.context = gst_cuda_conv_ref_context(self);
  if (allocation.context || !allocation.domain->get_context)
    cc_propose_input_pool(query, &allocation);
  clear_allocation(&allocation);
  return TRUE;
}

void
gst_cuda_conv_install_allocation(GstBaseTransformClass *klass) {
  klass->decide_allocation = decide_allocation;
  klass->propose_allocation = propose_allocation;
}
