/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transfer.h"

#include <string.h>

#define SLICE_BYTES ((gsize)256 << 10) /* takes longer to copy than it takes to wake a thread */

/* --- places --- */

/* The first sample of the plane's rectangle. */
static guint8 *
rect_data(const CcTransfer *self, guint p) {
  const CcPlane *plane = &self->frame.plane[p];
  const CcPlaneLayout *layout = &self->layout[p];
  return plane->data + (gssize)self->rect[p].y * plane->pitch +
         (gsize)self->rect[p].x * layout->step * cc_sample_size(layout->type);
}

static gsize
rect_row_bytes(const CcTransfer *self, guint p) {
  return (gsize)self->rect[p].width * self->layout[p].step * cc_sample_size(self->layout[p].type);
}

/* Bytes from the first sample of the rectangle to behind its last; the pitch is not negative. */
static gsize
rect_extent(const CcTransfer *self, guint p) {
  return (gsize)(self->rect[p].height - 1) * (gsize)self->frame.plane[p].pitch +
         rect_row_bytes(self, p);
}

static gboolean
has_negative_pitch(const CcTransfer *self) {
  for (guint p = 0; p < self->n_planes; p++)
    if (self->frame.plane[p].pitch < 0)
      return TRUE;
  return FALSE;
}

/* Whether kernels can take planes that lie like those of the frame, from `base` on. */
static gboolean
suits_kernels(const CcTransfer *self, const guint8 *base) {
  gsize all = 0;
  for (guint p = 0; p < self->n_planes; p++)
    all |= (gsize)(rect_data(self, p) - base) | (gsize)self->frame.plane[p].pitch;
  return all % CC_CUDA_PLANE_ALIGNMENT == 0;
}

/* The block that all rectangles make up, from its first byte to behind its last. */
static gsize
find_block(const CcTransfer *self, guint8 **block) {
  guint8 *first = rect_data(self, 0), *last = first;
  for (guint p = 0; p < self->n_planes; p++) {
    guint8 *data = rect_data(self, p);
    first = MIN(first, data);
    last = MAX(last, data + rect_extent(self, p));
  }
  *block = first;
  return (gsize)(last - first);
}

static gsize
sum_of_rows(const CcTransfer *self) {
  gsize bytes = 0;
  for (guint p = 0; p < self->n_planes; p++)
    bytes += rect_row_bytes(self, p) * self->rect[p].height;
  return bytes;
}

/* Gives the device the layout of the frame, from `base` on. */
static void
take_layout(CcTransfer *self, const guint8 *base) {
  for (guint p = 0; p < self->n_planes; p++)
    self->plane[p] =
        (CcCudaPlane){(gsize)(rect_data(self, p) - base), (gsize)self->frame.plane[p].pitch};
}

/* --- which way --- */

/* Tries NONE or WHOLE. In a block that is copied as a whole at most `most_bytes` may be copied. */
static gboolean
choose_without_layout(CcTransfer *self, gsize most_bytes) {
  if (has_negative_pitch(self))
    return FALSE;
  if (self->frame.memory == CC_MEMORY_DEVICE && suits_kernels(self, NULL)) {
    self->kind = CC_TRANSFER_NONE;
    self->bytes = 0;
    take_layout(self, NULL);
    return TRUE;
  }
  if (self->frame.memory != CC_MEMORY_PINNED || !self->frame.is_one_block)
    return FALSE;
  const gsize bytes = find_block(self, &self->block);
  if (bytes > most_bytes || !suits_kernels(self, self->block))
    return FALSE;
  self->kind = CC_TRANSFER_WHOLE;
  self->bytes = bytes;
  take_layout(self, self->block);
  return TRUE;
}

static void
choose(CcTransfer *self, const CcCudaPlane *own, gsize own_bytes, gsize most_bytes) {
  if (choose_without_layout(self, most_bytes))
    return;
  const gboolean on_host =
      self->frame.memory == CC_MEMORY_HOST || self->frame.memory == CC_MEMORY_PINNED;
  const gboolean direct = self->frame.memory != CC_MEMORY_HOST && !has_negative_pitch(self);
  self->kind = on_host && !direct ? CC_TRANSFER_STAGED : CC_TRANSFER_PLANES;
  self->bytes = own_bytes;
  memcpy(self->plane, own, sizeof self->plane);
}

CcTransfer
cc_transfer_of_source(const CcCudaProgram *program, const CcFrame *frame) {
  const CcPlan *plan = program->base.plan;
  CcTransfer self = {.to_device = TRUE,
                     .n_planes = plan->frame_layout.n_planes,
                     .layout = plan->frame_layout.plane,
                     .rect = plan->frame_source,
                     .frame = *frame};
  /* gaps between rows are worth copying while they are few */
  choose(&self, program->lowered->src, program->lowered->src_bytes, sum_of_rows(&self) / 8 * 9);
  return self;
}

CcTransfer
cc_transfer_of_target(const CcCudaProgram *program, const CcFrame *frame) {
  const CcPlan *plan = program->base.plan;
  CcTransfer self = {.n_planes = plan->frame_layout.n_planes,
                     .layout = plan->out_frame_layout.plane,
                     .rect = plan->frame_target,
                     .frame = *frame};
  /* what lies between rows must not be written */
  choose(&self, program->lowered->dst, program->lowered->dst_bytes, sum_of_rows(&self));
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

/* The rows of a plane that a slice has, from *first on. */
static guint
rows_of_slice(const CcTransfer *self, guint p, guint slice, guint n_slices, guint *first) {
  const guint64 height = self->rect[p].height;
  *first = (guint)(height * slice / n_slices);
  return (guint)(height * (slice + 1) / n_slices) - *first;
}

void
cc_transfer_copy_slice(const CcTransfer *self, guint8 *staging, guint slice, guint n_slices) {
  for (guint p = 0; p < self->n_planes; p++) {
    guint first;
    const guint rows = rows_of_slice(self, p, slice, n_slices, &first);
    const gsize row_bytes = rect_row_bytes(self, p);
    const gssize pitch = self->frame.plane[p].pitch, staged_pitch = (gssize)self->plane[p].pitch;
    guint8 *data = rect_data(self, p) + first * pitch;
    guint8 *staged = staging + self->plane[p].offset + first * staged_pitch;
    if (self->to_device)
      copy_rows(staged, staged_pitch, data, pitch, row_bytes, rows);
    else
      copy_rows(data, pitch, staged, staged_pitch, row_bytes, rows);
  }
}

/* --- copies --- */

/* Between the device and where the plane lies on the other side: in staging memory, or when that is
 * NULL in the frame. Only what rows hold is copied: what lies between them was never written. */
static gboolean
copy_plane(const CcTransfer *self, const CcCudaDriver *cuda, guint p, CUdeviceptr buffer,
           guint8 *staging, CUstream stream, GError **error) {
  const CcCudaPlane *place = &self->plane[p];
  guint8 *data = staging ? staging + place->offset : rect_data(self, p);
  const gsize pitch = staging ? place->pitch : (gsize)self->frame.plane[p].pitch;
  const gboolean on_host = staging || self->frame.memory == CC_MEMORY_PINNED;
  CUDA_MEMCPY2D copy = {.WidthInBytes = rect_row_bytes(self, p), .Height = self->rect[p].height};
  /* the address tells which memory it is of, that of another device too */
  const CUmemorytype type = on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_UNIFIED;
  if (self->to_device) {
    copy.srcMemoryType = type;
    copy.srcHost = on_host ? data : NULL;
    copy.srcDevice = on_host ? 0 : (CUdeviceptr)data;
    copy.srcPitch = pitch;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = buffer + place->offset;
    copy.dstPitch = place->pitch;
  } else {
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = buffer + place->offset;
    copy.srcPitch = place->pitch;
    copy.dstMemoryType = type;
    copy.dstHost = on_host ? data : NULL;
    copy.dstDevice = on_host ? 0 : (CUdeviceptr)data;
    copy.dstPitch = pitch;
  }
  return cc_cuda_check(cuda, cuda->cuMemcpy2DAsync(&copy, stream), "cuMemcpy2DAsync", error);
}

static gboolean
copy_planes(const CcTransfer *self, const CcCudaDriver *cuda, CUdeviceptr buffer, guint8 *staging,
            CUstream stream, GError **error) {
  for (guint p = 0; p < self->n_planes; p++)
    if (!copy_plane(self, cuda, p, buffer, staging, stream, error))
      return FALSE;
  return TRUE;
}

gboolean
cc_transfer_upload(const CcTransfer *self, const CcCudaDriver *cuda, CUdeviceptr buffer,
                   const guint8 *staging, CUstream stream, GError **error) {
  if (self->kind == CC_TRANSFER_NONE)
    return TRUE;
  if (self->kind == CC_TRANSFER_PLANES)
    return copy_planes(self, cuda, buffer, NULL, stream, error);
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
    return copy_planes(self, cuda, buffer, self->kind == CC_TRANSFER_STAGED ? staging : NULL,
                       stream, error);
  return cc_cuda_check(cuda, cuda->cuMemcpyDtoHAsync(self->block, buffer, self->bytes, stream),
                       "cuMemcpyDtoHAsync", error);
}
