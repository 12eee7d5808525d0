/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Gradients: two derivatives, whose sums are made together, as those of Sobel, Scharr, Prewitt and
 * Roberts. */

#include "tap_groups.h"

G_BEGIN_DECLS

/* Which gradient two matrices are that are summed over whole windows; CC_N_GRADIENTS: none. `over`
 * has the weights of each. */
CcGradient cc_gradient_find(const CcOp *op, const CcWeights over[2]);

/* Gives the first weights the taps of both matrices and 2^left times the op's factors, and leaves
 * the second ones empty. */
void cc_gradient_join(CcGradient gradient, const CcOp *op, CcWeights over[2], guint step,
                      guint left);

G_END_DECLS
