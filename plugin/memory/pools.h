/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The answers to allocation queries, whose caps have to be of frames that a pad can have: which
 * pool the output comes from, and what upstream is told. */

#include <gst/base/gstbasetransform.h>
#include "domain.h"

G_BEGIN_DECLS

/* The parts of a buffer. */
typedef struct {
  const CcDomain *domain; /* of the caps */
  GstAllocator *pinned;   /* for system memory that a device reads and writes; NULL: any will do */
  GstObject *context;     /* of the pools of the domain, if it has its own */
  guint n_held;           /* how many buffers this element keeps back at most */
} CcAllocation;

/* Puts a pool into the answer to the allocation query on the source pad. If the domain has pools of
 * its own, it is one of these, which makes buffers as they are needed; else downstream's pool if
 * that insists on its memory, or one of ours. Returns for the log which pool it is; static. NULL:
 * no buffer can be made. */
const gchar *cc_choose_pool(GstQuery *query, const CcAllocation *allocation);

/* Adds to upstream's allocation query that rows and planes may lie anywhere, and that a frame may
 * be a part of a picture: who crops need not copy, which few can in memory of a device. */
void cc_propose_metas(GstQuery *query);

/* Adds a pool to upstream's allocation query, if one can be made. */
void cc_propose_input_pool(GstQuery *query, const CcAllocation *allocation);

G_END_DECLS
