/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The operator: a kernel at one size with what the filter says about it, before anything is known
 * of frames. Its coefficients are whole numbers over one divisor wherever that is possible; others
 * are rounded to such, as finely as the samples of an op need (quantize.h). */

#include "filter.h"
#include "op.h"
#include "engine/kernel/rational.h"

G_BEGIN_DECLS

/* Numbers of all matrices, one matrix after the other: coefficients, or one line of factors each.
 */
typedef struct {
  guint n;       /* of each matrix */
  gint64 *whole; /* the numbers times the divisor of them all */
  gdouble *real; /* what samples count in a result, but for the scale's sign */
} CcNumbers;

typedef struct {
  guint n, width, height;
  CcMatrix *matrix; /* n of them, owned */
  CcResponse response;
  CcChroma chroma;
  CcKernelClass klass;
  gdouble scale;  /* 0: automatic */
  gboolean falls; /* it was negative: results fall when responses rise */
  /* Of coefficients that are whole numbers over one divisor, those; else divisor is 0, and these
   * are real weights. Of factored matrices these are rows and columns, whose products are meant. */
  gint64 divisor;
  gboolean factored;
  CcNumbers taps, rows, columns;
} CcOperator;

/* CC_ERROR_INVALID names the property, its value and what would be accepted. */
CcOperator *cc_operator_new(const CcFilter *filter, GError **error);
void cc_operator_free(CcOperator *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcOperator, cc_operator_free)

/* Sets the taps of an op for samples of 0 to `most_code`, with the bounds of their sums and their
 * error. Gives the factor from sums of these taps to results; the denominator of *fraction, which
 * is the same as a fraction, is 0 where there is none of moderate size. */
gdouble cc_operator_set_taps(const CcOperator *self, CcOp *op, gint max_code, CcRational *fraction);

G_END_DECLS
