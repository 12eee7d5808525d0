/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sweep.h"

G_BEGIN_DECLS

/* Resolves a pass of a plan, which both have to live as long, for the row kernels of an instruction
 * set; NULL: for the plain loop. `in_chunks` is that of CcSweep. */
void cc_sweep_init(CcSweep *self, const CcPlan *plan, const CcPass *pass, const CcRows *kernels,
                   gboolean in_chunks);
void cc_sweep_clear(CcSweep *self);

/* The name of method number i, for people. */
const gchar *cc_method_name(guint i);

/* Lets sweeps try only the methods of this name, before the last one, which takes every pass.
 * NULL: all again. For tests; no program may be prepared meanwhile. */
void cc_dispatch_only(const gchar *name);

G_END_DECLS
