/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The domains of memory that frames can be in, as a table: how caps name a domain, which frames it
 * holds and when it is usable, where its buffers come from, how they are mapped, and what a frame
 * in it costs. A new domain is a file with its row, and a line in the table. */

#include <gst/video/video.h>
#include "engine/frame.h"
#include "engine/run/device.h"

G_BEGIN_DECLS

/* A buffer that was mapped. */
typedef struct {
  GstBuffer *buffer; /* borrowed */
  guint n_maps;
  GstMapInfo map[CC_MAX_PLANES];
} CcMaps;

/* Functions may be NULL where a comment says so. */
typedef struct {
  const gchar *name;    /* for people */
  const gchar *feature; /* of caps; NULL: these have none, as system memory. Rows may share one */
  guint cost;           /* of a frame in it, in transfers and copies; of the domains with a feature
                           that both sides take, the cheapest is preferred */
  gboolean is_missing;  /* in this build */
  gboolean on_device;   /* a device has the memory, so frames in it are not transferred */

  /* --- which frames --- */

  /* Whether frames of a format and height can be in it; NULL: all can. A format that it holds at
   * all, it holds with every even height. */
  gboolean (*holds)(const gchar *format, gint height);
  /* Whether frames can be in it while a backend has `device`, or none (NULL); NULL: always. */
  gboolean (*is_usable)(CcDevice *device);

  /* --- buffers --- */

  /* A pool of its own, which ignores allocators that others set. `context` is that of the device as
   * GStreamer knows it, if the domain has contexts, else NULL. Pools of neighbours are not used
   * then. NULL: system memory, which may come from the pools of others. */
  GstBufferPool *(*new_pool)(GstObject *context);
  /* Whether a memory belongs to it; NULL: none does. */
  gboolean (*owns)(GstMemory *memory);

  /* --- maps --- */

  /* Whether a buffer is mapped as memory of this domain for `device`. `at_once` says that one map
   * has to serve all of its memories, which merges them into system memory if they are several.
   * NULL: if it owns all of them. */
  gboolean (*maps)(GstBuffer *buffer, gboolean at_once, CcDevice *device);
  GstMapFlags map_flags; /* added to those of the map */
  /* Sets `memory` of the mapped frame, which is CC_MEMORY_HOST unless the memory is pinned or of a
   * device, and its `stream`. Returns how the device reads or writes it, as `stats` has it; static.
   */
  const gchar *(*describe)(const CcMaps *maps, CcDevice *device, CcFrame *frame);
  /* The context of a memory (transfer none), and what the engine has to know of it if `context` is
   * not NULL; NULL: memories of this domain have none. */
  GstObject *(*get_context)(GstMemory *memory, CcContext *context);
  /* Copy all bytes of a memory to or from host memory, for when it cannot be mapped as system
   * memory; NULL: there is no other way. */
  gboolean (*read)(GstMemory *memory, guint8 *host);
  gboolean (*write)(GstMemory *memory, const guint8 *host);
} CcDomain;

/* The table. The first row that maps a buffer does, so rows that look at memories come first, and
 * pinned and system memory, which take any, last. */
extern const CcDomain *const cc_domains[];
extern const guint cc_n_domains;

/* Some of the rows: bit i is row i. */
typedef guint CcDomainSet;

extern const CcDomain cc_system_domain, cc_cuda_domain;

static inline CcDomainSet
cc_domain_bit(guint i) {
  return (CcDomainSet)1 << i;
}

CcDomainSet cc_domain_set_of(const CcDomain *domain);

/* All that this build knows, and those of them that are usable with a device. */
CcDomainSet cc_domains_built(void);
CcDomainSet cc_domains_usable(CcDevice *device);

/* The domain that caps with these features are of. */
const CcDomain *cc_domain_of_features(const GstCapsFeatures *features);

/* The domain that a buffer is mapped as. */
const CcDomain *cc_domain_of_buffer(GstBuffer *buffer, gboolean at_once, CcDevice *device);

/* The domain that a memory belongs to. */
const CcDomain *cc_domain_of_memory(GstMemory *memory);

/* The one context that all memories of a buffer are in (transfer none), and what the engine has to
 * know of it if `context` is not NULL. NULL: they are of several, or one has none. */
GstObject *cc_buffer_get_context(GstBuffer *buffer, CcContext *context);

G_END_DECLS
