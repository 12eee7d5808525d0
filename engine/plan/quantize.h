/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Quantization: integers over a divisor in place of coefficients that are no simple fractions, so
 * that sums are the same in any order. The divisor is as fine as the samples need: with it, no
 * result is off by more than one code value from that of the real coefficients. */

#include "op.h"

G_BEGIN_DECLS

/* Sets the taps of an op whose n_matrices, width, height and response are set, for samples of 0 to
 * `most_code`, and the bound on what that changes, op->error. `weight` is what samples count in a
 * result, matrix by matrix and row by row. Gives the divisor: weight is about tap / divisor. What
 * the weights of a matrix add up to is kept to less than half a code value, so a blur leaves flat
 * areas as they are. */
gdouble cc_quantize(CcOp *op, const gdouble *weight, gint max_code);

/* The same of weights that are columns times rows, one of each for every matrix. */
gdouble cc_quantize_factors(CcOp *op, const gdouble *row, const gdouble *column, gint max_code);

G_END_DECLS
