/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The operator: a kernel at one size with the settings of the filter, independent of frames. Its
 * coefficients are integers over one divisor if possible. Other coefficients are rounded to such,
 * as finely as the samples of an op need (quantize.h). */

#include "filter.h"
#include "op.h"
#include "engine/kernel/rational.h"

G_BEGIN_DECLS

/* Numbers of all matrices, one matrix after the other: coefficients, or one row or column of
 * factors each. */
typedef struct {
  guint n;       /* numbers for each matrix */
  gint64 *whole; /* the numbers times the common divisor */
  gdouble *real; /* the weights of samples in a result, without the sign of the scale */
} CcNumbers;

typedef struct {
  guint n, width, height;
  CcMatrix *matrix; /* n matrices, owned */
  CcResponse response;
  CcChroma chroma;
  CcKernelClass klass;
  gdouble scale;  /* 0: automatic */
  gboolean falls; /* the scale was negative: results fall if responses rise */
  /* If the coefficients are integers over one divisor, the divisor and these integers; else divisor
   * is 0 and the numbers are real weights. Factored matrices use `rows` and `columns`, the others
   * `taps`. */
  gint64 divisor;
  gboolean factored;
  CcNumbers taps, rows, columns;
} CcOperator;

/* CC_ERROR_INVALID names the property, its value and the accepted values. */
CcOperator *cc_operator_new(const CcFilter *filter, GError **error);
void cc_operator_free(CcOperator *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcOperator, cc_operator_free)

/* Sets the taps of an op for samples of 0 to `max_code`, with the bounds of their sums and their
 * error. Returns the factor from sums of these taps to results. *fraction is this factor as a
 * fraction; its denominator is 0 if that is not possible with moderate numbers. */
gdouble cc_operator_set_taps(const CcOperator *self, CcOp *op, gint max_code, CcRational *fraction);

G_END_DECLS
