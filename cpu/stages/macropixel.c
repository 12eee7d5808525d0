/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "macropixel.h"

gboolean
cc_macropixel_find(const CcPlan *plan, CcPlan *whole) {
  if (!plan->packed || plan->stride > 1 || plan->n_passes != 2 ||
      plan->frame_layout.n_planes != 1 || !plan->frame_layout.plane[0].has_macropixels)
    return FALSE;
  if (plan->frame_layout.plane[0].width % 2) /* the last macropixel is incomplete */
    return FALSE;
  *whole = *plan;
  whole->packed = FALSE;
  whole->layout = plan->frame_layout;
  whole->out_layout = plan->out_frame_layout;
  whole->map[0] = (CcPlaneMap){.kind = CC_PLANE_MAP_NONE, .offset = {{.spacing = 1}}};
  whole->n_passes = 1;
  whole->pass[0] = (CcPass){.op = plan->pass[0].op, .filter_mask = 0xf};
  for (guint i = 0; i < plan->n_passes; i++) {
    const CcPass *pass = &plan->pass[i];
    const guint step = plan->layout.plane[pass->plane].step;
    const CcComponentOffset *offset = &plan->map[pass->plane].offset[0];
    if (pass->op != whole->pass[0].op || pass->filter_mask != (1u << step) - 1)
      return FALSE;
    for (guint k = 0; k < 2; k++)
      whole->pass[0].border[offset->first + k * offset->spacing] = pass->border[k % step];
  }
  return TRUE;
}
