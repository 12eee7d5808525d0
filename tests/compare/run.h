/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Running a case on what is under test and judging the result. */

#include "engine/backend.h"
#include "tests/compare/cases.h"

G_BEGIN_DECLS

/* A backend, and for the CPU the variant of it. */
typedef struct {
  CcBackend *backend;
  const gchar *variant; /* NULL: the backend has no variants */
} Target;

/* "cpu/avx2" or "cuda"; transfer full. */
gchar *target_name(const Target *target);

/* A program for the plan; for the CPU, of the target's variant. */
CcProgram *target_prepare(const Target *target, CcPlan *plan, GError **error);

/* Called once for every target of a case; `why` is NULL when it passed. */
typedef void (*VerdictFunc)(const Target *target, const gchar *why, gpointer data);

/* Runs a case on all targets. Each result has to agree with the oracle, and where the oracle allows
 * a tolerance, all have to be equal to the first one. */
void run_case(const Case *c, const Target *targets, guint n_targets, VerdictFunc verdict,
              gpointer data);

G_END_DECLS
