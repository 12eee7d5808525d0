/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The transfer of one side of a submission: between the planes of a frame and device memory. */

#include "program.h"

G_BEGIN_DECLS

typedef enum {
  CC_TRANSFER_NONE,   /* kernels work on the frame's own device memory, or nothing is transferred */
  CC_TRANSFER_WHOLE,  /* one copy of the block of pinned memory that contains all planes; the device
                         keeps the layout of the block; one region only */
  CC_TRANSFER_PLANES, /* one copy per plane of a region: from or to pinned memory, from the memory
                         of another device, or to device memory in place */
  CC_TRANSFER_STAGED, /* rows go through pinned staging memory; an upload of it is one copy, a
                         download is one copy, or one copy per plane of a few regions */
} CcTransferKind;

/* With PLANES and STAGED, the buffer on the device contains only the rectangles of the regions that
 * are transferred: region after region, and plane after plane in each region. If the first region
 * is the whole frame, only this region is transferred, and the other regions lie inside of it.
 *
 * Planes that do not have the alignment that kernels require are copied on the device, to or from
 * memory for the planes of one region. */
typedef struct {
  CcTransferKind kind;
  gboolean to_device;
  gsize bytes; /* bytes of the device buffer that are transferred; 0 with NONE */
  gsize
      aligned_bytes; /* bytes after them for the planes of one region that need another alignment */
  const CcCudaLowered *lowered;
  guint n_planes;
  const CcPlaneLayout *layout; /* layout of each plane */
  const CcFrame *frame;
  const CcRegion *regions; /* the first regions of the submission */
  guint n_regions;
  guint first, end; /* the numbers of the regions that are transferred: first to end - 1 */
  guint8 *block;    /* with WHOLE: first byte of the block on the host */
  /* with STAGED: in each plane, the first row of all regions, and the row below their last row */
  guint top[CC_MAX_PLANES], below[CC_MAX_PLANES];
} CcTransfer;

/* Chooses the cheapest transfer between the frame of a submission and the device. `program` is the
 * program of the submission. `info` is borrowed. Only the regions of the target frame are written.
 * If regions overlap, the later region wins. The transfer covers the first regions that together
 * need no more memory than the whole frame, and at least one region. In place, it covers all
 * regions, and nothing but cc_transfer_copy_slice writes a frame in host memory. */
CcTransfer cc_transfer_new(CcProgram *program, const CcSubmitInfo *info, gboolean to_device);

/* Sets where the planes of region `i` lie in device memory. `buffer` is the address of the
 * transfer's device buffer. Regions must be placed in their order. With PLANES and STAGED, *end is
 * the offset in the buffer behind the regions before, and is moved past the region. *end must be 0
 * for the first region. */
void cc_transfer_place(const CcTransfer *self, guint i, const CcPlacement *placement,
                       CUdeviceptr buffer, gsize *end, CcCudaPlane planes[CC_MAX_PLANES]);

/* If kernels cannot use `planes`, the planes of a region, sets `aligned` to planes in the buffer
 * that they can use, and returns TRUE. Otherwise copies `planes` to `aligned`. */
gboolean cc_transfer_align(const CcTransfer *self, const CcPlacement *placement, CUdeviceptr buffer,
                           const CcCudaPlane planes[CC_MAX_PLANES],
                           CcCudaPlane aligned[CC_MAX_PLANES]);

/* Queues the copy of a region's planes in device memory. */
gboolean cc_transfer_copy_on_device(const CcTransfer *self, const CcCudaDriver *cuda,
                                    const CcPlacement *placement,
                                    const CcCudaPlane from[CC_MAX_PLANES],
                                    const CcCudaPlane to[CC_MAX_PLANES], CUstream stream,
                                    GError **error);

/* The number of slices into which copies to and from staging memory should be divided. A slice has
 * some rows of every plane. 0: the copies are too small for other threads to help. */
guint cc_transfer_n_slices(const CcTransfer *self);

/* Copies one of `n_slices` slices from the frame to `staging`, or from `staging` to the frame. Only
 * with STAGED. The size of `staging` is self->bytes. No two slices have the same rows of the
 * frame. */
void cc_transfer_copy_slice(const CcTransfer *self, guint8 *staging, guint slice, guint n_slices);

/* Queue the copies to or from the device buffer. `staging` is used with STAGED only. The device
 * must be pushed. */
gboolean cc_transfer_upload(const CcTransfer *self, const CcCudaDriver *cuda, CUdeviceptr buffer,
                            const guint8 *staging, CUstream stream, GError **error);
gboolean cc_transfer_download(const CcTransfer *self, const CcCudaDriver *cuda, CUdeviceptr buffer,
                              guint8 *staging, CUstream stream, GError **error);

G_END_DECLS
