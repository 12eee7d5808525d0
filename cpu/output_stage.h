/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The output stage of a pass on the CPU: the lane that sums are made in, what becomes t of them,
 * and the requantization variant that makes code values of t. Every variant but the definition's
 * own is proved to give the code value of engine/plan/output_stage.h for each t that can come. */

#include "cpu/kernels/row_kernels.h"
#include "engine/plan/output_stage.h"

G_BEGIN_DECLS

typedef struct {
  CcLane lane;      /* of the sums */
  guint left;       /* sums are 2^left times the plan's */
  gboolean reduces; /* else the only sum is t */
  CcReduce reduce;
  CcNumber number; /* that t is */
  CcFinishForm form;
  CcFinish to_sample;
} CcOutput;

/* Takes the narrowest lane that holds the sums of an op over a plane, and the fastest variant for
 * it: a vector holds twice as many samples in half the bits. Returns why the lane is not 16 bits, a
 * static text; NULL: it is. */
const gchar *cc_output_init(CcOutput *self, const CcOp *op, const CcPlaneLayout *plane);

/* Whether all sums of an op fit 32 bits, and so does t where it is made in the lane of the sums. */
gboolean cc_output_fits_32(const CcOp *op);

/* Takes 32-bit sums, and the fastest variant for them. All sums of the op fit 32 bits. */
void cc_output_take_32(CcOutput *self, const CcOp *op);

/* The same for sums that lack their `dropped` lowest bits. FALSE: no variant does without them. */
gboolean cc_output_take_32_without(CcOutput *self, const CcOp *op, guint dropped);

/* Takes sums in three parts. FALSE: there is no variant for them. */
gboolean cc_output_take_parts(CcOutput *self, const CcOp *op);

/* Takes CC_FINISH_CENTRED, from 32-bit sums. FALSE: it is not exact. */
gboolean cc_output_take_centred(CcOutput *self, const CcOp *op);

/* What kernels that sum can make of the sums at once; CC_FINISH_NONE: nothing. */
CcFinishForm cc_output_form_of_sums(const CcOutput *self);

G_END_DECLS
