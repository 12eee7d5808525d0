/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Texts that say what runs, for CcProgram.steps. docs/explain.md explains them. */

#include "plan.h"

G_BEGIN_DECLS

/* Appends what a pass does to which plane: "filter plane 0 (R G B), copy A". */
void cc_explain_pass(GString *line, const CcPlan *plan, const CcPass *pass);

/* Appends the components of a plane whose bits are set in `mask`: "R G B". */
void cc_explain_components(GString *line, const CcPlaneLayout *layout, guint mask);

/* Appends a method that was tried first, and why it does not run: "; not box: the taps differ". */
void cc_explain_declined(GString *line, const gchar *method, const gchar *reason);

G_END_DECLS
