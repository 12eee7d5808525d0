/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The operator: a kernel at one size with the settings of the filter, independent of frames. If its
 * coefficients are not integers over one divisor, cc_operator_set_taps rounds them, as finely as
 * the samples of an op need (quantize.h). */

#include "filter.h"
#include "op.h"
#include "engine/kernel/rational.h"

G_BEGIN_DECLS

/* Numbers of all matrices, one matrix after the other. The numbers of a matrix are its
 * coefficients, or the row or the column of its factors. */
typedef struct {
  guint n;       /* numbers for each matrix */
  gint64 *whole; /* the numbers as integers; see CcOperator.divisor */
  gdouble *real; /* the numbers as weights; see CcOperator.divisor */
} CcNumbers;

typedef struct {
  guint n, width, height;
  CcMatrix *matrix; /* n matrices, owned */
  /* never AUTO; instead of CANNY and CANNY_L1, the magnitude that they need, and `finds_edges` */
  CcResponse response;
  gboolean finds_edges;
  CcChroma chroma;
  CcKernelClass klass;
  gdouble scale;  /* 0: automatic */
  gboolean falls; /* the given scale is negative: a result falls if the response rises */
  /* Every coefficient is an integer over this divisor. The members `whole` hold these integers, or
   * their integer factors. 0: no such divisor exists. The members `real` then hold the weights of
   * samples in a result, or the factors of the weights, without the sign of `scale`. Factored
   * matrices use `rows` and `columns`, other matrices use `taps`. */
  gint64 divisor;
  gboolean factored;
  CcNumbers taps, rows, columns;
} CcOperator;

CcOperator *cc_operator_new(const CcFilter *filter, GError **error);
void cc_operator_free(CcOperator *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcOperator, cc_operator_free)

gboolean cc_operator_has_negative_tap(const CcOperator *self);

/* Sets the taps of an op for samples of 0 to `max_code`, the bounds of the sums, and the error of
 * the taps. Returns the factor that turns sums into results. *fraction is this factor as a
 * fraction. Its denominator is 0 if the fraction would need too large numbers. */
gdouble cc_operator_set_taps(const CcOperator *self, CcOp *op, gint max_code, CcRational *fraction);

G_END_DECLS
