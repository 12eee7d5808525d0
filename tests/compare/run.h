/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Running a case on what is under test and judging the result. */

#include "cuda/algorithm.h"
#include "engine/run/backend.h"
#include "tests/compare/cases.h"

G_BEGIN_DECLS

/* A backend; for the CPU the variant of it, for CUDA the algorithm. */
typedef struct {
  CcBackend *backend;
  const gchar *variant; /* NULL: the backend has no variants */
  CcAlgorithm algorithm;
} Target;

/* "cpu/avx2" or "cuda/two-pass"; transfer full. */
gchar *target_name(const Target *target);

/* A program for the plan; for the CPU, of the target's variant. */
CcProgram *target_prepare(const Target *target, CcPlan *plan, GError **error);

typedef enum {
  VERDICT_PASSED,
  VERDICT_FAILED,
  VERDICT_REFUSED, /* rightly: the target's algorithm cannot run the kernel */
} Verdict;

/* Called once for every target of a case; `why` is NULL unless it failed. */
typedef void (*VerdictFunc)(const Target *target, Verdict verdict, const gchar *why, gpointer data);

/* A case with its picture and what the oracle makes of it. */
typedef struct _Trial Trial;

/* Draws the picture and runs the oracle. Several threads may do so at once. */
Trial *trial_new(const Case *c);
void trial_free(Trial *trial);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Trial, trial_free)

/* Runs the case on all targets, the first of which has no algorithm. Each result has to agree with
 * the oracle, and where that allows a tolerance, be equal to the first target's. Samples outside of
 * the filter's target have to stay as they were, and those outside of its source are not what the
 * oracle saw. */
void trial_run(Trial *trial, const Target *targets, guint n_targets, VerdictFunc verdict,
               gpointer data);

/* Adds the filtered samples of the first target that may differ from the oracle's by one to *n, and
 * those of them that do to *n_off. */
void trial_count_off(const Trial *trial, guint64 *n, guint64 *n_off);

G_END_DECLS
