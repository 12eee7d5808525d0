/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The answers to allocation queries, whose caps have to be of frames that a pad can have: which
 * pool the output comes from, and what upstream is told. */

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* What a pad's buffers are made of. */
typedef struct {
  GstAllocator *pinned; /* for system memory that a device reads and writes; NULL: any will do */
  GstObject *cuda;      /* the context of buffers in CUDA memory, when the caps are of such */
  guint n_held;         /* how many buffers this element keeps back at most */
} CcAllocation;

/* Puts a pool into the answer to the allocation query on the source pad, about frames in system
 * memory: downstream's where it insists on its own memory, else one of ours. Returns for the log
 * which pool it is; static. */
const gchar *cc_choose_system_pool(GstQuery *query, const CcAllocation *allocation);

/* The same about frames in CUDA memory, always with a pool of ours, which makes buffers as they are
 * needed. FALSE: no such frame can be made. */
gboolean cc_choose_cuda_pool(GstQuery *query, const CcAllocation *allocation);

/* Adds to upstream's allocation query that rows and planes may lie anywhere, and that a frame may
 * be a part of a picture: who crops need not copy, which few can in CUDA memory. */
void cc_propose_metas(GstQuery *query);

/* Adds a pool to upstream's allocation query, if one can be made. */
void cc_propose_input_pool(GstQuery *query, const CcAllocation *allocation);

G_END_DECLS
