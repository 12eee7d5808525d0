/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Finds which requantization variant of the tensor-core kernels gives the same code values as an
 * op's own output stage, and proves it for every sum that can occur. */

#include "engine/plan/op.h"
#include "requantization_variants.h"

G_BEGIN_DECLS

/* A variant and its numbers, for samples of `bytes` bytes that are stored shifted left by
 * `shift`. */
typedef struct {
  CcRequantizationVariant variant;
  guint8 bytes, shift;
  guint8 tap_shift;     /* the taps are shifted left by so many bits */
  guint8 excess;        /* subtracted from filtered samples, if the variant does so */
  gint64 start;         /* initial value of the sums of filtered samples */
  CcTap factor, addend; /* of filtered samples; with `separable` the factor is unsigned */
  CcTap passed_factor;  /* of copied and filled samples, whose addend is 0 */
  gint down;
  gint64 low;
  guint32 pick; /* selects the bytes of two numbers that are two code values */
  gboolean absolute;
} CcRequantization;

/* Finds the numbers of a variant and proves that it gives the op's code values. FALSE: it does not,
 * or there is no proof. */
gboolean cc_requantization_find(CcRequantization *self, CcRequantizationVariant variant,
                                const CcOp *op, guint bytes, guint shift);

G_END_DECLS
