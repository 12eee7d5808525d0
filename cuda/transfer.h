/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The transfer of one side of a submission: between the planes of a frame and device memory. */

#include "program.h"

G_BEGIN_DECLS

typedef enum {
  CC_TRANSFER_NONE,   /* kernels work on the frame's own device memory */
  CC_TRANSFER_WHOLE,  /* one copy of one block of pinned memory, whose layout the device keeps; one
                         region only */
  CC_TRANSFER_PLANES, /* one copy per plane: of pinned memory, or within or between devices */
  CC_TRANSFER_STAGED, /* rows are copied to or from pinned staging memory, which is transferred in
                         one copy */
} CcTransferKind;

/* With PLANES and STAGED, the buffer on the device has the rectangles of one region after another,
 * plane after plane, without the pixels around them. */
typedef struct {
  CcTransferKind kind;
  gboolean to_device;
  gsize bytes; /* of device memory; 0 with NONE */
  const CcCudaLowered *lowered;
  guint n_planes;
  const CcPlaneLayout *layout; /* of each plane */
  const CcFrame *frame;
  const CcRegion *regions; /* the first regions of the submission */
  guint n_regions;
  guint8 *block; /* with WHOLE: its first byte on the host */
  /* with STAGED: the first row of any region in each plane, and the row below the last */
  guint top[CC_MAX_PLANES], below[CC_MAX_PLANES];
} CcTransfer;

/* Chooses the cheapest transfer between the frame of a submission and the device. The submission is
 * borrowed. Of the targets, only the regions are written; where regions overlap, the later one
 * wins. The transfer covers as many of the first regions as need no more memory than the whole
 * frame, but at least one. */
CcTransfer cc_transfer_new(const CcCudaLowered *lowered, const CcSubmitInfo *info,
                           gboolean to_device);

/* Sets where the planes of a region lie in device memory. `buffer` is the transfer's buffer. The
 * region begins at *end in it, which is 0 for the first region, and *end moves behind the
 * region. */
void cc_transfer_place(const CcTransfer *self, const CcPlacement *placement, CUdeviceptr buffer,
                       gsize *end, CcCudaPlane planes[CC_MAX_PLANES]);

/* Number of slices, each of some rows of every plane, into which copies to and from staging memory
 * should be divided. 0: the copies are too small for other threads to help. */
guint cc_transfer_n_slices(const CcTransfer *self);

/* Copies one of `n_slices` slices from the frame to `staging`, or back; only with STAGED. `staging`
 * has self->bytes. No two slices have the same rows of the frame. */
void cc_transfer_copy_slice(const CcTransfer *self, guint8 *staging, guint slice, guint n_slices);

/* Queue the copies to or from the device buffer. `staging` is used with STAGED only. With NONE
 * there is nothing to do. The device must be pushed. */
gboolean cc_transfer_upload(const CcTransfer *self, const CcCudaDriver *cuda, CUdeviceptr buffer,
                            const guint8 *staging, CUstream stream, GError **error);
gboolean cc_transfer_download(const CcTransfer *self, const CcCudaDriver *cuda, CUdeviceptr buffer,
                              guint8 *staging, CUstream stream, GError **error);

G_END_DECLS
