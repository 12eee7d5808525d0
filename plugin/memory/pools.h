/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Answers to allocation queries: the pool for the output, and the proposal to upstream. The caps of
 * the queries must be those of frames that a pad can have. */

#include <gst/base/gstbasetransform.h>
#include "domain.h"

G_BEGIN_DECLS

/* The requirements for buffers. */
typedef struct {
  const CcDomain *domain; /* of the caps */
  GstAllocator *pinned;   /* for system memory that a device accesses; NULL: any allocator */
  GstObject *context;     /* of the domain's own pools, if it has them */
  guint n_held;           /* how many buffers this element holds back at most */
} CcAllocation;

/* Sets the pool in the answer to the allocation query on the source pad. If the domain has its own
 * pools, that is a new one of these, which allocates buffers on demand. Else it is downstream's
 * pool, if downstream insists on its memory, or one of ours. Returns the kind of the pool for the
 * log, a static text. NULL: no pool can be made. */
const gchar *cc_choose_pool(GstQuery *query, const CcAllocation *allocation);

/* Adds to upstream's allocation query that rows and planes may have any layout, and that a frame
 * may be a crop of a larger one. Upstream then need not copy to crop, which few elements can do in
 * device memory. */
void cc_propose_metas(GstQuery *query);

/* Adds a pool to upstream's allocation query, if one can be made. */
void cc_propose_input_pool(GstQuery *query, const CcAllocation *allocation);

G_END_DECLS
