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

/* Puts a pool into the answer to the allocation query on the source pad: downstream's where it
 * insists on its own memory, else one of ours. FALSE when there is none for these caps. *why
 * says for the log which pool it is; static. */
gboolean cc_choose_output_pool(GstQuery *query, const CcAllocation *allocation, const gchar **why);

/* Adds a pool, and that any stride and offset is welcome, to upstream's allocation query. */
void cc_propose_input_pool(GstQuery *query, const CcAllocation *allocation);

G_END_DECLS
