/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How one side of a job gets between the planes of a frame and device memory. */

#include "program.h"

G_BEGIN_DECLS

typedef enum {
  CC_TRANSFER_NONE,   /* kernels work on the frame's own device memory */
  CC_TRANSFER_WHOLE,  /* one copy of one block of pinned memory, whose layout the device takes over
                       */
  CC_TRANSFER_PLANES, /* one copy a plane: of pinned memory, or within or between devices */
  CC_TRANSFER_STAGED, /* rows by way of pinned staging memory, and one copy of that */
} CcTransferKind;

typedef struct {
  CcTransferKind kind;
  gboolean to_device;
  gsize bytes; /* of device memory that it needs; 0 with NONE */
  /* on the device: offsets in a buffer of these bytes, but addresses with NONE */
  CcCudaPlane plane[CC_MAX_PLANES];
  guint n_planes;
  const CcPlaneLayout *layout; /* of each plane, and the rectangle of it that is transferred */
  const CcRect *rect;
  CcFrame frame;
  guint8 *block; /* with WHOLE: where it begins on the host */
} CcTransfer;

/* The cheapest way from the plan's source of a frame to the device. */
CcTransfer cc_transfer_of_source(const CcCudaProgram *program, const CcFrame *frame);

/* And from the device to the plan's target of a frame, of which nothing else is written. */
CcTransfer cc_transfer_of_target(const CcCudaProgram *program, const CcFrame *frame);

/* Into how many slices, each of some rows of every plane, copies to and from staging are worth
 * dividing; 0: they are so small that other threads are no help. */
guint cc_transfer_n_slices(const CcTransfer *self);

/* Copies a slice, of `n_slices`, from the frame to `staging` of self->bytes, or back; only with
 * STAGED. */
void cc_transfer_copy_slice(const CcTransfer *self, guint8 *staging, guint slice, guint n_slices);

/* Queue the copies to or from the device buffer. `staging` is used with STAGED, and nothing is done
 * with NONE. The device must be pushed. */
gboolean cc_transfer_upload(const CcTransfer *self, const CcCudaDriver *cuda, CUdeviceptr buffer,
                            const guint8 *staging, CUstream stream, GError **error);
gboolean cc_transfer_download(const CcTransfer *self, const CcCudaDriver *cuda, CUdeviceptr buffer,
                              guint8 *staging, CUstream stream, GError **error);

G_END_DECLS
