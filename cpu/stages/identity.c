/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "identity.h"

#include "engine/plan/output_stage.h"
#include "engine/ablation.h"
#include "macropixel.h"

static gint
code_of_itself(gconstpointer unused, gint64 n) {
  return (gint)n;
}

/* Returns whether the op maps every stored word of a plane to itself. It does not if words have
 * more bits than samples, because filtering clears the additional bits. */
static gboolean
keeps_words(const CcOp *op, const CcPlaneLayout *plane) {
  return op->width == 1 && op->height == 1 && op->n_matrices == 1 &&
         op->response != CC_RESPONSE_DIRECTION && op->response != CC_RESPONSE_MAGNITUDE &&
         cc_op_tap(op, 0, 0, 0) == 1 && plane->depth == 8 * cc_sample_size(plane->type) &&
         cc_op_agrees(op, cc_op_range(op), code_of_itself, NULL);
}

gboolean
cc_identity_find(const CcPlan *plan, const CcRows *kernels, CcPlan *copying) {
  gboolean found = FALSE;
  if (cc_is_left_out("identity"))
    return FALSE;
  if (!cc_macropixel_find(plan, copying))
    *copying = *plan;
  for (guint i = 0; !copying->packed && i < copying->n_passes; i++) {
    CcPass *pass = &copying->pass[i];
    if (!pass->filter_mask || !keeps_words(pass->op, &copying->layout.plane[pass->plane]))
      continue;
    pass->copy_mask |= pass->filter_mask;
    pass->filter_mask = 0;
    pass->op = NULL;
    found = TRUE;
  }
  return found;
}
