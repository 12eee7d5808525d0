/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How one side of a job gets between the planes of a frame and device memory. */

#include "program.h"

G_BEGIN_DECLS

typedef enum {
  CC_TRANSFER_NONE,   /* kernels work on the frame's own device memory */
  CC_TRANSFER_WHOLE,  /* one copy of one block of pinned memory, whose layout the device takes over;
                         of one region only */
  CC_TRANSFER_PLANES, /* one copy a plane: of pinned memory, or within or between devices */
  CC_TRANSFER_STAGED, /* rows by way of pinned staging memory, and one copy of that */
} CcTransferKind;

/* With PLANES and STAGED the buffer on the device has the rectangles of region after region, plane
 * after plane, without what surrounds them. */
typedef struct {
  CcTransferKind kind;
  gboolean to_device;
  gsize bytes; /* of device memory that it needs; 0 with NONE */
  const CcCudaLowered *lowered;
  guint n_planes;
  const CcPlaneLayout *layout; /* of each plane */
  const CcFrame *frame;
  const CcRegion *regions; /* the first ones of the submission */
  guint n_regions;
  guint8 *block; /* with WHOLE: where it begins on the host */
  /* with STAGED: the first row of any region in each plane, and the one below the last */
  guint top[CC_MAX_PLANES], below[CC_MAX_PLANES];
} CcTransfer;

/* The cheapest way from the sources of a submission, which is borrowed, to the device, or from
 * there to the targets, beside which nothing is written; where they overlap the later one wins. It
 * takes as many of the first regions as need no more memory than the whole frame, but at least one.
 */
CcTransfer cc_transfer_new(const CcCudaLowered *lowered, const CcSubmitInfo *submission,
                           gboolean to_device);

/* Sets where the planes of a region lie in device memory. `buffer` is that of the transfer, in
 * which the region begins at *end; that moves behind it, from 0 with the first one. */
void cc_transfer_place(const CcTransfer *self, const CcPlacement *placement, CUdeviceptr buffer,
                       gsize *end, CcCudaPlane planes[CC_MAX_PLANES]);

/* Into how many slices, each of some rows of every plane, copies to and from staging are worth
 * dividing; 0: they are so small that other threads are no help. */
guint cc_transfer_n_slices(const CcTransfer *self);

/* Copies a slice, of `n_slices`, from the frame to `staging` of self->bytes, or back; only with
 * STAGED. No two slices have the same rows of the frame. */
void cc_transfer_copy_slice(const CcTransfer *self, guint8 *staging, guint slice, guint n_slices);

/* Queue the copies to or from the device buffer. `staging` is used with STAGED, and nothing is done
 * with NONE. The device must be pushed. */
gboolean cc_transfer_upload(const CcTransfer *self, const CcCudaDriver *cuda, CUdeviceptr buffer,
                            const guint8 *staging, CUstream stream, GError **error);
gboolean cc_transfer_download(const CcTransfer *self, const CcCudaDriver *cuda, CUdeviceptr buffer,
                              guint8 *staging, CUstream stream, GError **error);

G_END_DECLS
