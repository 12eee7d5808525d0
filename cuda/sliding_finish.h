/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The last steps of the tensor core kernels: which of them give the same code values as an op's
 * own, shown for every sum that can occur. */

#include "engine/plan.h"

G_BEGIN_DECLS

/* The fastest first; see CC_SLIDING_KERNELS. */
typedef enum {
  CC_SLIDING_SCALE,
  CC_SLIDING_SCALEABS,
  CC_SLIDING_ROOT,
  CC_SLIDING_CLAMP,
  CC_SLIDING_FLOAT,
  CC_SLIDING_DOUBLE,
  CC_SLIDING_N_FINISHES,
} CcSlidingFinish;

/* The numbers of a last step, as in CcPart. */
typedef struct {
  gint factor, addend, down, start;
  gfloat mul;
} CcSlidingNumbers;

/* Whether the last step gives the op's code values for samples of so many bytes, and its numbers.
 */
gboolean cc_sliding_find_finish(CcSlidingFinish finish, const CcOp *op, guint bytes,
                                CcSlidingNumbers *numbers);

G_END_DECLS
