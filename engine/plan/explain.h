/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Texts for CcProgram.steps. docs/explain.md explains them. */

#include "plan.h"

G_BEGIN_DECLS

/* Appends "repetition 2: " for repetition number 2 of the passes, and nothing for number 1. */
void cc_explain_repetition(GString *line, guint number);

/* Appends a description of a pass: "filter plane 0 (R G B), copy A". In the plan of CcWeighted:
 * "filter plane 0 of products and weights". */
void cc_explain_pass(GString *line, const CcPlan *plan, const CcPass *pass);

G_END_DECLS
