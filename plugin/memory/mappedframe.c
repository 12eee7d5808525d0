/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mappedframe.h"

#include "cudamemory.h"
#include "engine/error.h"
#include "pinning.h"

#include <string.h>

/* Where one plane lies in its buffer, in bytes. */
typedef struct {
  gsize origin; /* of the top left sample */
  gint stride;
  gsize start, end; /* all that its rows cover */
} PlaneExtent;

static gboolean
crop_fits(const GstVideoCropMeta *crop, const GstVideoMeta *meta, const GstVideoInfo *info) {
  return crop && crop->width == (guint)info->width && crop->height == (guint)info->height &&
         (guint64)crop->x + crop->width <= meta->width &&
         (guint64)crop->y + crop->height <= meta->height;
}

static gboolean
meta_has_size_of(const GstVideoMeta *meta, const GstVideoInfo *info) {
  return meta->width == (guint)info->width && meta->height == (guint)info->height;
}

gboolean
cc_buffer_is_cropped(GstBuffer *buffer, const GstVideoInfo *info) {
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  return meta && !meta_has_size_of(meta, info) &&
         crop_fits(gst_buffer_get_video_crop_meta(buffer), meta, info);
}

/* A GstVideoMeta of a larger size is that of the memory, padding included. As in
 * gst_video_frame_map(), the frame is then the upper left part. A GstVideoCropMeta says where the
 * frame is, and has to agree with the caps unless the GstVideoMeta does. */
static gboolean
check_meta(GstBuffer *buffer, const GstVideoMeta *meta, const GstVideoInfo *info, GError **error) {
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta(buffer);
  const gboolean is_large_enough =
      meta->width >= (guint)info->width && meta->height >= (guint)info->height;
  const gboolean agrees = meta->format == GST_VIDEO_INFO_FORMAT(info) &&
                          meta->n_planes == GST_VIDEO_INFO_N_PLANES(info) && is_large_enough;
  if (agrees && (!crop || meta_has_size_of(meta, info) || crop_fits(crop, meta, info)))
    return TRUE;
  if (agrees)
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "a buffer's GstVideoCropMeta says %ux%u at column %u, row %u; its caps say %dx%d, "
                "and a crop of that size inside the %ux%u of its GstVideoMeta is needed, or no "
                "GstVideoCropMeta",
                crop->width, crop->height, crop->x, crop->y, info->width, info->height, meta->width,
                meta->height);
  else
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "a buffer's GstVideoMeta says %s, %ux%u, %u planes; its caps say %s, %dx%d, %u "
                "planes, and a GstVideoMeta of that format and number of planes is needed, with at "
                "least that width and height",
                gst_video_format_to_string(meta->format), meta->width, meta->height, meta->n_planes,
                info->finfo->name, info->width, info->height, GST_VIDEO_INFO_N_PLANES(info));
  return FALSE;
}

gint
cc_plane_component(const GstVideoInfo *info, guint p) {
  gint component[GST_VIDEO_MAX_COMPONENTS];
  gst_video_format_info_component(info->finfo, p, component);
  return component[0];
}

/* Adds the bytes of n strides to *at. FALSE: no memory reaches there. Metas can say any number, so
 * none is multiplied or added unchecked. */
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

/* What a buffer says about the frame in it. */
typedef struct {
  gsize bytes;
  const GstVideoMeta *meta;     /* NULL: the planes lie as in GstVideoInfo */
  const GstVideoCropMeta *crop; /* NULL: the frame begins where the planes do */
} FrameInBuffer;

/* Moves *at from the first sample of a plane to that of the crop. Packed 4:2:2 has no pixel at an
 * odd column without the one before, so such a crop starts there; GStreamer's videocrop does the
 * same. */
static gboolean
add_crop(gsize *at, const GstVideoCropMeta *crop, const GstVideoInfo *info,
         const CcPlaneLayout *plane, guint p, gint stride) {
  const gint component = cc_plane_component(info, p);
  const gsize column =
      plane->pairs ? crop->x / 2 : crop->x >> GST_VIDEO_FORMAT_INFO_W_SUB(info->finfo, component);
  const gsize row = crop->y >> GST_VIDEO_FORMAT_INFO_H_SUB(info->finfo, component);
  gsize bytes;
  return g_size_checked_mul(&bytes, column, plane->step * cc_sample_size(plane->type)) &&
         g_size_checked_add(at, *at, bytes) && add_strides(at, row, stride);
}

/* FALSE: the plane is not all inside the buffer. */
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

/* Reports the plane that reaches outside. Without a GstVideoMeta the layout is GStreamer's own,
 * whose rows are padded to a multiple of 4 bytes in most formats. */
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
                frame->bytes, info->finfo->name, info->width, info->height, p,
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
              frame->bytes, info->finfo->name, info->width, info->height, strides->str, info->size);
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

/* A device may be what fails when CUDA memory cannot be mapped. */
static CcError
mapping_error(GstBuffer *buffer) {
  for (guint i = 0; i < gst_buffer_n_memory(buffer); i++)
    if (cc_cuda_memory_get_context(gst_buffer_peek_memory(buffer, i)))
      return CC_ERROR_DEVICE;
  return CC_ERROR_INVALID;
}

/* Maps the memory that holds bytes start to end of the buffer; the address of its byte `start`. */
static guint8 *
map_bytes(CcMappedFrame *self, gsize start, gsize end, GstMapFlags flags, GError **error) {
  guint index, length;
  gsize skip;
  GstMapInfo *map = &self->map[self->n_maps];
  if (!gst_buffer_find_memory(self->buffer, start, end - start, &index, &length, &skip) ||
      !gst_buffer_map_range(self->buffer, index, length, map, flags)) {
    g_set_error(error, CC_ERROR, mapping_error(self->buffer),
                "a buffer's %smemory cannot be mapped for %s",
                mapping_error(self->buffer) == CC_ERROR_DEVICE ? "CUDA " : "",
                flags & GST_MAP_WRITE ? "writing" : "reading");
    return NULL;
  }
  self->n_maps++;
  if (map->size >= skip + (end - start))
    return map->data + skip;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "a buffer's memory has %" G_GSIZE_FORMAT " bytes where %" G_GSIZE_FORMAT
              " are needed",
              map->size, skip + (end - start));
  return NULL;
}

/* A plane that crosses from one memory into another needs them merged; then all planes have to come
 * from the same map, since merging replaces the memories. */
static gboolean
crosses_memories(GstBuffer *buffer, const PlaneExtent *extent) {
  guint index, length;
  gsize skip;
  return gst_buffer_find_memory(buffer, extent->start, extent->end - extent->start, &index, &length,
                                &skip) &&
         length > 1;
}

/* Whether one map has to serve all planes. */
static gboolean
need_one_map(GstBuffer *buffer, const PlaneExtent *extent, guint n_planes) {
  gboolean crosses = gst_buffer_n_memory(buffer) == 1;
  for (guint p = 0; p < n_planes; p++)
    crosses |= crosses_memories(buffer, &extent[p]);
  return crosses;
}

/* Says where the planes are; `whole` is the address of the buffer's first byte. */
static void
place_planes(CcMappedFrame *self, const PlaneExtent *extent, guint n_planes, guint8 *whole) {
  for (guint p = 0; p < n_planes; p++) {
    self->frame.plane[p].data = whole + extent[p].origin;
    self->frame.plane[p].pitch = extent[p].stride;
  }
  self->frame.is_one_block = TRUE;
}

/* Reads the planes of a buffer of one CUDA memory into memory of our own, where GStreamer cannot
 * map it as system memory, for which it takes pinned memory. */
static gboolean
copy_planes(CcMappedFrame *self, const PlaneExtent *extent, guint n_planes) {
  GstMemory *memory = gst_buffer_peek_memory(self->buffer, 0);
  if (gst_buffer_n_memory(self->buffer) > 1 || !cc_cuda_memory_get_context(memory) ||
      memory->offset > 0 || !(self->copy = g_try_malloc(memory->size)))
    return FALSE;
  place_planes(self, extent, n_planes, self->copy);
  return cc_cuda_memory_read(memory, self->copy);
}

static gboolean
map_planes(CcMappedFrame *self, const PlaneExtent *extent, guint n_planes, gboolean at_once,
           GstMapFlags flags, GError **error) {
  guint8 *whole = NULL;
  if (at_once && !(whole = map_bytes(self, 0, gst_buffer_get_size(self->buffer), flags, error)))
    return FALSE;
  if (at_once) {
    place_planes(self, extent, n_planes, whole);
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

GstObject *
cc_buffer_get_cuda_context(GstBuffer *buffer) {
  GstObject *common = NULL;
  for (guint i = 0; i < gst_buffer_n_memory(buffer); i++) {
    GstObject *context = cc_cuda_memory_get_context(gst_buffer_peek_memory(buffer, i));
    if (!context || (common && context != common))
      return NULL;
    common = context;
  }
  return common;
}

/* Whether the buffer can be mapped as memory of a device. Every memory counts: an address of one
 * kind in the place of another is an access that ends the context for all who share it. Memories
 * that are merged become system memory. */
static gboolean
maps_as_cuda(GstBuffer *buffer, gboolean at_once) {
  return cc_buffer_get_cuda_context(buffer) && (gst_buffer_n_memory(buffer) == 1 || !at_once);
}

/* For a buffer that was mapped as memory of a device. A frame waits for one stream, so several
 * memories, or those of another device, are waited for here. */
static void
take_cuda_memory(CcMappedFrame *self, const CcDevice *device) {
  GstObject *context = cc_buffer_get_cuda_context(self->buffer);
  const gboolean own = cc_cuda_context_handle(context) == device->context;
  self->frame.memory = own ? CC_MEMORY_DEVICE : CC_MEMORY_PEER;
  self->path = own ? "CUDA memory" : "CUDA memory of another context";
  const guint n = gst_buffer_n_memory(self->buffer);
  if (own && n == 1)
    self->frame.stream = cc_cuda_memory_get_stream(gst_buffer_peek_memory(self->buffer, 0));
  else
    for (guint i = 0; i < n; i++)
      cc_cuda_memory_sync(gst_buffer_peek_memory(self->buffer, i));
}

/* For a buffer that was mapped as system memory; a frame of several is as its worst one. */
static void
take_system_memory(CcMappedFrame *self, CcDevice *device) {
  CcPinning worst = CC_PINNING_OWN;
  for (guint i = 0; i < self->n_maps; i++) {
    const CcPinning pinning = cc_pinning_look_up(&self->map[i], device);
    worst = MAX(worst, pinning);
  }
  self->frame.memory = cc_pinning_is_pinned(worst) ? CC_MEMORY_PINNED : CC_MEMORY_HOST;
  self->path = cc_pinning_describe(worst);
}

/* The engine wants whole samples and rows that do not overlap; a meta can express other things. */
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
make_regular(CcMappedFrame *self, const CcFrameLayout *layout, GstMapFlags flags, GError **error) {
  for (guint p = 0; p < layout->n_planes; p++) {
    if (plane_is_regular(&self->frame.plane[p], &layout->plane[p]))
      continue;
    if (flags & GST_MAP_WRITE || is_on_device(self)) {
      g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s has rows that overlap or split a sample",
                  flags & GST_MAP_WRITE ? "an output buffer from downstream"
                                        : "a buffer in CUDA memory");
      return FALSE;
    }
    if (!repack_plane(self, p, &layout->plane[p], error))
      return FALSE;
    self->frame.memory = CC_MEMORY_HOST;
    self->path = "staged: rows that overlap or split a sample";
  }
  return TRUE;
}

/* The engine copies no planes of a device from the bottom up. */
static gboolean
check_on_device(const CcMappedFrame *self, guint n_planes, GError **error) {
  for (guint p = 0; p < n_planes; p++)
    if (self->frame.plane[p].pitch < 0) {
      g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                  "a buffer in CUDA memory has a negative stride in plane %u", p);
      return FALSE;
    }
  return TRUE;
}

gboolean
cc_mapped_frame_map(CcMappedFrame *self, GstBuffer *buffer, const GstVideoInfo *info,
                    const CcFrameLayout *layout, GstMapFlags flags, CcDevice *device,
                    GError **error) {
  PlaneExtent extent[CC_MAX_PLANES];
  if (!locate_planes(extent, buffer, info, layout, error))
    return FALSE;

  memset(self, 0, sizeof *self);
  self->buffer = buffer;
  self->path = "system memory";
  const gboolean at_once = need_one_map(buffer, extent, layout->n_planes);
  const gboolean cuda = device && maps_as_cuda(buffer, at_once);
  if (cuda)
    flags |= cc_cuda_memory_map_flag();
  g_autoptr(GError) reason = NULL;
  gboolean ok = map_planes(self, extent, layout->n_planes, at_once, flags, &reason) ||
                (!cuda && !(flags & GST_MAP_WRITE) && copy_planes(self, extent, layout->n_planes));
  if (!ok)
    g_propagate_error(error, g_steal_pointer(&reason));
  if (ok && cuda)
    take_cuda_memory(self, device);
  else if (ok && device)
    take_system_memory(self, device);
  ok = ok && (!is_on_device(self) || check_on_device(self, layout->n_planes, error)) &&
       make_regular(self, layout, flags, error);
  if (!ok)
    cc_mapped_frame_unmap(self);
  return ok;
}

void
cc_mapped_frame_unmap(CcMappedFrame *self) {
  for (guint p = 0; p < CC_MAX_PLANES; p++)
    g_free(self->repacked[p]);
  g_free(self->copy);
  for (guint i = 0; i < self->n_maps; i++)
    gst_buffer_unmap(self->buffer, &self->map[i]);
  memset(self, 0, sizeof *self);
}
