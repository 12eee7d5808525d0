/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The oracle's edges of Canny, in integers except for the thresholds. */

#include "tests/ref/oracle_matrices.h"
#include "tests/ref/oracle_samples.h"

G_BEGIN_DECLS

gboolean oracle_canny_is(CcResponse response);

/* What the edges of a field depend on besides its samples. */
typedef struct {
  const CcFilter *filter;
  const Matrices *matrices;
  guint shift, outside;      /* of words; code value outside the field with border=constant */
  gint64 unit_num, unit_den; /* what a threshold of 1 is in code values */
  guint black, white;        /* code values */
} OracleCanny;

/* Computes the samples of `to` from those of `from`. */
void oracle_canny_filter(const OracleCanny *canny, const Field *from, const Field *to);

G_END_DECLS
