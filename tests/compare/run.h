/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Runs a case on the code under test and judges the result. */

#include "cuda/algorithm.h"
#include "engine/run/backend.h"
#include "tests/compare/cases.h"

G_BEGIN_DECLS

/* A backend with a variant (CPU) or an algorithm (CUDA). */
typedef struct {
  CcBackend *backend;
  const gchar *variant; /* NULL: the backend has no variants */
  CcAlgorithm algorithm;
} Target;

/* Returns "cpu/avx2" or "cuda/two-pass". The caller frees it. */
gchar *target_name(const Target *target);

/* Prepares a program for the plan; on the CPU for the target's variant. */
CcProgram *target_prepare(const Target *target, CcPlan *plan, GError **error);

typedef enum {
  VERDICT_PASSED,
  VERDICT_FAILED,
  VERDICT_REFUSED, /* correctly: the target's algorithm cannot run the kernel */
} Verdict;

/* Called once for every target of a case. `why` is NULL unless the target failed. */
typedef void (*VerdictFunc)(const Target *target, Verdict verdict, const gchar *why, gpointer data);

/* A case with its frame and the oracle's result. */
typedef struct _Trial Trial;

/* Draws the frame and runs the oracle. Several threads may do so at once. */
Trial *trial_new(const Case *c);
void trial_free(Trial *trial);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Trial, trial_free)

/* Runs the case on all targets. The first target must have no algorithm. Each result must agree
 * with the oracle, and if the oracle allows a tolerance, equal the first target's. Samples outside
 * the region's target must keep their values. Samples outside its source differ from those that the
 * oracle saw. */
void trial_run(Trial *trial, const Target *targets, guint n_targets, VerdictFunc verdict,
               gpointer data);

/* Adds to *n the filtered samples of the first target that may differ from the oracle's by one, and
 * to *n_off those that do. */
void trial_count_off(const Trial *trial, guint64 *n, guint64 *n_off);

G_END_DECLS
