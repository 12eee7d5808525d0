/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The choice of the cheapest numbers in which an op gives the plan's bytes. */

#include "engine/plan.h"
#include "rows.h"

G_BEGIN_DECLS

typedef struct {
  CcLane lane;      /* of samples and sums */
  gboolean reduces; /* else the only sum is t */
  CcReduce reduce;
  CcNumber number; /* that t is */
  CcFinishForm form;
  guint left; /* sums are to be 2^left as large */
} CcArithChoice;

/* Chooses for an op on samples of `plane` and fills in *finish. `rows` is used to try out integer
 * forms of the last step on every t that can come. */
CcArithChoice cc_choose_arith(const CcOp *op, const CcPlaneLayout *plane, const CcRows *rows,
                              CcFinish *finish);

G_END_DECLS
