/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sweep.h"

G_BEGIN_DECLS

/* Initialises the sweep of a pass. `kernels` are the row kernels of an instruction set, or NULL for
 * the plain loop. `plan` and `pass` must outlive the sweep. `from_planes`: the sweep reads planes
 * of the phase before and not the frame. `in_chunks`: see CcSweep. */
void cc_sweep_init(CcSweep *self, const CcPlan *plan, const CcPass *pass, const CcRows *kernels,
                   gboolean from_planes, gboolean in_chunks);
void cc_sweep_clear(CcSweep *self);

/* Returns the name of method number i for messages. */
const gchar *cc_method_name(guint i);

/* For tests: sweeps initialised later use only methods of this name, and the last method, which
 * takes every pass. NULL allows all methods again. No program may be prepared at the same time. */
void cc_dispatch_only(const gchar *name);

G_END_DECLS
