/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The measurement of one combination of kernel, format and size after another. */

#include <stdio.h>
#include "cuda/program.h"
#include "npp.h"
#include "result.h"
#include "selection.h"

G_BEGIN_DECLS

/* What stays the same from one measurement to the next. */
typedef struct {
  BenchTimer *timer;
  const BenchNpp *npp; /* or NULL */
  FILE *text;          /* where the table goes */
  GArray *results;     /* BenchResult, in the order of measurement */
} BenchSession;

/* The program that runs the case with an algorithm, and its plan; both belong to the caller.
 * CC_ERROR_INVALID when the algorithm cannot run the kernel. */
CcCudaProgram *bench_case_prepare(const BenchCase *c, CcAlgorithm algorithm, CcCudaDevice *device,
                                  CcPlan **plan, GError **error);

/* Measures the algorithm that "auto" takes on a case. */
gboolean bench_time_case(BenchTimer *timer, const BenchCase *c, BenchTime *time, GError **error);

/* Measures a copy and then the algorithms (guint) on a case, adds a result for each, and prints
 * them. Algorithms that cannot run it get a line that says so. A `serial_us` above 0 is the
 * time of the same work on one CPU core, which then comes first. */
gboolean bench_run_case(BenchSession *session, const BenchCase *c, const GArray *algorithms,
                        gdouble serial_us, GError **error);

/* Runs every combination under a heading: kernels within formats within sizes. */
gboolean bench_run_selection(BenchSession *session, const BenchSelection *selection,
                             const gchar *heading, GError **error);

G_END_DECLS
