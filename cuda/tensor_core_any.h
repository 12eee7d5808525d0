/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The host half of tensor_core_any.cu: which of its kernels runs a pass, and its tables. */

#include "host_half.h"
#include "tensor_core_finish.h"

G_BEGIN_DECLS

/* What is chosen for a pass. */
typedef struct {
  guint8 height; /* of the kernel; 0: none is chosen */
  guint8 finish; /* CcTensorCoreAnyFinish */
  guint8 digits, chunks, margin, reach;
  guint8 pairs; /* as in CcTensorCorePart */
} CcTensorCoreAny;

/* Chooses the kernel for a pass over a plane of the layout, whose components that `pairs` has are
 * half a group apart. FALSE: there is none. */
gboolean cc_tensor_core_any_choose(const CcPass *pass, const CcPlaneLayout *layout, guint stride,
                                   guint pairs, CcTensorCoreAny *any,
                                   CcTensorCoreNumbering *numbering);

/* Its name; `bytes` are those of a sample. */
const gchar *cc_tensor_core_any_name(const CcTensorCoreAny *any, guint bytes);

/* Products for 256 target bytes. */
guint cc_tensor_core_any_cost(const CcTensorCoreAny *any, const CcOp *op);

/* The bytes of a part's table. */
guint cc_tensor_core_any_table_bytes(const CcTensorCoreAny *any, const CcLaunch *launch,
                                     const CcPart *part);

/* Writes the table, which is all zero. */
void cc_tensor_core_any_write_table(guint8 *table, const CcTensorCoreAny *any,
                                    const CcLaunch *launch, const CcPart *part, const CcPass *pass);

G_END_DECLS
