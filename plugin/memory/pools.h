/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Answers to allocation queries: the pool for the output, and the proposal to upstream. The caps of
 * the queries must pass cc_caps_are_of_frames. */

#include <gst/base/gstbasetransform.h>
#include "domain.h"

G_BEGIN_DECLS

typedef struct {
  const CcDomain *domain; /* domain of the caps in the query */
  GstAllocator *pinned;   /* allocator for system memory that a device accesses; NULL: any */
  GstObject *context;     /* context for pools of the domain, if they have a context; else NULL */
  guint n_held;           /* maximum number of buffers that this element holds back */
} CcAllocation;

/* Sets the pool in the answer to the allocation query on the source pad. If the domain has its own
 * pools, a new pool of the domain is made, which allocates buffers on demand. Otherwise
 * downstream's pool is used if it has special memory or if no pinned memory is wanted. A pool of
 * ours is made in all other cases, and if downstream's pool is missing or cannot be configured.
 * Returns a static text that names the kind of the pool for the log. NULL: no pool can be made. */
const gchar *cc_choose_pool(GstQuery *query, const CcAllocation *allocation);

/* Adds GstVideoMeta and GstVideoCropMeta to upstream's allocation query: rows and planes may have
 * any layout, and a frame may be a crop of a larger frame. Upstream then crops without a copy. In
 * device memory few upstream elements could make that copy. */
void cc_propose_metas(GstQuery *query);

/* Adds a pool to upstream's allocation query, if one can be made. */
void cc_propose_input_pool(GstQuery *query, const CcAllocation *allocation);

G_END_DECLS
