/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sweep.h"

G_BEGIN_DECLS

/* Resolves a pass of a plan for the row kernels of an instruction set. NULL: the plain loop. Plan
 * and pass must outlive the sweep. `in_chunks`: see CcSweep. */
void cc_sweep_init(CcSweep *self, const CcPlan *plan, const CcPass *pass, const CcRows *kernels,
                   gboolean in_chunks);
void cc_sweep_clear(CcSweep *self);

/* Returns the name of method number i, for people. */
const gchar *cc_method_name(guint i);

/* Restricts sweeps to the methods of this name and the last method, which takes every pass. NULL:
 * all methods again. For tests. No program may be prepared at the same time. */
void cc_dispatch_only(const gchar *name);

G_END_DECLS
