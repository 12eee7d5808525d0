/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The launch configuration of conv2d_any.cu: which of its kernels runs a pass. */

#include "tap_table.h"

G_BEGIN_DECLS

/* The kernel that is chosen for a pass. */
typedef struct {
  const gchar *name;     /* of the kernel; NULL: none is chosen */
  guint cost;            /* tensor-core products per 256 target bytes */
  guint8 margin, radius; /* as in CcTensorCoreJob */
} CcTensorCoreAny;

/* Chooses the kernel for a pass over a plane of the layout. `macropixel_luma` is that of
 * CcTensorCoreJob. FALSE: there is no kernel. */
gboolean cc_tensor_core_any_choose(const CcPass *pass, const CcPlaneLayout *layout, guint stride,
                                   guint macropixel_luma, CcTensorCoreAny *any,
                                   CcTensorCoreTable *table, CcRequantization *numbers);

G_END_DECLS
