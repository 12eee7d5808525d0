/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The launch configuration of conv2d_any.cu: which of its kernels runs a pass. */

#include "tap_table.h"

G_BEGIN_DECLS

/* What is chosen for a pass. */
typedef struct {
  guint8 height;        /* of the kernel; 0: none is chosen */
  guint8 finish;        /* CcTensorCoreAnyFinish */
  guint8 margin, reach; /* as in CcTensorCorePart */
} CcTensorCoreAny;

/* Chooses the kernel for a pass over a plane of the layout, whose components that `pairs` has are
 * half a group apart. FALSE: there is none. */
gboolean cc_tensor_core_any_choose(const CcPass *pass, const CcPlaneLayout *layout, guint stride,
                                   guint pairs, CcTensorCoreAny *any, CcTensorCoreTable *table,
                                   CcTensorCoreNumbering *numbering);

/* Its name; `bytes` are those of a sample. */
const gchar *cc_tensor_core_any_name(const CcTensorCoreAny *any, guint bytes);

/* Products of the tensor cores for 256 target bytes. */
guint cc_tensor_core_any_cost(const CcTensorCoreAny *any, const CcTensorCoreTable *table,
                              const CcOp *op);

G_END_DECLS
