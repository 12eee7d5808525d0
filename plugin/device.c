/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device.h"

#include "backends.h"
#include "memory/cudamemory.h"
#include "memory/pinning.h"
#include "report.h"

/* --- opening and closing --- */

static gboolean
knows_context(GstElement *element) {
  GstCudaConv *self = GST_CUDA_CONV(element);
  GST_OBJECT_LOCK(self);
  const gboolean knows = self->memory.context != NULL;
  GST_OBJECT_UNLOCK(self);
  return knows;
}

/* Transfer full. NULL if neither a neighbour nor the application has a context. */
static GstObject *
request_context(GstCudaConv *self) {
  cc_cuda_context_request(GST_ELEMENT(self), knows_context);
  GST_OBJECT_LOCK(self);
  GstObject *offered = self->memory.context ? gst_object_ref(self->memory.context) : NULL;
  GST_OBJECT_UNLOCK(self);
  return offered;
}

gboolean
gst_cuda_conv_open_backend(GstCudaConv *self) {
  CcContext context;
  CcBackendConfig config = cc_settings_get_device(&self->settings).backend;
  if (cc_session_is_open_as(self->session, &config))
    return TRUE;
  if (cc_session_is_open_as(self->session, NULL))
    gst_cuda_conv_close_backend(self);

  g_autoptr(GstObject) offered = config.choice == CC_BACKEND_CPU ? NULL : request_context(self);
  if (offered) {
    context = cc_cuda_context_describe(offered);
    config.context = &context;
  }
  g_autoptr(GError) error = NULL;
  if (!cc_session_open(self->session, &config, &error)) {
    gst_cuda_conv_post_error(self, error);
    return FALSE;
  }
  return TRUE;
}

/* The allocator is closed explicitly, because GStreamer's aggregators never release their reference
 * to an offered allocator. */
static void
clear_memory(CcDeviceMemory *memory) {
  if (memory->pinned)
    cc_pinned_allocator_close(memory->pinned);
  g_clear_pointer(&memory->device, cc_device_unref);
  g_clear_object(&memory->pinned);
  g_clear_object(&memory->context);
}

void
gst_cuda_conv_close_backend(GstCudaConv *self) {
  cc_session_close(self->session);
  GST_OBJECT_LOCK(self);
  CcDeviceMemory before = self->memory;
  self->memory = (CcDeviceMemory){0};
  GST_OBJECT_UNLOCK(self);
  clear_memory(&before);
}

/* --- the context --- */

void
gst_cuda_conv_take_context(GstCudaConv *self, GstContext *offered) {
  GstObject *context = NULL;
  const CcBackendConfig config = cc_settings_get_device(&self->settings).backend;
  cc_cuda_context_take(GST_ELEMENT(self), offered, config.device_id, &context);
  GST_OBJECT_LOCK(self);
  if (!self->memory.context)
    self->memory.context = g_steal_pointer(&context);
  GST_OBJECT_UNLOCK(self);
  g_clear_object(&context);
}

static CcDomainSet
list_allowed(GstCudaConv *self) {
  const CcBackendConfig config = cc_settings_get_device(&self->settings).backend;
  CcDomainSet set = cc_domains_built();
  for (guint i = 0; config.choice == CC_BACKEND_CPU && i < cc_n_domains; i++)
    if (cc_domains[i]->on_device)
      set &= ~cc_domain_bit(i);
  return set;
}

CcDomainSet
gst_cuda_conv_list_usable(GstCudaConv *self) {
  const CcDomainSet allowed = list_allowed(self);
  GST_OBJECT_LOCK(self);
  const CcDomainSet usable = self->memory.open ? self->memory.usable : allowed;
  GST_OBJECT_UNLOCK(self);
  return usable;
}

CcDomainSet
gst_cuda_conv_list_possible(GstCudaConv *self) {
  GST_OBJECT_LOCK(self);
  const CcDomainSet in_caps = cc_domain_set_of(self->negotiation.in_domain) |
                              cc_domain_set_of(self->negotiation.out_domain);
  GST_OBJECT_UNLOCK(self);
  return in_caps | list_allowed(self);
}

/* Stores the new context in the element unless the element has changed to another device in the
 * meantime. */
static GstObject *
share_context(GstCudaConv *self, CcDevice *device) {
  GstObject *context = cc_cuda_context_of_device(device), *before = NULL;
  if (!context)
    return NULL;
  GST_OBJECT_LOCK(self);
  if (self->memory.device == device) {
    before = self->memory.context;
    self->memory.context = gst_object_ref(context);
  }
  GST_OBJECT_UNLOCK(self);
  g_clear_object(&before);
  cc_cuda_context_announce(GST_ELEMENT(self), context);
  return context;
}

GstObject *
gst_cuda_conv_ref_context(GstCudaConv *self) {
  GST_OBJECT_LOCK(self);
  const CcDeviceMemory *memory = &self->memory;
  CcDevice *device = memory->device ? cc_device_ref(memory->device) : NULL;
  GstObject *context = memory->context ? gst_object_ref(memory->context) : NULL;
  GST_OBJECT_UNLOCK(self);
  if (device && context && cc_cuda_context_handle(context) != device->context)
    g_clear_object(&context);
  if (device && !context)
    context = share_context(self, device);
  if (device)
    cc_device_unref(device);
  return context;
}

GstObject *
gst_cuda_conv_find_context(GstCudaConv *self) {
  GstObject *own = gst_cuda_conv_ref_context(self);
  return own ? own : request_context(self);
}

/* --- memory of a backend --- */

void
gst_cuda_conv_take_memory(GstCudaConv *self, GstObject *context) {
  CcDevice *device = cc_session_get_device(self->session);
  const gboolean on_device =
      self->negotiation.in_domain->on_device || self->negotiation.out_domain->on_device;
  /* Frames that are still in the memory of the previous device need the context of that device. */
  g_autoptr(GstObject) kept = on_device && !device ? gst_cuda_conv_ref_context(self) : NULL;
  GstObject *own = device ? context : kept;
  CcDeviceMemory next = {
      .open = TRUE,
      .device = device ? cc_device_ref(device) : NULL,
      .pinned = device ? cc_pinned_allocator_new(device) : NULL,
      .context = own ? gst_object_ref(own) : NULL,
      .usable = cc_domains_usable(device),
  };
  GST_OBJECT_LOCK(self);
  CcDeviceMemory before = self->memory;
  if (!next.context)
    next.context = g_steal_pointer(&before.context);
  self->memory = next;
  GST_OBJECT_UNLOCK(self);
  clear_memory(&before);
  /* The output pool belongs to the previous device, so a new pool must be negotiated. */
  if (self->negotiation.out_domain->on_device && device)
    gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(self));
}
