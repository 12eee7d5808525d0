/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bufferframe.h"

typedef struct {
  CcSessionFrame parent;
  GstBuffer *in, *out;
  GstVideoInfo in_info, out_info;
  CcMappedFrame in_map, out_map;
} BufferFrame;

static gboolean
buffer_frame_map(CcSessionFrame *base, const CcPlan *plan, CcDevice *device, GError **error) {
  BufferFrame *self = (BufferFrame *)base;
  if (!cc_mapped_frame_map(&self->in_map, self->in, &self->in_info, &plan->layout, GST_MAP_READ,
                           device, error))
    return FALSE;
  if (!cc_mapped_frame_map(&self->out_map, self->out, &self->out_info, &plan->out_layout,
                           GST_MAP_WRITE, device, error)) {
    cc_mapped_frame_unmap(&self->in_map);
    return FALSE;
  }
  base->in = self->in_map.frame;
  base->in_path = self->in_map.path;
  base->out = self->out_map.frame;
  base->out_path = self->out_map.path;
  return TRUE;
}

static void
buffer_frame_unmap(CcSessionFrame *base) {
  BufferFrame *self = (BufferFrame *)base;
  cc_mapped_frame_unmap(&self->in_map);
  cc_mapped_frame_unmap(&self->out_map);
}

GstBuffer *
cc_buffer_frame_free_to_output(CcSessionFrame *base) {
  BufferFrame *self = (BufferFrame *)base;
  GstBuffer *out = self->out;
  gst_buffer_unref(self->in);
  g_free(self);
  return out;
}

static void
buffer_frame_free(CcSessionFrame *base) {
  gst_buffer_unref(cc_buffer_frame_free_to_output(base));
}

CcSessionFrame *
cc_buffer_frame_new(GstBuffer *in, const GstVideoInfo *in_info, GstBuffer *out,
                    const GstVideoInfo *out_info) {
  static const CcSessionFrameClass klass = {buffer_frame_map, buffer_frame_unmap,
                                            buffer_frame_free};
  BufferFrame *self = g_new0(BufferFrame, 1);
  self->parent.klass = &klass;
  self->parent.bytes = gst_buffer_get_size(out);
  self->in = gst_buffer_ref(in);
  self->out = out;
  self->in_info = *in_info;
  self->out_info = *out_info;
  return &self->parent;
}
