/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The speeds that the project claims, against what was measured. */

#include <stdio.h>
#include "result.h"

G_BEGIN_DECLS

typedef struct {
  gchar *text;      /* "sliding GRAY8 7680x4320 gaussian 3x3, % of the copy rate" */
  gdouble measured; /* in the unit that the text names; 0: it was not */
  gdouble wanted;
  gboolean at_least; /* wanted is the least, else the most */
  gdouble copy;      /* what a copy of the frame would reach against the peer; 0: no such ceiling */
} BenchVerdict;

/* One verdict for each claim that the results (BenchResult) can answer; with `all`, for the others
 * too. The array owns the texts. */
GArray *bench_claims_judge(const GArray *results, gboolean all);

/* The same for pipelines (BenchPipelineResult), where a decoder has a claim only when it was
 * measured. */
GArray *bench_claims_judge_pipelines(const GArray *results, gboolean all);

/* An empty array that owns the texts. */
GArray *bench_verdicts_new(void);

gboolean bench_verdict_met(const BenchVerdict *verdict);

/* Prints a line for each, if there is any. */
void bench_claims_report(FILE *file, const GArray *verdicts);

G_END_DECLS
