/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The last steps of the kernels for separable windows: which of them give the same code values as
 * an op's own, shown for every sum that can occur. */

#include "engine/plan/op.h"
#include "separable_kernels.h"

G_BEGIN_DECLS

/* Whether sums of such a kind and a last step of theirs give the op's code values for samples of so
 * many bytes. Sets what the table says of it; `addend` is then what the sum begins with. */
gboolean cc_tensor_separable_find_finish(CcTensorSeparableSums sums, const CcOp *op, guint bytes,
                                         CcTensorSeparableTable *table, gint64 *begin);

G_END_DECLS
