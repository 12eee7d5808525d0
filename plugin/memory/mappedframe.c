/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mappedframe.h"

#include "engine/error.h"

#include <string.h>

/* The position of one plane in its buffer, in bytes. */
typedef struct {
  gsize origin; /* offset of the top left sample */
  gint stride;
  gsize start, end; /* the bytes of its rows are [start, end) */
} PlaneExtent;

static gboolean
crop_fits(const GstVideoCropMeta *crop, const GstVideoMeta *meta, const GstVideoInfo *info) {
  return crop && crop->width == (guint)info->width &&
         crop->height == (guint)GST_VIDEO_INFO_FIELD_HEIGHT(info) &&
         (guint64)crop->x + crop->width <= meta->width &&
         (guint64)crop->y + crop->height <= meta->height;
}

static gboolean
meta_has_size_of(const GstVideoMeta *meta, const GstVideoInfo *info) {
  return meta->width == (guint)info->width &&
         meta->height == (guint)GST_VIDEO_INFO_FIELD_HEIGHT(info);
}

gboolean
cc_buffer_is_cropped(GstBuffer *buffer, const GstVideoInfo *info) {
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  return meta && !meta_has_size_of(meta, info) &&
         crop_fits(gst_buffer_get_video_crop_meta(buffer), meta, info);
}

/* A GstVideoMeta with a larger size than the caps describes memory with padding. The frame is then
 * the upper left part of this memory, as in gst_video_frame_map(). If the buffer also has a
 * GstVideoCropMeta, the crop is the frame and must have the size of the caps. If the GstVideoMeta
 * has the size of the caps, the crop may have any size. */
static gboolean
check_meta(GstBuffer *buffer, const GstVideoMeta *meta, const GstVideoInfo *info, GError **error) {
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta(buffer);
  const gboolean is_large_enough =
      meta->width >= (guint)info->width && meta->height >= (guint)GST_VIDEO_INFO_FIELD_HEIGHT(info);
  const gboolean agrees = meta->format == GST_VIDEO_INFO_FORMAT(info) &&
                          meta->n_planes == GST_VIDEO_INFO_N_PLANES(info) && is_large_enough;
  if (agrees && (!crop || meta_has_size_of(meta, info) || crop_fits(crop, meta, info)))
    return TRUE;
  if (agrees)
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "a buffer's GstVideoCropMeta says %ux%u at column %u, row %u; its caps say %dx%d, "
                "and a crop of that size inside the %ux%u of its GstVideoMeta is needed, or no "
                "GstVideoCropMeta",
                crop->width, crop->height, crop->x, crop->y, info->width,
                GST_VIDEO_INFO_FIELD_HEIGHT(info), meta->width, meta->height);
  else
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "a buffer's GstVideoMeta says %s, %ux%u, %u planes; its caps say %s, %dx%d, %u "
                "planes, and a GstVideoMeta of that format and number of planes is needed, with at "
                "least that width and height",
                gst_video_format_to_string(meta->format), meta->width, meta->height, meta->n_planes,
                info->finfo->name, info->width, GST_VIDEO_INFO_FIELD_HEIGHT(info),
                GST_VIDEO_INFO_N_PLANES(info));
  return FALSE;
}

gint
cc_plane_component(const GstVideoInfo *info, guint p) {
  gint component[GST_VIDEO_MAX_COMPONENTS];
  gst_video_format_info_component(info->finfo, p, component);
  return component[0];
}

/* Adds `n` strides to the offset *at. FALSE: the result would be negative or overflow. The
 * arithmetic is checked, because metas may contain any number. */
static gboolean
add_strides(gsize *at, gsize n, gint stride) {
  gsize bytes;
  if (!g_size_checked_mul(&bytes, n, (gsize)ABS((gint64)stride)))
    return FALSE;
  if (stride >= 0)
    return g_size_checked_add(at, *at, bytes);
  if (bytes > *at)
    return FALSE;
  *at -= bytes;
  return TRUE;
}

typedef struct {
  gsize bytes;
  const GstVideoMeta *meta;     /* NULL: GstVideoInfo describes the layout */
  const GstVideoCropMeta *crop; /* NULL: the frame is not cropped */
} FrameInBuffer;

/* Moves *at from the first sample of a plane to the first sample of the crop. In packed 4:2:2 a
 * crop at an odd column starts one column earlier, because a macropixel cannot be split.
 * GStreamer's videocrop does the same. */
static gboolean
add_crop(gsize *at, const GstVideoCropMeta *crop, const GstVideoInfo *info,
         const CcPlaneLayout *plane, guint p, gint stride) {
  const gint component = cc_plane_component(info, p);
  const gsize column = plane->has_macropixels
                           ? crop->x / 2
                           : crop->x >> GST_VIDEO_FORMAT_INFO_W_SUB(info->finfo, component);
  const gsize row = crop->y >> GST_VIDEO_FORMAT_INFO_H_SUB(info->finfo, component);
  gsize bytes;
  return g_size_checked_mul(&bytes, column, cc_plane_group_bytes(plane)) &&
         g_size_checked_add(at, *at, bytes) && add_strides(at, row, stride);
}

/* FALSE: a part of the plane is outside of the buffer. */
static gboolean
measure_plane(PlaneExtent *extent, const FrameInBuffer *frame, const GstVideoInfo *info,
              const CcPlaneLayout *plane, guint p) {
  extent->stride = frame->meta ? frame->meta->stride[p] : info->stride[p];
  extent->origin = frame->meta ? frame->meta->offset[p] : info->offset[p];
  if (frame->crop && !add_crop(&extent->origin, frame->crop, info, plane, p, extent->stride))
    return FALSE;
  gsize last_row = extent->origin;
  if (!add_strides(&last_row, plane->height - 1, extent->stride))
    return FALSE;
  extent->start = MIN(extent->origin, last_row);
  return g_size_checked_add(&extent->end, MAX(extent->origin, last_row),
                            cc_plane_row_bytes(plane)) &&
         extent->end <= frame->bytes;
}

/* Without a GstVideoMeta the layout is GStreamer's default, whose rows are padded to a multiple of
 * 4 bytes in most formats. */
static gboolean
refuse_plane(const PlaneExtent *extent, const FrameInBuffer *frame, const GstVideoInfo *info,
             guint p, GError **error) {
  if (frame->meta) {
    const GstVideoCropMeta *crop = frame->crop;
    g_autofree gchar *part =
        crop ? g_strdup_printf(" and cropped at column %u, row %u,", crop->x, crop->y) : NULL;
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "a buffer of %" G_GSIZE_FORMAT " bytes is too small for %s of %dx%d: plane %u, "
                "by its GstVideoMeta at offset %" G_GSIZE_FORMAT
                " with stride %d%s reaches outside",
                frame->bytes, info->finfo->name, info->width, GST_VIDEO_INFO_FIELD_HEIGHT(info), p,
                frame->meta->offset[p], extent->stride, part ? part : ",");
    return FALSE;
  }
  g_autoptr(GString) strides = g_string_new(NULL);
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES(info); i++)
    g_string_append_printf(strides, "%s%d", i > 0 ? ", " : "", info->stride[i]);
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "a buffer of %" G_GSIZE_FORMAT " bytes is too small for %s of %dx%d: without "
              "GstVideoMeta rows that begin every %s bytes are needed, %" G_GSIZE_FORMAT
              " bytes in all; other rows need a GstVideoMeta, which rawvideoparse adds if its "
              "plane-strides are set",
              frame->bytes, info->finfo->name, info->width, GST_VIDEO_INFO_FIELD_HEIGHT(info),
              strides->str, info->size);
  return FALSE;
}

static gboolean
locate_planes(PlaneExtent extent[CC_MAX_PLANES], GstBuffer *buffer, const GstVideoInfo *info,
              const CcFrameLayout *layout, GError **error) {
  FrameInBuffer frame = {gst_buffer_get_size(buffer), gst_buffer_get_video_meta(buffer), NULL};
  if (frame.meta && !check_meta(buffer, frame.meta, info, error))
    return FALSE;
  if (cc_buffer_is_cropped(buffer, info))
    frame.crop = gst_buffer_get_video_crop_meta(buffer);
  for (guint p = 0; p < layout->n_planes; p++)
    if (!measure_plane(&extent[p], &frame, info, &layout->plane[p], p))
      return refuse_plane(&extent[p], &frame, info, p, error);
  return TRUE;
}

gboolean
cc_buffer_check(GstBuffer *buffer, const GstVideoInfo *info, const CcFrameLayout *layout,
                GError **error) {
  PlaneExtent extent[CC_MAX_PLANES];
  return locate_planes(extent, buffer, info, layout, error);
}

/* NULL: no memory of the buffer is on a device. */
static const CcDomain *
find_device_domain(GstBuffer *buffer) {
  for (guint i = 0; i < gst_buffer_n_memory(buffer); i++) {
    const CcDomain *domain = cc_domain_of_memory(gst_buffer_peek_memory(buffer, i));
    if (domain->on_device)
      return domain;
  }
  return NULL;
}

/* Returns the address of byte `start` of the buffer. */
static guint8 *
map_bytes(CcMappedFrame *self, gsize start, gsize end, GstMapFlags flags, GError **error) {
  guint index, length;
  gsize skip;
  GstBuffer *buffer = self->maps.buffer;
  GstMapInfo *map = &self->maps.map[self->maps.n_maps];
  if (!gst_buffer_find_memory(buffer, start, end - start, &index, &length, &skip) ||
      !gst_buffer_map_range(buffer, index, length, map, flags)) {
    const CcDomain *domain = find_device_domain(buffer);
    g_set_error(error, CC_ERROR, domain ? CC_ERROR_DEVICE : CC_ERROR_INVALID,
                "a buffer's %s cannot be mapped for %s", domain ? domain->name : "memory",
                flags & GST_MAP_WRITE ? "writing" : "reading");
    return NULL;
  }
  self->maps.n_maps++;
  if (map->size >= skip + (end - start))
    return map->data + skip;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "a buffer's memory has %" G_GSIZE_FORMAT " bytes where %" G_GSIZE_FORMAT
              " are needed",
              map->size, skip + (end - start));
  return NULL;
}

/* If a plane extends over several memories, one map must merge them. Merging replaces the memories
 * of the buffer, so all planes must then use this map. */
static gboolean
crosses_memories(GstBuffer *buffer, const PlaneExtent *extent) {
  guint index, length;
  gsize skip;
  return gst_buffer_find_memory(buffer, extent->start, extent->end - extent->start, &index, &length,
                                &skip) &&
         length > 1;
}

static gboolean
need_one_map(GstBuffer *buffer, const PlaneExtent *extent, guint n_planes) {
  gboolean crosses = gst_buffer_n_memory(buffer) == 1;
  for (guint p = 0; p < n_planes; p++)
    crosses |= crosses_memories(buffer, &extent[p]);
  return crosses;
}

/* `whole` is the address of the buffer's first byte. */
static void
set_planes(CcMappedFrame *self, const PlaneExtent *extent, guint n_planes, guint8 *whole) {
  for (guint p = 0; p < n_planes; p++) {
    self->frame.plane[p].data = whole + extent[p].origin;
    self->frame.plane[p].pitch = extent[p].stride;
  }
  self->frame.is_one_block = TRUE;
}

/* Used if GStreamer cannot map the buffer as system memory. */
static gboolean
copy_planes(CcMappedFrame *self, const PlaneExtent *extent, guint n_planes) {
  GstMemory *memory = gst_buffer_peek_memory(self->maps.buffer, 0);
  const CcDomain *domain = cc_domain_of_memory(memory);
  if (gst_buffer_n_memory(self->maps.buffer) > 1 || !domain->read || memory->offset > 0 ||
      !(self->copy = g_try_malloc(memory->size)))
    return FALSE;
  set_planes(self, extent, n_planes, self->copy);
  return domain->read(memory, self->copy);
}

static gboolean
map_planes(CcMappedFrame *self, const PlaneExtent *extent, guint n_planes, gboolean at_once,
           GstMapFlags flags, GError **error) {
  guint8 *whole = NULL;
  if (at_once &&
      !(whole = map_bytes(self, 0, gst_buffer_get_size(self->maps.buffer), flags, error)))
    return FALSE;
  if (at_once) {
    set_planes(self, extent, n_planes, whole);
    return TRUE;
  }
  for (guint p = 0; p < n_planes; p++) {
    guint8 *start = map_bytes(self, extent[p].start, extent[p].end, flags, error);
    if (!start)
      return FALSE;
    self->frame.plane[p].data = start + (extent[p].origin - extent[p].start);
    self->frame.plane[p].pitch = extent[p].stride;
  }
  return TRUE;
}

static gboolean
is_on_device(const CcMappedFrame *self) {
  return self->frame.memory == CC_MEMORY_DEVICE || self->frame.memory == CC_MEMORY_PEER;
}

/* The engine needs aligned samples, and rows that do not overlap. A GstVideoMeta can describe other
 * layouts. */
static gboolean
plane_is_regular(const CcPlane *plane, const CcPlaneLayout *layout) {
  const gsize mask = cc_sample_size(layout->type) - 1;
  const gboolean aligned =
      (GPOINTER_TO_SIZE(plane->data) & mask) == 0 && (plane->pitch & mask) == 0;
  return aligned && (layout->height == 1 || (gsize)ABS(plane->pitch) >= cc_plane_row_bytes(layout));
}

static gboolean
repack_plane(CcMappedFrame *self, guint p, const CcPlaneLayout *layout, GError **error) {
  CcPlane *plane = &self->frame.plane[p];
  const gsize row_bytes = cc_plane_row_bytes(layout), bytes = row_bytes * layout->height;
  guint8 *copy = g_try_malloc(bytes);
  if (!copy) {
    g_set_error(error, CC_ERROR, CC_ERROR_NO_MEMORY,
                "out of memory: %" G_GSIZE_FORMAT " bytes for rows that overlap or split a sample",
                bytes);
    return FALSE;
  }
  for (guint y = 0; y < layout->height; y++)
    memcpy(copy + y * row_bytes, plane->data + (gssize)y * plane->pitch, row_bytes);
  self->repacked[p] = plane->data = copy;
  plane->pitch = (gssize)row_bytes;
  return TRUE;
}

static gboolean
make_regular(CcMappedFrame *self, const CcFrameLayout *layout, const CcDomain *domain,
             GstMapFlags flags, GError **error) {
  for (guint p = 0; p < layout->n_planes; p++) {
    if (plane_is_regular(&self->frame.plane[p], &layout->plane[p]))
      continue;
    if (flags & GST_MAP_WRITE || is_on_device(self)) {
      g_set_error(
          error, CC_ERROR, CC_ERROR_INVALID, "%s in %s has rows that overlap or split a sample",
          flags & GST_MAP_WRITE ? "an output buffer from downstream" : "a buffer", domain->name);
      return FALSE;
    }
    if (!repack_plane(self, p, &layout->plane[p], error))
      return FALSE;
    self->frame.memory = CC_MEMORY_HOST;
    self->path = "staged: rows that overlap or split a sample";
  }
  return TRUE;
}

/* Refuses negative strides in device memory, because the engine does not support them. */
static gboolean
check_on_device(const CcMappedFrame *self, guint n_planes, const CcDomain *domain, GError **error) {
  for (guint p = 0; p < n_planes; p++)
    if (self->frame.plane[p].pitch < 0) {
      g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                  "a buffer in %s has a negative stride in plane %u", domain->name, p);
      return FALSE;
    }
  return TRUE;
}

gboolean
cc_mapped_frame_map(CcMappedFrame *self, GstBuffer *buffer, const GstVideoInfo *info,
                    const CcFrameLayout *layout, GstMapFlags flags, CcDevice *device,
                    gboolean may_pin, GError **error) {
  PlaneExtent extent[CC_MAX_PLANES];
  if (!locate_planes(extent, buffer, info, layout, error))
    return FALSE;

  memset(self, 0, sizeof *self);
  self->maps.buffer = buffer;
  self->maps.may_pin = may_pin;
  const gboolean at_once = need_one_map(buffer, extent, layout->n_planes);
  const CcDomain *domain = cc_domain_of_buffer(buffer, at_once, device);
  const GstMapFlags all_flags = flags | domain->map_flags;
  g_autoptr(GError) reason = NULL;
  gboolean ok = map_planes(self, extent, layout->n_planes, at_once, all_flags, &reason) ||
                (!domain->on_device && !(flags & GST_MAP_WRITE) &&
                 copy_planes(self, extent, layout->n_planes));
  if (ok)
    self->path = domain->describe(&self->maps, device, &self->frame);
  else
    g_propagate_error(error, g_steal_pointer(&reason));
  ok = ok && (!is_on_device(self) || check_on_device(self, layout->n_planes, domain, error)) &&
       make_regular(self, layout, domain, flags, error);
  if (!ok)
    cc_mapped_frame_unmap(self);
  return ok;
}

void
cc_mapped_frame_unmap(CcMappedFrame *self) {
  for (guint p = 0; p < CC_MAX_PLANES; p++)
    g_free(self->repacked[p]);
  g_free(self->copy);
  for (guint i = 0; i < self->maps.n_maps; i++)
    gst_buffer_unmap(self->maps.buffer, &self->maps.map[i]);
  memset(self, 0, sizeof *self);
}
