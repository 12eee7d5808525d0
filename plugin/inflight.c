/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "inflight.h"

typedef struct {
  CcBackend *backend;
  CcJob *job;
  CcMappedFrame in, out;
} Frame;

void
cc_inflight_init(CcInflight *self) {
  g_queue_init(&self->frames);
}

guint
cc_inflight_length(const CcInflight *self) {
  return self->frames.length;
}

gboolean
cc_inflight_push(CcInflight *self, CcProgram *program, GstBuffer *in, const GstVideoInfo *in_info,
                 GstBuffer *out, const GstVideoInfo *out_info, GError **error) {
  const CcPlan *plan = program->plan;
  g_autofree Frame *frame = g_new(Frame, 1);
  if (!cc_mapped_frame_map(&frame->in, in, in_info, &plan->layout, GST_MAP_READ, error))
    return FALSE;
  if (!cc_mapped_frame_map(&frame->out, out, out_info, &plan->out_layout, GST_MAP_WRITE, error)) {
    cc_mapped_frame_unmap(&frame->in);
    return FALSE;
  }
  frame->backend = program->backend;
  frame->job =
      cc_backend_submit(frame->backend, program, &frame->in.frame, &frame->out.frame, error);
  if (!frame->job) {
    cc_mapped_frame_unmap(&frame->in);
    cc_mapped_frame_unmap(&frame->out);
    return FALSE;
  }
  g_queue_push_tail(&self->frames, g_steal_pointer(&frame));
  return TRUE;
}

GstBuffer *
cc_inflight_pop(CcInflight *self, CcTimes *times, GError **error) {
  g_autofree Frame *frame = g_queue_pop_head(&self->frames);
  const gboolean ok = cc_backend_wait(frame->backend, frame->job, times, error);
  GstBuffer *out = ok ? gst_buffer_ref(frame->out.buffer) : NULL;
  cc_mapped_frame_unmap(&frame->in);
  cc_mapped_frame_unmap(&frame->out);
  return out;
}

void
cc_inflight_clear(CcInflight *self) {
  while (cc_inflight_length(self) > 0) {
    CcTimes times;
    GstBuffer *dropped = cc_inflight_pop(self, &times, NULL);
    gst_clear_buffer(&dropped);
  }
}
