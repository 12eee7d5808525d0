/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bufferframe.h"

#include "domain.h"
#include "engine/error.h"

#include <string.h>

typedef struct {
  CcSessionFrame parent;
  GstBuffer *in;
  GstBuffer *out;   /* NULL: the frame is filtered in place */
  GstBuffer *spare; /* buffer in system memory that replaces `out`; NULL: not needed */
  GstVideoInfo in_info, out_info;
  GArray *regions; /* elements: CcRegion; NULL: the whole frame */
  CcPlan *plan;    /* as in cc_buffer_frame_set_plan, like `types`; NULL: not set */
  GArray *types;
  gboolean reads_whole;
  CcMappedFrame in_map, out_map;
} BufferFrame;

/* FALSE: `out` is not in device memory, or the allocation failed. */
static gboolean
take_spare(BufferFrame *self) {
  if (!cc_buffer_get_context(self->out, NULL))
    return FALSE;
  if (!self->spare && (self->spare = gst_buffer_new_allocate(NULL, self->out_info.size, NULL)))
    gst_buffer_copy_into(self->spare, self->out, GST_BUFFER_COPY_METADATA, 0, (gsize)-1);
  return self->spare != NULL;
}

/* If the device is lost and `out` cannot be mapped without it, maps a spare buffer instead. */
static gboolean
map_output(BufferFrame *self, const CcPlan *plan, CcDevice *device, GError **error) {
  g_autoptr(GError) reason = NULL;
  if (cc_mapped_frame_map(&self->out_map, self->out, &self->out_info, &plan->out_frame_layout,
                          GST_MAP_WRITE, device, TRUE, &reason) ||
      (!device && take_spare(self) &&
       cc_mapped_frame_map(&self->out_map, self->spare, &self->out_info, &plan->out_frame_layout,
                           GST_MAP_WRITE, NULL, TRUE, NULL)))
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&reason));
  return FALSE;
}

static gboolean
buffer_frame_map(CcSessionFrame *base, const CcPlan *plan, CcDevice *device, GError **error) {
  BufferFrame *self = (BufferFrame *)base;
  if (!cc_mapped_frame_map(&self->in_map, self->in, &self->in_info, &plan->frame_layout,
                           base->in_place ? GST_MAP_READWRITE : GST_MAP_READ, device,
                           self->reads_whole, error))
    return FALSE;
  if (base->in_place) {
    base->in = base->out = self->in_map.frame;
    base->in_path = base->out_path = self->in_map.path;
    return TRUE;
  }
  if (!map_output(self, plan, device, error)) {
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
  if (!base->in_place)
    cc_mapped_frame_unmap(&self->out_map);
}

GstBuffer *
cc_buffer_frame_free_to_output(CcSessionFrame *base, GstBuffer **lost) {
  BufferFrame *self = (BufferFrame *)base;
  GstBuffer *result = base->in_place ? self->in : self->spare ? self->spare : self->out;
  *lost = self->spare ? self->out : NULL;
  if (!base->in_place)
    gst_buffer_unref(self->in);
  if (self->regions)
    g_array_unref(self->regions);
  if (self->types)
    g_array_unref(self->types);
  g_clear_pointer(&self->plan, cc_plan_unref);
  g_free(self->parent.results);
  g_free(self);
  return result;
}

static void
buffer_frame_free(CcSessionFrame *base) {
  GstBuffer *lost;
  gst_buffer_unref(cc_buffer_frame_free_to_output(base, &lost));
  gst_clear_buffer(&lost);
}

CcSessionFrame *
cc_buffer_frame_new(GstBuffer *in, const GstVideoInfo *in_info, GstBuffer *out,
                    const GstVideoInfo *out_info, GArray *regions, gboolean reads_whole) {
  static const CcSessionFrameClass klass = {buffer_frame_map, buffer_frame_unmap,
                                            buffer_frame_free};
  BufferFrame *self = g_new0(BufferFrame, 1);
  self->parent.klass = &klass;
  self->parent.bytes = out_info->size;
  self->parent.in_place = out == NULL;
  self->parent.regions = regions ? (const CcRegion *)regions->data : NULL;
  self->parent.n_regions = regions ? regions->len : 0;
  self->regions = regions;
  self->reads_whole = reads_whole;
  self->in = out ? gst_buffer_ref(in) : in;
  self->out = out;
  self->in_info = *in_info;
  self->out_info = *out_info;
  return &self->parent;
}

void
cc_buffer_frame_set_plan(CcSessionFrame *base, CcPlan *plan, GArray *types) {
  BufferFrame *self = (BufferFrame *)base;
  self->plan = cc_plan_ref(plan);
  self->types = types;
}

const CcPlan *
cc_buffer_frame_get_plan(const CcSessionFrame *base, const GArray **types) {
  const BufferFrame *self = (const BufferFrame *)base;
  *types = self->types;
  return self->plan;
}

/* Copies whole rows including their padding. gst_video_frame_copy is not used, because it omits the
 * last Cr of packed 4:2:2 if the width is odd. */
static void
copy_planes(GstVideoFrame *to, const GstVideoFrame *from) {
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES(to); p++) {
    const gint height = GST_VIDEO_FRAME_COMP_HEIGHT(to, cc_plane_component(&to->info, p));
    const gsize to_stride = (gsize)GST_VIDEO_FRAME_PLANE_STRIDE(to, p);
    const gsize from_stride = (gsize)GST_VIDEO_FRAME_PLANE_STRIDE(from, p);
    guint8 *to_row = GST_VIDEO_FRAME_PLANE_DATA(to, p);
    const guint8 *from_row = GST_VIDEO_FRAME_PLANE_DATA(from, p);
    for (gint y = 0; y < height; y++) {
      memcpy(to_row, from_row, MIN(to_stride, from_stride));
      to_row += to_stride;
      from_row += from_stride;
    }
  }
}

/* Copies the frame in `system` into a new buffer in system memory, which has the layout of
 * `like`. */
static GstBuffer *
lay_out_like(GstBuffer *like, GstBuffer *system, const GstVideoInfo *info) {
  GstVideoMeta *meta = gst_buffer_get_video_meta(like);
  GstVideoFrame from, to;
  GstBuffer *copy = gst_buffer_new_allocate(NULL, gst_buffer_get_size(like), NULL);
  gst_buffer_add_video_meta_full(copy, GST_VIDEO_FRAME_FLAG_NONE, meta->format, meta->width,
                                 meta->height, meta->n_planes, meta->offset, meta->stride);
  if (gst_video_frame_map(&from, info, system, GST_MAP_READ)) {
    if (gst_video_frame_map(&to, info, copy, GST_MAP_WRITE)) {
      copy_planes(&to, &from);
      gst_video_frame_unmap(&to);
    }
    gst_video_frame_unmap(&from);
  }
  return copy;
}

gboolean
cc_buffer_copy_to_device(GstBuffer *to, GstBuffer *system, const GstVideoInfo *info,
                         GError **error) {
  GstMapInfo map;
  GstMemory *memory = gst_buffer_peek_memory(to, 0);
  const CcDomain *domain = cc_domain_of_memory(memory);
  gboolean ok = FALSE;
  if (gst_buffer_n_memory(to) == 1 && domain->write && gst_buffer_get_video_meta(to)) {
    g_autoptr(GstBuffer) copy = lay_out_like(to, system, info);
    gst_buffer_map(copy, &map, GST_MAP_READ);
    ok = domain->write(memory, map.data);
    gst_buffer_unmap(copy, &map);
  }
  if (!ok)
    g_set_error(error, CC_ERROR, CC_ERROR_NO_MEMORY,
                "the failed device accepts no frame in its memory, and the downstream caps "
                "allow no other memory; video/x-raw instead of video/x-raw(%s) allows "
                "system memory",
                domain->feature);
  return ok;
}
