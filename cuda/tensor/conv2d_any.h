/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The launch configuration of conv2d_any.cu: chooses the kernel for a pass. */

#include "tap_table.h"

G_BEGIN_DECLS

/* The chosen kernel of a pass. */
typedef struct {
  const gchar *name;
  guint cost;            /* tensor-core products per 256 target bytes */
  guint8 margin, radius; /* as in CcTensorCoreJob */
} CcTensorCoreAny;

/* Chooses the kernel for a pass over a plane of the layout. `macropixel_luma` is the member of
 * CcTensorCoreJob. FALSE: no kernel can run the pass, or the algorithm two-pass is faster. */
gboolean cc_tensor_core_any_choose(const CcPass *pass, const CcPlaneLayout *layout, guint stride,
                                   guint macropixel_luma, CcTensorCoreAny *any,
                                   CcTensorCoreTable *table, CcRequantization *numbers);

G_END_DECLS
