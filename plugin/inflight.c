/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "inflight.h"

typedef struct {
  CcBackend *backend;
  CcPlan *plan;
  CcJob *job;      /* NULL when it was waited for */
  GError *failure; /* why its output is not what it should be; NULL: it is */
  GstVideoInfo in_info, out_info;
  CcMappedFrame in, out;
} Frame;

void
cc_inflight_init(CcInflight *self) {
  g_queue_init(&self->frames);
  self->in_path = self->out_path = NULL;
}

guint
cc_inflight_length(const CcInflight *self) {
  return self->frames.length;
}

/* --- one frame --- */

static gboolean
map_frame(Frame *frame, GstBuffer *in, GstBuffer *out, CcDevice *device, GError **error) {
  const CcPlan *plan = frame->plan;
  if (!cc_mapped_frame_map(&frame->in, in, &frame->in_info, &plan->layout, GST_MAP_READ, device,
                           error))
    return FALSE;
  if (cc_mapped_frame_map(&frame->out, out, &frame->out_info, &plan->out_layout, GST_MAP_WRITE,
                          device, error))
    return TRUE;
  cc_mapped_frame_unmap(&frame->in);
  return FALSE;
}

static void
unmap_frame(Frame *frame) {
  cc_mapped_frame_unmap(&frame->in);
  cc_mapped_frame_unmap(&frame->out);
}

static gboolean
submit_frame(Frame *frame, CcProgram *program, GError **error) {
  frame->backend = program->backend;
  frame->job =
      cc_backend_submit(frame->backend, program, &frame->in.frame, &frame->out.frame, error);
  return frame->job != NULL;
}

static gboolean
wait_for_frame(Frame *frame, CcTimes *times, GError **error) {
  if (frame->job) {
    g_clear_error(&frame->failure);
    cc_backend_wait(frame->backend, g_steal_pointer(&frame->job), times, &frame->failure);
  }
  if (!frame->failure)
    return TRUE;
  if (error)
    *error = g_error_copy(frame->failure);
  return FALSE;
}

static void
free_frame(Frame *frame) {
  cc_plan_unref(frame->plan);
  g_clear_error(&frame->failure);
  g_free(frame);
}

/* --- the queue --- */

gboolean
cc_inflight_push(CcInflight *self, CcProgram *program, GstBuffer *in, const GstVideoInfo *in_info,
                 GstBuffer *out, const GstVideoInfo *out_info, GError **error) {
  Frame *frame = g_new0(Frame, 1);
  frame->plan = cc_plan_ref(program->plan);
  frame->in_info = *in_info;
  frame->out_info = *out_info;
  if (!map_frame(frame, in, out, program->backend->device, error)) {
    free_frame(frame);
    return FALSE;
  }
  self->in_path = frame->in.path;
  self->out_path = frame->out.path;
  if (!submit_frame(frame, program, error)) {
    unmap_frame(frame);
    free_frame(frame);
    return FALSE;
  }
  g_queue_push_tail(&self->frames, frame);
  return TRUE;
}

gboolean
cc_inflight_wait(CcInflight *self, CcTimes *times, GError **error) {
  return wait_for_frame(g_queue_peek_head(&self->frames), times, error);
}

GstBuffer *
cc_inflight_pop(CcInflight *self) {
  Frame *frame = g_queue_pop_head(&self->frames);
  GstBuffer *out = gst_buffer_ref(frame->out.buffer);
  unmap_frame(frame);
  free_frame(frame);
  return out;
}

/* Maps the frame's buffers anew, as memory of the system, and filters them. */
static gboolean
redo_frame(Frame *frame, CcProgram *program, GError **error) {
  CcTimes times;
  g_autoptr(GstBuffer) in = gst_buffer_ref(frame->in.buffer);
  GstBuffer *out = gst_buffer_ref(frame->out.buffer);
  unmap_frame(frame);
  g_clear_error(&frame->failure);
  if (map_frame(frame, in, out, NULL, &frame->failure)) {
    submit_frame(frame, program, &frame->failure);
  } else { /* the frame is dropped with what holds it */
    frame->in = (CcMappedFrame){.buffer = gst_buffer_ref(in)};
    frame->out = (CcMappedFrame){.buffer = gst_buffer_ref(out)};
  }
  gst_buffer_unref(out);
  return wait_for_frame(frame, &times, error);
}

gboolean
cc_inflight_redo(CcInflight *self, CcBackend *backend, GError **error) {
  CcProgram *program = NULL;
  gboolean ok = TRUE;
  for (GList *link = self->frames.head; link; link = link->next)
    wait_for_frame(link->data, &(CcTimes){0}, NULL);
  for (GList *link = self->frames.head; ok && link; link = link->next) {
    Frame *frame = link->data;
    if (!program || program->plan != frame->plan) {
      g_clear_pointer(&program, cc_program_unref);
      program = cc_backend_prepare(backend, frame->plan, error);
    }
    ok = program && redo_frame(frame, program, error);
  }
  g_clear_pointer(&program, cc_program_unref);
  return ok;
}

void
cc_inflight_clear(CcInflight *self) {
  while (cc_inflight_length(self) > 0) {
    cc_inflight_wait(self, &(CcTimes){0}, NULL);
    gst_buffer_unref(cc_inflight_pop(self));
  }
}
