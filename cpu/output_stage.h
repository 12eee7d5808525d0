/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The output stage of a pass on the CPU: the lane of the sums, how t is computed from the sums, and
 * the requantization variant that turns t into code values. Each variant is proved to give the code
 * value of engine/plan/output_stage.h for each t that can occur, except the variants that compute
 * this definition itself. */

#include "cpu/kernels/row_kernels.h"
#include "engine/plan/output_stage.h"

G_BEGIN_DECLS

typedef struct {
  CcLane lane;      /* of the sums */
  guint left;       /* sums are multiplied by 2^left */
  gboolean reduces; /* FALSE: t is the only sum */
  CcReduce reduce;
  CcNumber number; /* the type of t */
  CcRequantizationVariant requantization;
  CcFinish to_sample;
} CcOutput;

/* Chooses the narrowest lane that holds the sums of an op over a plane, because a vector holds
 * twice as many samples of half the bits. Then chooses the fastest requantization variant for the
 * lane. Returns NULL if the lane is 16 bits, else a static text that says why not. */
const gchar *cc_output_init(CcOutput *self, const CcOp *op, const CcPlaneLayout *plane);

/* Returns whether all sums of an op fit 32 bits, and t as well if it is computed in the lane of the
 * sums. */
gboolean cc_output_fits_32(const CcOp *op);

/* Chooses 32-bit sums and the fastest variant for them. All sums of the op must fit 32 bits. */
void cc_output_take_32(CcOutput *self, const CcOp *op);

/* The same for sums without their `dropped` lowest bits. Returns FALSE if no variant is exact
 * without them. */
gboolean cc_output_take_32_without(CcOutput *self, const CcOp *op, guint dropped);

/* Chooses sums in three parts. Returns FALSE if no variant for them is exact. */
gboolean cc_output_take_parts(CcOutput *self, const CcOp *op);

/* Chooses CC_REQUANTIZE_CENTRED, from 32-bit sums. Returns FALSE if it is not exact. */
gboolean cc_output_take_centred(CcOutput *self, const CcOp *op);

/* Returns the variant that kernels which sum can apply at once. CC_REQUANTIZE_NONE: they have to
 * store sums. */
CcRequantizationVariant cc_output_requantization_of_sums(const CcOutput *self);

G_END_DECLS
