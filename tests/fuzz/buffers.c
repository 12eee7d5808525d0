/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "buffers.h"

#include <string.h>
#include "sanitizers.h"

#define MAX_BYTES (64 * 1024)
#define MAX_MEMORIES 5

/* The bits of the first byte. */
enum {
  HAS_META = 1 << 0,
  HAS_CROP = 1 << 1,
  READ_ONLY = 1 << 2,
  ONE_BLOCK = 1 << 3, /* the memories are parts of one block */
  IS_SHARED = 1 << 4, /* the buffer has a second reference */
  IS_SPLIT = 1 << 5,
  IS_LOCKED = 1 << 6, /* the first memory is locked for writing, so it cannot be read */
};

#define WRITER GST_LOCK_FLAG_WRITE

/* --- memory --- */

/* A memory of `size` bytes inside a larger block. The bytes before and after it must not be
 * accessed. */
static GstMemory *
take_memory(FuzzBytes *bytes, gsize size, GstMemoryFlags flags) {
  const gsize before = fuzz_take_byte(bytes) % 32, after = fuzz_take_byte(bytes) % 8;
  const gsize all = before + size + after;
  guint8 *block = g_malloc(all + 1);
  for (gsize i = 0; i < all; i++)
    block[i] = (guint8)(i * 31 + i / 256);
  ASAN_POISON_MEMORY_REGION(block, before);
  ASAN_POISON_MEMORY_REGION(block + before + size, after + 1);
  return gst_memory_new_wrapped(flags, block, all, before, size, block, g_free);
}

static void
append_memories(GstBuffer *buffer, FuzzBytes *bytes, gsize size, guint flags) {
  const guint n = flags & IS_SPLIT ? 1 + fuzz_take_byte(bytes) % MAX_MEMORIES : 1;
  const GstMemoryFlags memory_flags = flags & READ_ONLY ? GST_MEMORY_FLAG_READONLY : 0;
  GstMemory *block = flags & ONE_BLOCK ? take_memory(bytes, size, memory_flags) : NULL;
  gsize at = 0;
  for (guint i = 0; i < n; i++) {
    const gsize rest = size - at;
    const gsize part = i + 1 < n ? fuzz_take_uint(bytes, 2) % (rest + 1) : rest;
    gst_buffer_append_memory(buffer, block ? gst_memory_share(block, (gssize)at, (gssize)part)
                                           : take_memory(bytes, part, memory_flags));
    at += part;
  }
  g_clear_pointer(&block, gst_memory_unref);
}

/* --- metas --- */

/* Fields that the element compares with the caps are taken without dice, because random values
 * would seldom be accepted. */
static void
take_metas(FuzzBuffer *self, FuzzBytes *bytes, const GstVideoInfo *info) {
  GstVideoMeta *meta = &self->meta;
  GstVideoCropMeta *crop = &self->crop;
  const guint width = (guint)info->width, height = (guint)GST_VIDEO_INFO_FIELD_HEIGHT(info);
  const guint format = fuzz_take_byte(bytes);
  meta->format = format ? (GstVideoFormat)format : GST_VIDEO_INFO_FORMAT(info);
  meta->n_planes = (guint)fuzz_take_number(bytes, GST_VIDEO_INFO_N_PLANES(info), G_MAXUINT);
  crop->width = (guint)fuzz_take_number(bytes, width, G_MAXUINT);
  crop->height = (guint)fuzz_take_number(bytes, height, G_MAXUINT);

  bytes->dice = (guint32)fuzz_take_uint(bytes, 2);
  meta->width = (guint)fuzz_take_number(bytes, width, G_MAXUINT);
  meta->height = (guint)fuzz_take_number(bytes, height, G_MAXUINT);
  for (guint p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    const guint64 stride = (guint64)info->stride[p];
    meta->offset[p] = fuzz_take_number(bytes, info->offset[p], self->size);
    meta->stride[p] = (gint)fuzz_take_number(bytes, stride, -stride);
  }
  crop->x = (guint)fuzz_take_number(bytes, 0, meta->width - width);
  crop->y = (guint)fuzz_take_number(bytes, 0, meta->height - height);
  bytes->dice = 0;
}

/* GStreamer's functions to add metas reject some numbers, so the fields are set afterwards. */
static void
add_metas(FuzzBuffer *self, const GstVideoInfo *info) {
  if (self->has_meta) {
    GstVideoMeta *meta = gst_buffer_add_video_meta(self->buffer, GST_VIDEO_FRAME_FLAG_NONE,
                                                   GST_VIDEO_INFO_FORMAT(info), (guint)info->width,
                                                   (guint)GST_VIDEO_INFO_FIELD_HEIGHT(info));
    meta->format = self->meta.format;
    meta->width = self->meta.width;
    meta->height = self->meta.height;
    meta->n_planes = self->meta.n_planes;
    memcpy(meta->offset, self->meta.offset, sizeof meta->offset);
    memcpy(meta->stride, self->meta.stride, sizeof meta->stride);
  }
  if (self->has_crop) {
    GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta(self->buffer);
    crop->x = self->crop.x;
    crop->y = self->crop.y;
    crop->width = self->crop.width;
    crop->height = self->crop.height;
  }
}

/* --- buffers --- */

void
fuzz_buffer_take(FuzzBuffer *self, FuzzBytes *bytes, const GstVideoInfo *info) {
  const guint flags = fuzz_take_byte(bytes);
  memset(self, 0, sizeof *self);
  self->size = fuzz_take_number(bytes, info->size, 0) % (MAX_BYTES + 1);
  self->has_meta = (flags & HAS_META) != 0;
  self->has_crop = (flags & HAS_CROP) != 0;
  if (self->has_meta || self->has_crop)
    take_metas(self, bytes, info);
  self->buffer = gst_buffer_new();
  append_memories(self->buffer, bytes, self->size, flags);
  add_metas(self, info);
  self->content = g_malloc(self->size + 1);
  gst_buffer_extract(self->buffer, 0, self->content, self->size);
  if (flags & IS_SHARED)
    self->other_reference = gst_buffer_ref(self->buffer);
  if (flags & IS_LOCKED && gst_memory_lock(gst_buffer_peek_memory(self->buffer, 0), WRITER))
    self->locked = gst_memory_ref(gst_buffer_peek_memory(self->buffer, 0));
}

void
fuzz_buffer_clear(FuzzBuffer *self) {
  if (self->locked)
    gst_memory_unlock(self->locked, WRITER);
  g_clear_pointer(&self->locked, gst_memory_unref);
  g_clear_pointer(&self->buffer, gst_buffer_unref);
  g_clear_pointer(&self->other_reference, gst_buffer_unref);
  g_clear_pointer(&self->content, g_free);
}

/* --- expected location of frames --- */

/* Wide enough for products and sums of all numbers in a meta. */
typedef __int128 Wide;

typedef struct {
  Wide origin, stride;
  guint row_bytes, n_rows;
} PlaneGeometry;

/* The component with the largest pixel stride. Its samples repeat with the whole plane, unlike
 * those of luma in packed 4:2:2. */
static gint
sparsest_component(const GstVideoInfo *info, guint plane) {
  gint components[GST_VIDEO_MAX_COMPONENTS];
  gst_video_format_info_component(info->finfo, plane, components);
  gint sparsest = components[0];
  for (gint i = 1; i < GST_VIDEO_MAX_COMPONENTS && components[i] >= 0; i++)
    if (GST_VIDEO_INFO_COMP_PSTRIDE(info, components[i]) >
        GST_VIDEO_INFO_COMP_PSTRIDE(info, sparsest))
      sparsest = components[i];
  return sparsest;
}

static gboolean
meta_has_size_of(const FuzzBuffer *self, const GstVideoInfo *info) {
  return self->meta.width == (guint)info->width &&
         self->meta.height == (guint)GST_VIDEO_INFO_FIELD_HEIGHT(info);
}

/* Whether the crop meta locates the frame in a larger one. */
static gboolean
crop_counts(const FuzzBuffer *self, const GstVideoInfo *info) {
  return self->has_meta && self->has_crop && !meta_has_size_of(self, info);
}

static PlaneGeometry
find_plane(const FuzzBuffer *self, const GstVideoInfo *info, guint plane) {
  const gint c = sparsest_component(info, plane);
  const Wide pixel = GST_VIDEO_INFO_COMP_PSTRIDE(info, c);
  PlaneGeometry geometry = {
      .origin = self->has_meta ? self->meta.offset[plane] : info->offset[plane],
      .stride = self->has_meta ? self->meta.stride[plane] : info->stride[plane],
      .row_bytes = (guint)(GST_VIDEO_INFO_COMP_WIDTH(info, c) * pixel),
      .n_rows = (guint)GST_VIDEO_INFO_COMP_HEIGHT(info, c),
  };
  if (crop_counts(self, info))
    geometry.origin +=
        (self->crop.y >> GST_VIDEO_FORMAT_INFO_H_SUB(info->finfo, c)) * geometry.stride +
        (self->crop.x >> GST_VIDEO_FORMAT_INFO_W_SUB(info->finfo, c)) * pixel;
  return geometry;
}

static gboolean
metas_agree(const FuzzBuffer *self, const GstVideoInfo *info) {
  const GstVideoMeta *meta = &self->meta;
  const GstVideoCropMeta *crop = &self->crop;
  if (!self->has_meta)
    return TRUE;
  if (meta->format != GST_VIDEO_INFO_FORMAT(info) ||
      meta->n_planes != GST_VIDEO_INFO_N_PLANES(info))
    return FALSE;
  if (meta_has_size_of(self, info))
    return TRUE;
  if (!self->has_crop)
    return meta->width >= (guint)info->width &&
           meta->height >= (guint)GST_VIDEO_INFO_FIELD_HEIGHT(info);
  return crop->width == (guint)info->width &&
         crop->height == (guint)GST_VIDEO_INFO_FIELD_HEIGHT(info) &&
         (Wide)crop->x + crop->width <= meta->width && (Wide)crop->y + crop->height <= meta->height;
}

gboolean
fuzz_buffer_is_valid(const FuzzBuffer *self, const GstVideoInfo *info) {
  gboolean valid = metas_agree(self, info);
  for (guint p = 0; valid && p < GST_VIDEO_INFO_N_PLANES(info); p++) {
    const PlaneGeometry geometry = find_plane(self, info, p);
    const Wide to_last = (geometry.n_rows - 1) * geometry.stride;
    valid = geometry.origin + MIN(to_last, 0) >= 0 &&
            geometry.origin + MAX(to_last, 0) + geometry.row_bytes <= self->size;
  }
  return valid;
}

const guint8 *
fuzz_buffer_row(const FuzzBuffer *self, const GstVideoInfo *info, guint plane, guint row) {
  const PlaneGeometry geometry = find_plane(self, info, plane);
  return self->content + (gssize)(geometry.origin + row * geometry.stride);
}
