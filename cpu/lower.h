/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Lowering turns a plan, for one instruction set, into the phases that a frame runs. The result
 * depends only on the plan, the instruction set, and the special paths and methods that are left
 * out (engine/ablation.h, cc_dispatch_only). A program can therefore be created on any processor.
 * It runs only on processors that have the instruction set. */

#include "isa.h"
#include "phase.h"
#include "engine/run/backend.h"

G_BEGIN_DECLS

typedef struct _CcCpuProgram CcCpuProgram;

struct _CcCpuProgram {
  CcProgram base;
  const CcPlan *plan; /* the plan that was passed to cc_cpu_program_new */
  const CcVariant *variant;
  gboolean rewritten; /* the phases run the plan `other` instead of `plan` */
  CcPlan other;
  guint n_phases;
  CcPhase *phase;
  /* The program of the plan of CcWeighted, or NULL. Its phases are in `phase`. */
  CcCpuProgram *inner;
  /* The planes of its source and its target in the memory of the planes. They are as large as the
   * frame. The planes between its phases are placed there too. */
  CcPlaneSet inner_source, inner_target;
  gsize scratch_size; /* bytes of scratch memory for a thread: the maximum over all phases */
  gsize planes_size;  /* bytes of all planes between phases; a multiple of CC_ROW_ALIGN */
  gsize shared_size;  /* the part of planes_size that stages share; 0: none do */
};

/* Lowers `plan` for a variant. The plan must outlive the program. */
CcCpuProgram *cc_cpu_program_new(const CcPlan *plan, const CcVariant *variant);
void cc_cpu_program_free(CcCpuProgram *program);

/* Returns the steps that a frame runs, one line each; see CcProgram.steps. */
GStrv cc_cpu_program_explain(const CcCpuProgram *program);

G_END_DECLS
