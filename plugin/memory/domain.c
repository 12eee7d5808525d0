/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "domain.h"

#include "pinning.h"

/* --- system memory, pinned or not --- */

static gboolean
needs_device(CcDevice *device) {
  return device != NULL;
}

/* GStreamer can map every memory as system memory. */
static gboolean
owns_any(GstMemory *memory) {
  return TRUE;
}

static gboolean
maps_any(GstBuffer *buffer, gboolean at_once, CcDevice *device) {
  return TRUE;
}

static gboolean
maps_for_device(GstBuffer *buffer, gboolean at_once, CcDevice *device) {
  return device != NULL;
}

static const gchar *
describe_system(const CcMaps *maps, CcDevice *device, CcFrame *frame) {
  frame->memory = CC_MEMORY_HOST;
  return "system memory";
}

/* Describes a frame with several memories by its worst memory. CcPinning lists the best state
 * first. */
static const gchar *
describe_pinned(const CcMaps *maps, CcDevice *device, CcFrame *frame) {
  CcPinning worst = CC_PINNING_OWN;
  for (guint i = 0; i < maps->n_maps; i++) {
    const CcPinning pinning = cc_pinning_look_up(&maps->map[i], device, maps->may_pin);
    worst = MAX(worst, pinning);
  }
  frame->memory = cc_pinning_is_pinned(worst) ? CC_MEMORY_PINNED : CC_MEMORY_HOST;
  return cc_pinning_describe(worst);
}

/* The pinned domain owns no memories, because other elements see pinned memory as plain system
 * memory. */
static const CcDomain pinned_domain = {
    .name = "pinned memory",
    .cost = 1, /* the transfer between host and device */
    .is_usable = needs_device,
    .maps = maps_for_device,
    .describe = describe_pinned,
};

const CcDomain cc_system_domain = {
    .name = "system memory",
    .cost = 2, /* with a device: the transfer, as for pinned memory, and a copy for staging */
    .owns = owns_any,
    .maps = maps_any,
    .describe = describe_system,
};

/* --- the table --- */

const CcDomain *const cc_domains[] = {&cc_cuda_domain, &pinned_domain, &cc_system_domain};
const guint cc_n_domains = G_N_ELEMENTS(cc_domains);

CcDomainSet
cc_domain_set_of(const CcDomain *domain) {
  guint i = 0;
  while (cc_domains[i] != domain)
    i++;
  return cc_domain_bit(i);
}

CcDomainSet
cc_domains_built(void) {
  CcDomainSet set = 0;
  for (guint i = 0; i < cc_n_domains; i++)
    if (!cc_domains[i]->is_missing)
      set |= cc_domain_bit(i);
  return set;
}

CcDomainSet
cc_domains_usable(CcDevice *device) {
  CcDomainSet set = cc_domains_built();
  for (guint i = 0; i < cc_n_domains; i++)
    if (set & cc_domain_bit(i) && cc_domains[i]->is_usable && !cc_domains[i]->is_usable(device))
      set &= ~cc_domain_bit(i);
  return set;
}

const CcDomain *
cc_domain_of_features(const GstCapsFeatures *features) {
  if (!gst_caps_features_is_any(features))
    for (guint i = 0; i < cc_n_domains; i++)
      if (cc_domains[i]->feature && gst_caps_features_contains(features, cc_domains[i]->feature))
        return cc_domains[i];
  return &cc_system_domain;
}

static gboolean
owns_all(const CcDomain *domain, GstBuffer *buffer) {
  const guint n = domain->owns ? gst_buffer_n_memory(buffer) : 0;
  guint i = 0;
  while (i < n && domain->owns(gst_buffer_peek_memory(buffer, i)))
    i++;
  return i == n && n > 0;
}

const CcDomain *
cc_domain_of_buffer(GstBuffer *buffer, gboolean at_once, CcDevice *device) {
  guint i = 0;
  while (cc_domains[i]->maps ? !cc_domains[i]->maps(buffer, at_once, device)
                             : !owns_all(cc_domains[i], buffer))
    i++;
  return cc_domains[i];
}

const CcDomain *
cc_domain_of_memory(GstMemory *memory) {
  guint i = 0;
  while (!cc_domains[i]->owns || !cc_domains[i]->owns(memory))
    i++;
  return cc_domains[i];
}

GstObject *
cc_buffer_get_context(GstBuffer *buffer, CcContext *context) {
  GstObject *common = NULL;
  for (guint i = 0; i < gst_buffer_n_memory(buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory(buffer, i);
    const CcDomain *domain = cc_domain_of_memory(memory);
    GstObject *own =
        domain->get_context ? domain->get_context(memory, common ? NULL : context) : NULL;
    if (!own || (common && own != common))
      return NULL;
    common = own;
  }
  return common;
}
