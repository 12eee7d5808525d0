/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The table of memory domains for frames: how caps name a domain, which frames it holds, when it is
 * usable, where its buffers come from, how they are mapped, and what a frame in it costs. To add a
 * domain, write a file with its CcDomain and add a line to the table. */

#include <gst/video/video.h>
#include "engine/frame.h"
#include "engine/run/device.h"

G_BEGIN_DECLS

typedef struct {
  GstBuffer *buffer; /* borrowed */
  guint n_maps;
  GstMapInfo map[CC_MAX_PLANES];
  gboolean may_pin; /* as in cc_mapped_frame_map */
} CcMaps;

/* Functions may be NULL only if their comment says so. */
typedef struct {
  const gchar *name; /* name in messages and the log */
  /* The caps feature; NULL: the caps have no feature, as for system memory. Several domains may
   * have the same feature. */
  const gchar *feature;
  /* The cost of transfers and copies for a frame, compared to other domains. The element prefers
   * the cheapest domain that has a feature and that both sides accept. */
  guint cost;
  gboolean is_missing; /* this build does not support the domain */
  gboolean on_device;  /* frames are in device memory, so they need no transfer */

  /* --- which frames --- */

  /* Whether the domain can hold frames of a format and height. NULL: the domain holds all frames. A
   * domain that holds some heights of a format must hold all even heights. */
  gboolean (*holds)(const gchar *format, gint height);
  /* Whether the domain is usable with a backend that uses `device`. `device` is NULL if the backend
   * uses no device. If the function is NULL, the domain is always usable. */
  gboolean (*is_usable)(CcDevice *device);

  /* --- buffers --- */

  /* Makes a pool of the domain. The pool ignores allocators that neighbours set. `context` is the
   * GstObject of the device's context if the domain has contexts, else NULL. A domain with this
   * function does not use pools of neighbours. If the function is NULL, buffers are in system
   * memory and may come from pools of neighbours. */
  GstBufferPool *(*new_pool)(GstObject *context);
  /* Whether a memory belongs to the domain. NULL: no memory does. */
  gboolean (*owns)(GstMemory *memory);

  /* --- maps --- */

  /* Whether a buffer is mapped as memory of this domain for `device`. With `at_once`, one map must
   * cover all memories of the buffer. Such a map merges several memories into system memory. If the
   * function is NULL, the domain maps a buffer if it owns all memories of the buffer. */
  gboolean (*maps)(GstBuffer *buffer, gboolean at_once, CcDevice *device);
  GstMapFlags map_flags; /* added to GST_MAP_READ or GST_MAP_WRITE in a map */
  /* Sets `memory` and `stream` of the mapped frame. `memory` is CC_MEMORY_HOST unless the memory is
   * pinned or on a device. Returns a static text that names the memory path in `stats`. */
  const gchar *(*describe)(const CcMaps *maps, CcDevice *device, CcFrame *frame);
  /* Returns the context of a memory (transfer none). If `context` is not NULL, also sets *context
   * to the engine's description of it. If the function is NULL, memories of this domain have no
   * context. */
  GstObject *(*get_context)(GstMemory *memory, CcContext *context);
  /* Copy all bytes of a memory to host memory (read) or from it (write). Used if the memory cannot
   * be mapped as system memory. NULL: the domain cannot copy. */
  gboolean (*read)(GstMemory *memory, guint8 *host);
  gboolean (*write)(GstMemory *memory, const guint8 *host);
} CcDomain;

/* The table of domains. A buffer is mapped by the first domain that accepts it. Domains that
 * examine the type of memories come first. Pinned and system memory come last because they accept
 * any memory. */
extern const CcDomain *const cc_domains[];
extern const guint cc_n_domains;

/* A set of domains: bit i is row i. */
typedef guint CcDomainSet;

extern const CcDomain cc_system_domain, cc_cuda_domain;

static inline CcDomainSet
cc_domain_bit(guint i) {
  return (CcDomainSet)1 << i;
}

CcDomainSet cc_domain_set_of(const CcDomain *domain);

/* All domains that this build supports, and the domains among them that are usable with `device`.
 */
CcDomainSet cc_domains_built(void);
CcDomainSet cc_domains_usable(CcDevice *device);

/* The domain of caps with these features. */
const CcDomain *cc_domain_of_features(const GstCapsFeatures *features);

/* The domain that a buffer is mapped as. */
const CcDomain *cc_domain_of_buffer(GstBuffer *buffer, gboolean at_once, CcDevice *device);

/* The domain that a memory belongs to. */
const CcDomain *cc_domain_of_memory(GstMemory *memory);

/* The context that all memories of a buffer share (transfer none). If `context` is not NULL, also
 * sets *context to the engine's description of it. Returns NULL if the memories have different
 * contexts or if a memory has no context. */
GstObject *cc_buffer_get_context(GstBuffer *buffer, CcContext *context);

G_END_DECLS
