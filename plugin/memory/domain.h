/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The table of memory domains for frames: how caps name a domain, which frames it holds, when it is
 * usable, where its buffers come from, how they are mapped, and what a frame in it costs. A new
 * domain is a new file with its row, and a line in the table. */

#include <gst/video/video.h>
#include "engine/frame.h"
#include "engine/run/device.h"

G_BEGIN_DECLS

/* The maps of a mapped buffer. */
typedef struct {
  GstBuffer *buffer; /* borrowed */
  guint n_maps;
  GstMapInfo map[CC_MAX_PLANES];
} CcMaps;

/* Functions may be NULL only if their comment says so. */
typedef struct {
  const gchar *name; /* for people */
  /* The caps feature; NULL: none, as for system memory. Several rows may have the same feature. */
  const gchar *feature;
  /* The cost of a frame in transfers and copies. Of the domains with a feature that both sides
   * accept, the cheapest is preferred. */
  guint cost;
  gboolean is_missing; /* not in this build */
  gboolean on_device;  /* memory of a device, so frames in it are not transferred */

  /* --- which frames --- */

  /* Whether the domain can hold frames of a format and height; NULL: all. If it holds a format at
   * all, it holds every even height. */
  gboolean (*holds)(const gchar *format, gint height);
  /* Whether the domain is usable while a backend has `device`, which is NULL if it has none; NULL:
   * always. */
  gboolean (*is_usable)(CcDevice *device);

  /* --- buffers --- */

  /* Makes a pool of the domain, which ignores allocators that others set. `context` is the
   * GstObject of the device's context if the domain has contexts, else NULL. Pools of neighbours
   * are then not used. NULL: system memory, which may come from pools of neighbours. */
  GstBufferPool *(*new_pool)(GstObject *context);
  /* Whether a memory belongs to the domain; NULL: none does. */
  gboolean (*owns)(GstMemory *memory);

  /* --- maps --- */

  /* Whether a buffer is mapped as memory of this domain for `device`. With `at_once` one map must
   * cover all memories of the buffer, which merges several memories into system memory. NULL: if
   * the domain owns all of them. */
  gboolean (*maps)(GstBuffer *buffer, gboolean at_once, CcDevice *device);
  GstMapFlags map_flags; /* added to the flags of a map */
  /* Sets `memory` of the mapped frame, which is CC_MEMORY_HOST unless the memory is pinned or of a
   * device, and its `stream`. Returns the memory path for `stats`, a static text. */
  const gchar *(*describe)(const CcMaps *maps, CcDevice *device, CcFrame *frame);
  /* The context of a memory (transfer none). Also sets *context to the engine's description if
   * `context` is not NULL. NULL: memories of this domain have no context. */
  GstObject *(*get_context)(GstMemory *memory, CcContext *context);
  /* Copy all bytes of a memory to or from host memory, if it cannot be mapped as system memory;
   * NULL: not possible. */
  gboolean (*read)(GstMemory *memory, guint8 *host);
  gboolean (*write)(GstMemory *memory, const guint8 *host);
} CcDomain;

/* The table. The first row that maps a buffer is used. Rows that examine memories come first;
 * pinned and system memory, which accept any, come last. */
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

/* All domains in this build, and those of them that are usable with a device. */
CcDomainSet cc_domains_built(void);
CcDomainSet cc_domains_usable(CcDevice *device);

/* The domain of caps with these features. */
const CcDomain *cc_domain_of_features(const GstCapsFeatures *features);

/* The domain that a buffer is mapped as. */
const CcDomain *cc_domain_of_buffer(GstBuffer *buffer, gboolean at_once, CcDevice *device);

/* The domain that a memory belongs to. */
const CcDomain *cc_domain_of_memory(GstMemory *memory);

/* The common context of all memories of a buffer (transfer none). Also sets *context to the
 * engine's description if `context` is not NULL. NULL: there are several contexts, or a memory has
 * none. */
GstObject *cc_buffer_get_context(GstBuffer *buffer, CcContext *context);

G_END_DECLS
