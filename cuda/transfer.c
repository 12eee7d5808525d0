/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transfer.h"

#include <string.h>

#define SLICE_BYTES ((gsize)256 << 10) /* minimum; copying it takes longer than waking a thread */

/* --- placement --- */

/* The rectangles of the frame, one for each plane, that are transferred for a region. */
static const CcRect *
rects_of(const CcTransfer *self, const CcPlacement *placement) {
  return self->to_device ? placement->frame_source : placement->frame_target;
}

/* The same for region `i`. */
static const CcRect *
find_rects(const CcTransfer *self, guint i, CcPlacement *storage) {
  return rects_of(self, cc_cuda_place_region(self->lowered, &self->regions[i], storage));
}

static guint8 *
rect_data(const CcTransfer *self, guint p, const CcRect *rect) {
  const CcPlane *plane = &self->frame->plane[p];
  const CcPlaneLayout *layout = &self->layout[p];
  return plane->data + (gssize)rect->y * plane->pitch + rect->x * cc_plane_group_bytes(layout);
}

static gsize
rect_row_bytes(const CcTransfer *self, guint p, const CcRect *rect) {
  return rect->width * cc_plane_group_bytes(&self->layout[p]);
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

static gboolean
is_aligned(const CcTransfer *self, const CcCudaPlane planes[CC_MAX_PLANES]) {
  gsize all = 0;
  for (guint p = 0; p < self->n_planes; p++)
    all |= planes[p].offset | planes[p].pitch;
  return all % CC_CUDA_PLANE_ALIGNMENT == 0;
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

/* The pitch of short rows, in bytes. With a larger one, narrow regions would need much more memory
 * than they have pixels. */
#define SHORT_PITCH (2 * CC_CUDA_PLANE_ALIGNMENT)

/* Places the rectangles of a region in a buffer at *end, and moves *end past the rectangles. */
static void
place_rects(const CcTransfer *self, const CcRect *rects, gsize *end,
            CcCudaPlane planes[CC_MAX_PLANES]) {
  for (guint p = 0; p < self->n_planes; p++) {
    const gsize bytes = rect_row_bytes(self, p, &rects[p]);
    const gsize alignment = bytes < CC_CUDA_ALIGNMENT ? SHORT_PITCH : CC_CUDA_ALIGNMENT;
    planes[p] = (CcCudaPlane){*end, (bytes + alignment - 1) / alignment * alignment};
    *end = cc_cuda_align(*end + planes[p].pitch * rects[p].height);
  }
}

/* Sets the planes of a rectangle in the frame. `base` is the address at offset 0. */
static void
place_in_frame(const CcTransfer *self, const CcRect *rects, const guint8 *base,
               CcCudaPlane planes[CC_MAX_PLANES]) {
  for (guint p = 0; p < self->n_planes; p++)
    planes[p] = (CcCudaPlane){(gsize)(rect_data(self, p, &rects[p]) - base),
                              (gsize)self->frame->plane[p].pitch};
}

/* Sets the planes of rectangles inside of the first region, which lies at the start of the
 * buffer. */
static void
place_in_first(const CcTransfer *self, const CcRect *rects, CcCudaPlane planes[CC_MAX_PLANES]) {
  CcPlacement storage;
  gsize end = 0;
  place_rects(self, find_rects(self, self->first, &storage), &end, planes);
  for (guint p = 0; p < self->n_planes; p++)
    planes[p].offset +=
        rects[p].y * planes[p].pitch + rects[p].x * cc_plane_group_bytes(&self->layout[p]);
}

void
cc_transfer_place(const CcTransfer *self, guint i, const CcPlacement *placement, CUdeviceptr buffer,
                  gsize *end, CcCudaPlane planes[CC_MAX_PLANES]) {
  const CcRect *rects = rects_of(self, placement);
  if (i < self->first)
    memset(planes, 0, CC_MAX_PLANES * sizeof *planes); /* the region reads nothing */
  else if (self->kind == CC_TRANSFER_NONE)
    place_in_frame(self, rects, NULL, planes);
  else if (self->kind == CC_TRANSFER_WHOLE)
    place_in_frame(self, rects, self->block, planes);
  else if (i >= self->end)
    place_in_first(self, rects, planes);
  else
    place_rects(self, rects, end, planes);
  for (guint p = 0; p < self->n_planes && i >= self->first && self->kind != CC_TRANSFER_NONE; p++)
    planes[p].offset += buffer;
}

gboolean
cc_transfer_align(const CcTransfer *self, const CcPlacement *placement, CUdeviceptr buffer,
                  const CcCudaPlane planes[CC_MAX_PLANES], CcCudaPlane aligned[CC_MAX_PLANES]) {
  gsize end = buffer + cc_cuda_align(self->bytes);
  const gboolean suits = is_aligned(self, planes);
  if (suits)
    memcpy(aligned, planes, CC_MAX_PLANES * sizeof *planes);
  else
    place_rects(self, rects_of(self, placement), &end, aligned);
  return !suits;
}

gboolean
cc_transfer_copy_on_device(const CcTransfer *self, const CcCudaDriver *cuda,
                           const CcPlacement *placement, const CcCudaPlane from[CC_MAX_PLANES],
                           const CcCudaPlane to[CC_MAX_PLANES], CUstream stream, GError **error) {
  const CcRect *rects = rects_of(self, placement);
  for (guint p = 0; p < self->n_planes; p++) {
    const CUDA_MEMCPY2D copy = {
        .srcMemoryType = CU_MEMORYTYPE_DEVICE,
        .srcDevice = from[p].offset,
        .srcPitch = from[p].pitch,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstDevice = to[p].offset,
        .dstPitch = to[p].pitch,
        .WidthInBytes = rect_row_bytes(self, p, &rects[p]),
        .Height = rects[p].height,
    };
    if (!cc_cuda_check(cuda, cuda->cuMemcpy2DAsync(&copy, stream), "cuMemcpy2DAsync", error))
      return FALSE;
  }
  return TRUE;
}

/* --- choosing the kind --- */

/* Chooses WHOLE if that is possible and worthwhile. */
static gboolean
choose_whole(CcTransfer *self, const CcRect *rects) {
  const gsize rows = sum_of_rows(self, rects);
  /* copying small gaps between rows is worthwhile, but the gaps of a target must not be written */
  const gsize max = self->to_device ? rows / 8 * 9 : rows;
  CcCudaPlane planes[CC_MAX_PLANES];
  guint8 *block;
  const gsize bytes = find_block(self, rects, &block);
  place_in_frame(self, rects, block, planes);
  if (bytes > max || !is_aligned(self, planes))
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
  for (guint i = self->first; i < self->end; i++) {
    const CcRect *rects = find_rects(self, i, &placement);
    place_rects(self, rects, &end, planes);
    if (i > self->first && end > max_bytes) {
      self->n_regions = self->end = i;
      return;
    }
    self->bytes = end;
    for (guint p = 0; p < self->n_planes; p++) {
      self->top[p] = i > self->first ? MIN(self->top[p], rects[p].y) : rects[p].y;
      self->below[p] = MAX(self->below[p], rects[p].y + rects[p].height);
    }
  }
}

/* Sets aligned_bytes. Only planes in the frame, or inside of the first region, may need them. */
static void
measure_aligned(CcTransfer *self) {
  const gboolean in_frame = self->kind == CC_TRANSFER_NONE || self->kind == CC_TRANSFER_WHOLE;
  for (guint i = in_frame ? self->first : self->end; i < self->n_regions; i++) {
    CcPlacement storage;
    CcCudaPlane planes[CC_MAX_PLANES];
    const CcPlacement *placement = cc_cuda_place_region(self->lowered, &self->regions[i], &storage);
    gsize unused = 0, end = 0;
    cc_transfer_place(self, i, placement, 0, &unused, planes);
    if (is_aligned(self, planes))
      continue;
    place_rects(self, rects_of(self, placement), &end, planes);
    self->aligned_bytes = MAX(self->aligned_bytes, end);
  }
}

/* More copies than this take longer than copying to staging memory does. */
#define MAX_COPIES 8
/* Up to this many bytes, one copy with the gaps between rows takes less time than a copy per plane.
 */
#define ONE_COPY ((gsize)256 << 10)

CcTransfer
cc_transfer_new(CcProgram *program, const CcSubmitInfo *info, gboolean to_device) {
  const CcProgram *first = cc_submit_info_program(info, program, 0);
  const CcCudaLowered *lowered = ((const CcCudaProgram *)first)->lowered;
  const CcPlan *plan = &lowered->plan;
  CcTransfer self = {
      .to_device = to_device,
      .lowered = lowered,
      .n_planes = plan->frame_layout.n_planes,
      .layout = to_device ? plan->frame_layout.plane : plan->out_frame_layout.plane,
      .frame = to_device ? &info->src : &info->dst,
      .regions = info->regions,
      .n_regions = info->n_regions,
      .first = to_device && !cc_plan_reads_source(plan) ? 1 : 0,
      .end = info->n_regions,
  };
  CcPlacement storage;
  const gboolean all_within_first =
      self.first < self.end &&
      cc_cuda_place_region(lowered, &self.regions[self.first], &storage) == &lowered->whole;
  if (all_within_first)
    self.end = self.first + 1;
  const CcMemoryKind memory = self.frame->memory;
  const gboolean on_host = memory == CC_MEMORY_HOST || memory == CC_MEMORY_PINNED;
  const guint n = self.end - self.first;
  const gboolean direct = memory == CC_MEMORY_PINNED && !has_negative_pitch(&self) &&
                          n * self.n_planes <= MAX_COPIES && (to_device || !info->in_place);
  if (n == 0 || (memory == CC_MEMORY_DEVICE && (to_device || !info->in_place))) {
    self.kind = CC_TRANSFER_NONE;
  } else if (!direct || !self.frame->is_one_block || n > 1 ||
             !choose_whole(&self, find_rects(&self, self.first, &storage))) {
    self.kind = on_host && !direct ? CC_TRANSFER_STAGED : CC_TRANSFER_PLANES;
    take_regions(&self, info->in_place ? G_MAXSIZE
                        : to_device    ? lowered->src_bytes
                                       : lowered->dst_bytes);
  }
  measure_aligned(&self);
  return self;
}

/* --- staging --- */

#define CACHE_LINE 64
#define MAX_PREFETCHED 2048 /* bytes of a row; the copy of a longer row prefetches enough */

/* Rows of a region are far apart in the frame, so the processor does not prefetch them by itself.
 */
static void
prefetch_row(guint8 *to, const guint8 *from, gsize row_bytes) {
  for (gsize i = 0; i < row_bytes; i += CACHE_LINE) {
    __builtin_prefetch(from + i, 0);
    __builtin_prefetch(to + i, 1);
  }
}

static void
copy_rows(guint8 *to, gssize to_pitch, const guint8 *from, gssize from_pitch, gsize row_bytes,
          guint rows) {
  if (to_pitch == from_pitch && (gsize)to_pitch == row_bytes) {
    memcpy(to, from, row_bytes * rows);
    return;
  }
  for (guint y = 0; y < rows; y++) {
    if (y + 1 < rows && row_bytes <= MAX_PREFETCHED)
      prefetch_row(to + to_pitch, from + from_pitch, row_bytes);
    memcpy(to, from, row_bytes);
    to += to_pitch;
    from += from_pitch;
  }
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
  for (guint i = self->first; i < self->end; i++) {
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
  for (guint i = self->first; i < self->end; i++) {
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
  const gboolean staged = self->kind == CC_TRANSFER_STAGED;
  if (self->kind == CC_TRANSFER_NONE)
    return TRUE;
  if (self->kind == CC_TRANSFER_PLANES ||
      (staged && self->bytes > ONE_COPY &&
       (self->end - self->first) * self->n_planes <= MAX_COPIES))
    return copy_rects(self, cuda, buffer, staged ? staging : NULL, stream, error);
  return cc_cuda_check(
      cuda, cuda->cuMemcpyDtoHAsync(staged ? staging : self->block, buffer, self->bytes, stream),
      "cuMemcpyDtoHAsync", error);
}
