/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Finds numbers with which a requantization variant of the tensor-core kernels gives the same code
 * values as an op's own output stage. The equality is proved for every sum that can occur. */

#include "engine/plan/op.h"
#include "requantization_variants.h"

G_BEGIN_DECLS

/* A variant and its numbers. Samples have `bytes` bytes and are stored shifted left by `shift`. */
typedef struct {
  CcRequantizationVariant variant;
  guint8 bytes, shift;
  guint8 tap_shift;     /* left shift of the taps */
  guint8 excess;        /* some variants of conv2d subtract it from filtered samples */
  gint64 start;         /* initial value of the sums of filtered samples */
  CcTap factor, addend; /* for filtered samples; in the family `separable` the factor is unsigned */
  CcTap passed_factor;  /* factor for copied and filled samples; their addend is 0 */
  gint down;            /* right shift of the product */
  gint64 low;           /* addend in the variants that have no `addend` */
  guint32 pick;         /* permutation that selects two code values from the bytes of two numbers */
  gboolean absolute;
} CcRequantization;

/* Finds the numbers of a variant and proves that the variant then gives the op's code values.
 * FALSE: no numbers have this proof. */
gboolean cc_requantization_find(CcRequantization *self, CcRequantizationVariant variant,
                                const CcOp *op, guint bytes, guint shift);

G_END_DECLS
