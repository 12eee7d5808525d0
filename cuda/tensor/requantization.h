/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which requantization variants of the kernels on the tensor cores give the same code values as an
 * op's own output stage, shown for every sum that can occur. */

#include "engine/plan/op.h"
#include "requantization_variants.h"

G_BEGIN_DECLS

/* A variant and its numbers, for samples of so many bytes that are stored so far left. */
typedef struct {
  CcRequantizationVariant variant;
  guint8 bytes, shift;
  guint8 tap_shift;     /* the taps are shifted left by so many bits */
  guint8 excess;        /* is taken from what is filtered, where the variant says so */
  gint64 start;         /* what sums of filtered samples begin with */
  CcTap factor, addend; /* of samples that are filtered; of `separable` the factor is unsigned */
  CcTap passed_factor;  /* of those that are copied or filled, whose addend is 0 */
  gint down;
  gint64 low;
  guint32 pick; /* the bytes of two numbers that are two code values */
  gboolean absolute;
} CcRequantization;

/* Finds the numbers of a variant and proves that it gives the op's code values. FALSE: it does not,
 * or there is no proof. */
gboolean cc_requantization_find(CcRequantization *self, CcRequantizationVariant variant,
                                const CcOp *op, guint bytes, guint shift);

G_END_DECLS
