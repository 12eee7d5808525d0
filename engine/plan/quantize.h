/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Quantization: replaces coefficients that are not simple fractions by integers over a divisor, so
 * that sums do not depend on their order. The divisor is chosen as fine as the samples need: no
 * result is off by more than one code value from that of the real coefficients. */

#include "op.h"

G_BEGIN_DECLS

/* Sets the taps of an op whose n_matrices, width, height and response are set, for samples of 0 to
 * `max_code`, and op->error, the bound on the error of the result. `weight` has the weights of
 * samples in a result, matrix by matrix and row by row. Returns the divisor: weight is about tap /
 * divisor. The sum of the weights of a matrix is kept to less than half a code value, so a blur
 * leaves flat areas unchanged. */
gdouble cc_quantize(CcOp *op, const gdouble *weight, gint max_code);

/* Like cc_quantize for weights that are columns times rows, one of each for every matrix. */
gdouble cc_quantize_factors(CcOp *op, const gdouble *row, const gdouble *column, gint max_code);

G_END_DECLS
