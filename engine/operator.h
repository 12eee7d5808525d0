/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The operator: a kernel at one size with what the filter says about it, before anything is known
 * of frames. Its coefficients are whole numbers over one divisor wherever that is possible, since
 * sums of integers are the same in any order. */

#include "filter.h"
#include "op.h"
#include "rational.h"

G_BEGIN_DECLS

typedef struct {
  guint n, width, height;
  CcMatrix *matrix; /* n of them, owned */
  CcResponse response;
  CcChroma chroma;
  CcKernelClass klass;
  gdouble scale;  /* 0: automatic */
  gboolean falls; /* it was negative: results fall when responses rise */
  /* All coefficients are whole[] / divisor. Where there is none that does, divisor is 0, and the
   * matrices hold the coefficients times 2^-exponent, of which floats hold the squares too. */
  gint64 divisor;
  gint64 whole[CC_MAX_TAPS];
  gint exponent;
} CcOperator;

/* CC_ERROR_INVALID names the property, its value and what would be accepted. */
CcOperator *cc_operator_new(const CcFilter *filter, GError **error);
void cc_operator_free(CcOperator *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcOperator, cc_operator_free)

/* Sets the taps of an op for samples of 0 to `most_code`, the bounds of their sums included. */
void cc_operator_set_taps(const CcOperator *self, CcOp *op, gint most_code);

/* The factor from sums of the op's taps to results; the denominator of *fraction, which is the same
 * as a fraction, is 0 where there is none of moderate size. */
gdouble cc_operator_scale(const CcOperator *self, CcRational *fraction);

G_END_DECLS
