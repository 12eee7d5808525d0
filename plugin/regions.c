/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "regions.h"

#include "memory/mappedframe.h"

void
gst_cuda_conv_init_regions(GstCudaConv *self) {
  self->regions.roi = g_array_new(FALSE, FALSE, sizeof(CcRegion));
}

void
gst_cuda_conv_clear_regions(GstCudaConv *self) {
  g_array_unref(self->regions.roi);
}

void
gst_cuda_conv_set_regions(GstCudaConv *self, const CcRegionOptions *options, const GArray *roi) {
  g_array_set_size(self->regions.roi, 0);
  g_array_append_vals(self->regions.roi, roi->data, roi->len);
  self->regions.by_meta = options->by_meta;
  self->regions.meta_type = options->meta_type;
}

static void
append_metas(GstCudaConv *self, GstBuffer *in, GArray *regions, GArray *types) {
  const CcFrameLayout *layout = &self->negotiation.layout;
  const guint stride = MAX(1, cc_session_get_filter(self->session)->stride);
  gpointer state = NULL;
  GstMeta *meta;
  while ((meta = gst_buffer_iterate_meta_filtered(in, &state,
                                                  GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *roi = (GstVideoRegionOfInterestMeta *)meta;
    const CcRect rect = {roi->x, roi->y, roi->w, roi->h};
    CcRegion region;
    if ((!self->regions.meta_type || roi->roi_type == self->regions.meta_type) &&
        cc_rect_find_region(&rect, stride, layout, &region)) {
      g_array_append_val(regions, region);
      g_array_append_val(types, roi->roi_type);
    }
  }
}

GArray *
gst_cuda_conv_list_regions(GstCudaConv *self, GstBuffer *in, GArray **types) {
  const GArray *roi = self->regions.roi;
  *types = self->regions.by_meta ? g_array_new(FALSE, FALSE, sizeof(GQuark)) : NULL;
  if (!self->regions.by_meta && roi->len == 0)
    return NULL;
  /* not empty, because the session takes a frame without an array as one region */
  GArray *regions = g_array_sized_new(FALSE, FALSE, sizeof(CcRegion), MAX(roi->len, 1));
  if (self->regions.by_meta)
    append_metas(self, in, regions, *types);
  else
    g_array_append_vals(regions, roi->data, roi->len);
  return regions;
}

/* For a device, regions in system memory are copied to and from staging memory, whose rows have at
 * least STAGED_ROW bytes in every plane. This takes less time than the transfers of the whole frame
 * if the regions have at most an eighth of the frame's bytes, less a constant. Each further region
 * adds some bytes, because it takes more time inside of a whole frame, where kernels may need a
 * copy of it. The numbers were measured: see docs/benchmarks.md. */
#define STAGED_ROW 32
#define STAGED_SHARE 8
#define STAGED_CONSTANT (256 << 10)
#define STAGED_EACH (64 << 10)

/* Whether the regions are so small that filtering in place is faster. All results are in memory at
 * the same time. Together they are never larger than a frame. */
static gboolean
are_small(GstCudaConv *self, const GArray *regions, gboolean staged) {
  const GstVideoInfo *info = &self->negotiation.in_info;
  const gdouble pixels = (gdouble)info->width * GST_VIDEO_INFO_FIELD_HEIGHT(info);
  const gdouble size = (gdouble)info->size;
  const gdouble least = staged ? STAGED_ROW * (gdouble)GST_VIDEO_INFO_N_PLANES(info) : 0;
  gdouble bytes = 0, most = size;
  for (guint i = 0; i < regions->len; i++) {
    const CcRect *source = &g_array_index(regions, CcRegion, i).source;
    bytes += source->height * MAX(source->width * size / pixels, least);
  }
  if (staged && regions->len > 0)
    most = size / STAGED_SHARE + (gdouble)(regions->len - 1) * STAGED_EACH - STAGED_CONSTANT;
  return bytes <= MIN(most, size);
}

/* Whether downstream understands the layout of the buffer. Without a GstVideoMeta, GStreamer
 * expects the padding of all rows, also of the last one. */
static gboolean
suits_downstream(GstBuffer *buffer, const GstVideoInfo *info, gboolean passes_video_meta) {
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  if (meta && passes_video_meta)
    return TRUE;
  for (guint p = 0; meta && p < meta->n_planes; p++)
    if (meta->stride[p] != info->stride[p] || meta->offset[p] != info->offset[p])
      return FALSE;
  return gst_buffer_get_size(buffer) == info->size;
}

/* GStreamer maps read-only memory for writing too, by copying it. */
static gboolean
has_writable_memory(GstBuffer *buffer) {
  for (guint i = 0; i < gst_buffer_n_memory(buffer); i++)
    if (GST_MEMORY_IS_READONLY(gst_buffer_peek_memory(buffer, i)))
      return FALSE;
  return gst_buffer_is_all_memory_writable(buffer);
}

/* Whether the bytes of two planes may be the same. A GstVideoMeta can describe such frames. */
static gboolean
planes_overlap(const CcFrame *frame, const CcFrameLayout *layout) {
  const guint8 *start[CC_MAX_PLANES], *end[CC_MAX_PLANES];
  for (guint p = 0; p < layout->n_planes; p++) {
    const CcPlane *plane = &frame->plane[p];
    const guint8 *last = plane->data + (gssize)(layout->plane[p].height - 1) * plane->pitch;
    start[p] = MIN(plane->data, last);
    end[p] = MAX(plane->data, last) + cc_plane_row_bytes(&layout->plane[p]);
    for (guint k = 0; k < p; k++)
      if (start[p] < end[k] && start[k] < end[p])
        return TRUE;
  }
  return FALSE;
}

gboolean
gst_cuda_conv_is_in_place(GstCudaConv *self, GstBuffer *in, const GArray *regions) {
  const CcNegotiation *negotiation = &self->negotiation;
  const CcFilter *filter = cc_session_get_filter(self->session);
  const GstVideoInfo *info = &negotiation->in_info;
  CcDevice *device = cc_session_get_device(self->session);
  CcMappedFrame mapped;
  if (!regions || filter->outside != CC_OUTSIDE_COPY || filter->stride > 1 ||
      negotiation->in_domain != negotiation->out_domain || !gst_buffer_is_writable(in) ||
      !has_writable_memory(in) || cc_buffer_is_cropped(in, info) ||
      !suits_downstream(in, info, negotiation->passes_video_meta) ||
      !are_small(self, regions, device && !negotiation->in_domain->on_device) ||
      !cc_mapped_frame_map(&mapped, in, info, &negotiation->layout, GST_MAP_READWRITE, device,
                           FALSE, NULL))
    return FALSE;
  const gboolean on_device = mapped.frame.memory == CC_MEMORY_DEVICE;
  const gboolean is_peer = mapped.frame.memory == CC_MEMORY_PEER;
  const gboolean overlap = planes_overlap(&mapped.frame, &negotiation->layout);
  cc_mapped_frame_unmap(&mapped);
  return !is_peer && !overlap && on_device == negotiation->in_domain->on_device;
}
