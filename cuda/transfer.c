/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transfer.h"

#include <string.h>

#define SLICE_BYTES ((gsize)256 << 10) /* minimum; copying it takes longer than waking a thread */

/* --- placement --- */

/* The rectangles of the frame, one for each plane, that are transferred for region `i`. */
static const CcRect *
find_rects(const CcTransfer *self, guint i, CcPlacement *storage) {
  const CcPlacement *placement = cc_cuda_place_region(self->lowered, &self->regions[i], storage);
  return self->to_device ? placement->frame_source : placement->frame_target;
}

static guint8 *
rect_data(const CcTransfer *self, guint p, const CcRect *rect) {
  const CcPlane *plane = &self->frame->plane[p];
  const CcPlaneLayout *layout = &self->layout[p];
  return plane->data + (gssize)rect->y * plane->pitch +
         (gsize)rect->x * layout->step * cc_sample_size(layout->type);
}

static gsize
rect_row_bytes(const CcTransfer *self, guint p, const CcRect *rect) {
  return (gsize)rect->width * self->layout[p].step * cc_sample_size(self->layout[p].type);
}

/* Bytes from the start of a plane's rectangle to the end of its last row. The pitch must not be
 * negative. */
static gsize
rect_extent(const CcTransfer *self, guint p, const CcRect *rect) {
  return (gsize)(rect->height - 1) * (gsize)self->frame->plane[p].pitch +
         rect_row_bytes(self, p, rect);
}

static gboolean
has_negative_pitch(const CcTransfer *self) {
  for (guint p = 0; p < self->n_planes; p++)
    if (self->frame->plane[p].pitch < 0)
      return TRUE;
  return FALSE;
}

/* Whether the pitches of the frame's planes, and the offsets of the rectangles from `base`, have
 * the alignment that kernels require. `base` corresponds to an aligned address on the device. */
static gboolean
suits_kernels(const CcTransfer *self, const CcRect *rects, const guint8 *base) {
  gsize all = 0;
  for (guint p = 0; p < self->n_planes; p++)
    all |= (gsize)(rect_data(self, p, &rects[p]) - base) | (gsize)self->frame->plane[p].pitch;
  return all % CC_CUDA_PLANE_ALIGNMENT == 0;
}

/* Whether kernels can use the planes of all regions in place, for a frame in device memory. */
static gboolean
all_suit_kernels(const CcTransfer *self) {
  CcPlacement placement;
  for (guint i = 0; i < self->n_regions; i++)
    if (!suits_kernels(self, find_rects(self, i, &placement), NULL))
      return FALSE;
  return TRUE;
}

/* Finds the block that spans all rectangles. Returns its size. */
static gsize
find_block(const CcTransfer *self, const CcRect *rects, guint8 **block) {
  guint8 *first = rect_data(self, 0, &rects[0]), *last = first;
  for (guint p = 0; p < self->n_planes; p++) {
    guint8 *data = rect_data(self, p, &rects[p]);
    first = MIN(first, data);
    last = MAX(last, data + rect_extent(self, p, &rects[p]));
  }
  *block = first;
  return (gsize)(last - first);
}

static gsize
sum_of_rows(const CcTransfer *self, const CcRect *rects) {
  gsize bytes = 0;
  for (guint p = 0; p < self->n_planes; p++)
    bytes += rect_row_bytes(self, p, &rects[p]) * rects[p].height;
  return bytes;
}

/* Places the rectangles of a region in a buffer at *end, and moves *end past the rectangles. */
static void
place_rects(const CcTransfer *self, const CcRect *rects, gsize *end,
            CcCudaPlane planes[CC_MAX_PLANES]) {
  for (guint p = 0; p < self->n_planes; p++)
    planes[p] = cc_cuda_place_rows(rect_row_bytes(self, p, &rects[p]), rects[p].height, end);
}

void
cc_transfer_place(const CcTransfer *self, const CcPlacement *placement, CUdeviceptr buffer,
                  gsize *end, CcCudaPlane planes[CC_MAX_PLANES]) {
  const CcRect *rects = self->to_device ? placement->frame_source : placement->frame_target;
  const gboolean as_frame = self->kind == CC_TRANSFER_NONE || self->kind == CC_TRANSFER_WHOLE;
  const CUdeviceptr base = self->kind == CC_TRANSFER_NONE ? 0 : buffer;
  if (!as_frame)
    place_rects(self, rects, end, planes);
  for (guint p = 0; p < self->n_planes; p++) {
    if (as_frame)
      planes[p] = (CcCudaPlane){(gsize)(rect_data(self, p, &rects[p]) - self->block),
                                (gsize)self->frame->plane[p].pitch};
    planes[p].offset += base;
  }
}

/* --- choosing the kind --- */

/* Chooses WHOLE if that is possible and worthwhile. */
static gboolean
choose_whole(CcTransfer *self, const CcRect *rects) {
  const gsize rows = sum_of_rows(self, rects);
  /* copying small gaps between rows is worthwhile, but the gaps of a target must not be written */
  const gsize max = self->to_device ? rows / 8 * 9 : rows;
  guint8 *block;
  const gsize bytes = find_block(self, rects, &block);
  if (bytes > max || !suits_kernels(self, rects, block))
    return FALSE;
  self->kind = CC_TRANSFER_WHOLE;
  self->bytes = bytes;
  self->block = block;
  return TRUE;
}

/* Keeps only the first regions that together fit `max_bytes`, and at least one region. */
static void
take_regions(CcTransfer *self, gsize max_bytes) {
  CcPlacement placement;
  CcCudaPlane planes[CC_MAX_PLANES];
  gsize end = 0;
  for (guint i = 0; i < self->n_regions; i++) {
    const CcRect *rects = find_rects(self, i, &placement);
    place_rects(self, rects, &end, planes);
    if (i > 0 && end > max_bytes) {
      self->n_regions = i;
      return;
    }
    self->bytes = end;
    for (guint p = 0; p < self->n_planes; p++) {
      self->top[p] = i > 0 ? MIN(self->top[p], rects[p].y) : rects[p].y;
      self->below[p] = MAX(self->below[p], rects[p].y + rects[p].height);
    }
  }
}

CcTransfer
cc_transfer_new(const CcCudaLowered *lowered, const CcSubmitInfo *info, gboolean to_device) {
  const CcPlan *plan = &lowered->plan;
  CcTransfer self = {
      .to_device = to_device,
      .lowered = lowered,
      .n_planes = plan->frame_layout.n_planes,
      .layout = to_device ? plan->frame_layout.plane : plan->out_frame_layout.plane,
      .frame = to_device ? &info->src : &info->dst,
      .regions = info->regions,
      .n_regions = info->n_regions,
  };
  const CcMemoryKind memory = self.frame->memory;
  const gboolean on_host = memory == CC_MEMORY_HOST || memory == CC_MEMORY_PINNED;
  const gboolean direct = memory != CC_MEMORY_HOST && !has_negative_pitch(&self);
  CcPlacement placement;
  if (direct && memory == CC_MEMORY_DEVICE && all_suit_kernels(&self)) {
    self.kind = CC_TRANSFER_NONE;
  } else if (!direct || memory != CC_MEMORY_PINNED || !self.frame->is_one_block ||
             self.n_regions > 1 || !choose_whole(&self, find_rects(&self, 0, &placement))) {
    self.kind = on_host && !direct ? CC_TRANSFER_STAGED : CC_TRANSFER_PLANES;
    take_regions(&self, to_device ? lowered->src_bytes : lowered->dst_bytes);
  }
  return self;
}

/* --- staging --- */

static void
copy_rows(guint8 *to, gssize to_pitch, const guint8 *from, gssize from_pitch, gsize row_bytes,
          guint rows) {
  if (to_pitch == from_pitch && (gsize)to_pitch == row_bytes) {
    memcpy(to, from, row_bytes * rows);
    return;
  }
  for (guint y = 0; y < rows; y++)
    memcpy(to + (gssize)y * to_pitch, from + (gssize)y * from_pitch, row_bytes);
}

guint
cc_transfer_n_slices(const CcTransfer *self) {
  return (guint)(self->bytes / SLICE_BYTES);
}

/* Copies rows `first` to end - 1 of a plane's rectangle between the frame and staging memory. */
static void
copy_rect_rows(const CcTransfer *self, guint p, const CcRect *rect, const CcCudaPlane *plane,
               guint8 *staging, guint first, guint end) {
  const gsize row_bytes = rect_row_bytes(self, p, rect);
  const gssize pitch = self->frame->plane[p].pitch, staged_pitch = (gssize)plane->pitch;
  guint8 *data = rect_data(self, p, rect) + (gssize)first * pitch;
  guint8 *staged = staging + plane->offset + (gssize)first * staged_pitch;
  if (self->to_device)
    copy_rows(staged, staged_pitch, data, pitch, row_bytes, end - first);
  else
    copy_rows(data, pitch, staged, staged_pitch, row_bytes, end - first);
}

void
cc_transfer_copy_slice(const CcTransfer *self, guint8 *staging, guint slice, guint n_slices) {
  CcPlacement placement;
  CcCudaPlane planes[CC_MAX_PLANES];
  gsize end_of_planes = 0;
  for (guint i = 0; i < self->n_regions; i++) {
    const CcRect *rects = find_rects(self, i, &placement);
    place_rects(self, rects, &end_of_planes, planes);
    for (guint p = 0; p < self->n_planes; p++) {
      const CcRect *rect = &rects[p];
      const guint64 rows = self->below[p] - self->top[p];
      const guint top = self->top[p] + (guint)(rows * slice / n_slices);
      const guint below = self->top[p] + (guint)(rows * (slice + 1) / n_slices);
      const guint first = MAX(top, rect->y), end = MIN(below, rect->y + rect->height);
      if (first < end)
        copy_rect_rows(self, p, rect, &planes[p], staging, first - rect->y, end - rect->y);
    }
  }
}

/* --- copies --- */

/* Queues the copy of a plane's rectangle between the device buffer and staging memory, or the frame
 * if `staging` is NULL. Does not copy the gaps between rows. In a download, nothing has
 * written the gaps of the device buffer, and the gaps of the frame must not be written. */
static gboolean
copy_rect(const CcTransfer *self, const CcCudaDriver *cuda, guint p, const CcRect *rect,
          const CcCudaPlane *plane, CUdeviceptr buffer, guint8 *staging, CUstream stream,
          GError **error) {
  guint8 *data = staging ? staging + plane->offset : rect_data(self, p, rect);
  const gsize pitch = staging ? plane->pitch : (gsize)self->frame->plane[p].pitch;
  const gboolean on_host = staging || self->frame->memory == CC_MEMORY_PINNED;
  CUDA_MEMCPY2D copy = {.WidthInBytes = rect_row_bytes(self, p, rect), .Height = rect->height};
  /* UNIFIED: the driver finds out which device an address belongs to */
  const CUmemorytype type = on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_UNIFIED;
  if (self->to_device) {
    copy.srcMemoryType = type;
    copy.srcHost = on_host ? data : NULL;
    copy.srcDevice = on_host ? 0 : (CUdeviceptr)data;
    copy.srcPitch = pitch;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = buffer + plane->offset;
    copy.dstPitch = plane->pitch;
  } else {
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = buffer + plane->offset;
    copy.srcPitch = plane->pitch;
    copy.dstMemoryType = type;
    copy.dstHost = on_host ? data : NULL;
    copy.dstDevice = on_host ? 0 : (CUdeviceptr)data;
    copy.dstPitch = pitch;
  }
  return cc_cuda_check(cuda, cuda->cuMemcpy2DAsync(&copy, stream), "cuMemcpy2DAsync", error);
}

static gboolean
copy_rects(const CcTransfer *self, const CcCudaDriver *cuda, CUdeviceptr buffer, guint8 *staging,
           CUstream stream, GError **error) {
  CcPlacement placement;
  CcCudaPlane planes[CC_MAX_PLANES];
  gsize end_of_planes = 0;
  for (guint i = 0; i < self->n_regions; i++) {
    const CcRect *rects = find_rects(self, i, &placement);
    place_rects(self, rects, &end_of_planes, planes);
    for (guint p = 0; p < self->n_planes; p++)
      if (!copy_rect(self, cuda, p, &rects[p], &planes[p], buffer, staging, stream, error))
        return FALSE;
  }
  return TRUE;
}

gboolean
cc_transfer_upload(const CcTransfer *self, const CcCudaDriver *cuda, CUdeviceptr buffer,
                   const guint8 *staging, CUstream stream, GError **error) {
  if (self->kind == CC_TRANSFER_NONE)
    return TRUE;
  if (self->kind == CC_TRANSFER_PLANES)
    return copy_rects(self, cuda, buffer, NULL, stream, error);
  const guint8 *from = self->kind == CC_TRANSFER_WHOLE ? self->block : staging;
  return cc_cuda_check(cuda, cuda->cuMemcpyHtoDAsync(buffer, from, self->bytes, stream),
                       "cuMemcpyHtoDAsync", error);
}

gboolean
cc_transfer_download(const CcTransfer *self, const CcCudaDriver *cuda, CUdeviceptr buffer,
                     guint8 *staging, CUstream stream, GError **error) {
  if (self->kind == CC_TRANSFER_NONE)
    return TRUE;
  if (self->kind != CC_TRANSFER_WHOLE)
    return copy_rects(self, cuda, buffer, self->kind == CC_TRANSFER_STAGED ? staging : NULL, stream,
                      error);
  return cc_cuda_check(cuda, cuda->cuMemcpyDtoHAsync(self->block, buffer, self->bytes, stream),
                       "cuMemcpyDtoHAsync", error);
}
