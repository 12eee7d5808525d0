/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The frames that a backend works on, oldest first. Used by the streaming thread only, or while it
 * is stopped. */

#include "engine/backend.h"
#include "frameadapter.h"

G_BEGIN_DECLS

typedef struct {
  GQueue frames;
  const gchar *in_path, *out_path; /* of the frame pushed last, see CcMappedFrame; NULL: none was */
} CcInflight;

void cc_inflight_init(CcInflight *self);
guint cc_inflight_length(const CcInflight *self);

/* Maps both buffers, which have these caps, and starts filtering `in` into `out`. They stay
 * referenced and mapped until the frame is popped. */
gboolean cc_inflight_push(CcInflight *self, CcProgram *program, GstBuffer *in,
                          const GstVideoInfo *in_info, GstBuffer *out, const GstVideoInfo *out_info,
                          GError **error);

/* Waits for the oldest frame, which stays in the queue even when it failed; the queue must not be
 * empty. */
gboolean cc_inflight_wait(CcInflight *self, CcTimes *times, GError **error);

/* Takes the oldest frame, which has been waited for, out: its output buffer (transfer full). */
GstBuffer *cc_inflight_pop(CcInflight *self);

/* Filters all frames again, from their inputs, on another backend, which does so without a device.
 * When that fails as well some frames are left as they are. */
gboolean cc_inflight_redo(CcInflight *self, CcBackend *backend, GError **error);

/* Waits for all frames and drops them. */
void cc_inflight_clear(CcInflight *self);

G_END_DECLS
