/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The output stage of a pass on the CPU: the lane of the sums, how t is computed from the sums, and
 * the requantization variant that turns t into code values. engine/plan/output_stage.h defines the
 * code value of each t. Some variants compute this definition itself. Every other variant is used
 * only after a check that it gives the same code value for each t that can occur. */

#include "cpu/kernels/row_kernels.h"
#include "engine/plan/output_stage.h"

G_BEGIN_DECLS

typedef struct {
  CcLane lane;      /* lane type of the sums */
  guint left;       /* sums are multiplied by 2^left */
  gboolean reduces; /* whether `reduce` computes t; FALSE: there is one sum, which is t */
  CcReduce reduce;
  CcNumber number; /* the type of t */
  CcRequantizationVariant requantization;
  CcFinish to_sample;
} CcOutput;

/* Chooses the narrowest lane that holds the sums of an op over a plane, because a vector holds
 * twice as many lanes of half the bits. Then chooses the fastest requantization variant for the
 * lane. Returns NULL if the lane has 16 bits, else a static text that says why the lane has
 * more. */
const gchar *cc_output_init(CcOutput *self, const CcOp *op, const CcPlaneLayout *plane);

/* Returns whether all sums of an op fit 32 bits. If t is computed in the lane of the sums, t must
 * fit too. */
gboolean cc_output_fits_32(const CcOp *op);

/* Chooses 32-bit sums and the fastest requantization variant for these sums. All sums of the op
 * must fit 32 bits. */
void cc_output_take_32(CcOutput *self, const CcOp *op);

/* Like cc_output_take_32, for sums that lack their `dropped` lowest bits. Returns FALSE if no
 * variant gives exact results without these bits. */
gboolean cc_output_take_32_without(CcOutput *self, const CcOp *op, guint dropped);

/* Chooses sums in three parts. Returns FALSE if no variant gives exact results from such sums. */
gboolean cc_output_take_parts(CcOutput *self, const CcOp *op);

/* Chooses 32-bit sums and CC_REQUANTIZE_CENTRED. Returns FALSE if this variant is not exact for the
 * op. */
gboolean cc_output_take_centred(CcOutput *self, const CcOp *op);

/* Returns the requantization variant that a summing kernel applies directly to its sums.
 * CC_REQUANTIZE_NONE: the kernel must store its sums. */
CcRequantizationVariant cc_output_requantization_of_sums(const CcOutput *self);

G_END_DECLS
