/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Quantization: replaces coefficients that are not simple fractions by integers over a divisor, so
 * that sums do not depend on their order. The divisor is as fine as the samples need: no result
 * differs by more than one code value from the result of the real coefficients. Only with large
 * gains, for which even the finest divisor is too coarse, the error may be larger. */

#include "op.h"

G_BEGIN_DECLS

/* Sets the taps of an op for samples of 0 to `max_code`, and op->error, the bound on the error of
 * the result. The op's n_matrices, width, height and response must be set, and its taps must be 0.
 * `weight` has the weights of samples in a result, matrix by matrix and row by row. Returns the
 * divisor: weight is about tap / divisor. Rounding changes the sum of a matrix by less than half a
 * code value, so a blur leaves flat areas unchanged. */
gdouble cc_quantize(CcOp *op, const gdouble *weight, gint max_code);

/* Like cc_quantize, for matrices that are each given as a column times a row. */
gdouble cc_quantize_factors(CcOp *op, const gdouble *row, const gdouble *column, gint max_code);

G_END_DECLS
