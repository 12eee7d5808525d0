/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The last steps of the tensor core kernels: which of them give the same code values as an op's
 * own, shown for every sum that can occur. */

#include "engine/plan.h"
#include "launch.h"
#include "sliding.h"

G_BEGIN_DECLS

/* Whether the last step gives the op's code values for samples of so many bytes, and its numbers.
 */
gboolean cc_sliding_find_finish(CcSlidingFinish finish, const CcOp *op, guint bytes,
                                CcSlidingNumbers *numbers);

G_END_DECLS
