/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The cheaper forms of the last step, CcFinish16, CcFinishShifted,
 * CcFinishCentred and CcFinishParts. One is only found when it gives the code value of
 * engine/plan/output_stage.h for every t that can come.
 */

#include "engine/plan/output_stage.h"
#include "cpu/kernels/row_kernels.h"

G_BEGIN_DECLS

/* Whether there is a form all in 16 bits of an op whose t is an integer whose range spans less than
 * 2^16; sets finish->in_16 and *left: sums are to be 2^left as large. `reduces`: t is made of the
 * sums, which are signed then; else the only sum is t. */
gboolean cc_find_form_16(const CcOp *op, gboolean reduces, CcFinish *finish, guint *left);

/* Whether there is a form that shifts sums of 32 bits, which lack their `dropped` lowest bits; sets
 * finish->bits. */
gboolean cc_find_form_bits(const CcOp *op, guint dropped, CcFinish *finish);

/* Whether there is a form in float for sums without their lowest bits, least_right of them or more;
 * sets finish->shifted. */
gboolean cc_find_form_shifted(const CcOp *op, guint least_right, CcFinish *finish);

/* Whether there is a form in float around the middle of the sums; sets finish->centred. */
gboolean cc_find_form_centred(const CcOp *op, CcFinish *finish);

/* Whether there is a form for sums in three parts; sets finish->parts. */
gboolean cc_find_form_parts(const CcOp *op, CcFinish *finish);

G_END_DECLS
